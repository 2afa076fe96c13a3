//! The rules of CFS, 2.6.31 to 6.5: where an entity is placed, who runs next, who preempts whom.
//!
//! One file to a question. Each reads [`super::rules::Rules`], features and tunables in the function that
//! decides; `judge` functions are pure, `commit` functions leave the kernel's marks.
//! Not here: queue mechanics ([`super::entity`]), what precedes the class ([`super::schedule`]), CPU
//! selection and balancing.

mod averages;
mod buddies;
mod pick;
mod placement;
mod preempt;
mod slice;
mod tick;
mod yielding;

pub(super) use averages::{at_put_prev, at_sleep, at_wakeup, new_task, of_waker};
pub(super) use buddies::{clear_buddies, sleeper_leaves};
pub use pick::{Candidate, Role, Verdict, Wants};
pub(super) use pick::{candidates, commit_pick, competing, judge_entity, why};
pub(super) use placement::{fork, place_entity, rebase, task_fork};
pub(super) use preempt::{check_preempt, check_preempt_curr};
pub(super) use slice::{sched_period, sched_slice, sched_vslice};
pub(super) use tick::{entity_tick, hrtick_start, hrtick_update};
pub(super) use yielding::yield_task;

#[cfg(test)]
mod tests;
