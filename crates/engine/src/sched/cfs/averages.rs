//! What a task's past tells of its behaviour (2.6.31, 2.6.32): how long it runs between the wakeups it
//! makes, after them, and before it sleeps.
//!
//! Every sample reads `sum_exec` as it stood at the last `update_curr`; nobody brings it up to date first.
//! A waker of a task on another CPU is therefore sampled as of its last tick or switch.
//! Source: kernel/sched.c: `update_avg`, `enqueue_task`, `dequeue_task`, `try_to_wake_up`, `put_prev_task`.

use crate::sched::Sched;
use crate::sched::rq::Averages;
use crate::task::TaskId;

/// An eighth of the way from `avg` to `sample`, rounded down; ns.
pub(super) fn update_avg(avg: &mut i64, sample: u64) {
    *avg += (sample as i64 - *avg) >> 3;
}

/// The averages of a task that never ran (`__sched_fork`).
pub(in crate::sched) fn new_task(s: &Sched) -> Averages {
    Averages {
        avg_wakeup: s.tunables.wakeup_granularity as i64,
        ..Averages::default()
    }
}

/// `task` is enqueued because it was woken.
pub(in crate::sched) fn at_wakeup(s: &mut Sched, task: TaskId) {
    let se = s.tasks[task.index()].se;
    let entity = s.se_mut(se);
    entity.avg.start_runtime = entity.sum_exec;
}

/// `waker` woke a task, in its own context.
pub(in crate::sched) fn of_waker(s: &mut Sched, waker: TaskId) {
    let se = s.tasks[waker.index()].se;
    let entity = s.se_mut(se);
    let (now, avg) = (entity.sum_exec, &mut entity.avg);
    let since = if avg.last_wakeup == 0 {
        avg.start_runtime
    } else {
        avg.last_wakeup
    };
    update_avg(&mut avg.avg_wakeup, now.wrapping_sub(since));
    avg.last_wakeup = now;
}

/// `task` is dequeued because it goes to sleep.
pub(in crate::sched) fn at_sleep(s: &mut Sched, task: TaskId) {
    let gran = s.tunables.wakeup_granularity;
    let se = s.tasks[task.index()].se;
    let entity = s.se_mut(se);
    let (now, avg) = (entity.sum_exec, &mut entity.avg);
    if avg.last_wakeup == 0 {
        update_avg(&mut avg.avg_wakeup, gran);
    } else {
        update_avg(&mut avg.avg_overlap, now.wrapping_sub(avg.last_wakeup));
        avg.last_wakeup = 0;
    }
}

/// `task` stops running, runnable still or not.
pub(in crate::sched) fn at_put_prev(s: &mut Sched, task: TaskId) {
    let limit = u64::from((s.tunables.migration_cost as u32).wrapping_mul(2));
    let keep_running = s.rules.avg_running;
    let se = s.tasks[task.index()].se;
    let entity = s.se_mut(se);
    let ran = entity.sum_exec.wrapping_sub(entity.prev_sum_exec);
    let (runnable, avg) = (entity.on_rq, &mut entity.avg);
    if keep_running {
        update_avg(&mut avg.avg_running, ran);
    }
    if runnable {
        update_avg(&mut avg.avg_overlap, ran.min(limit));
    } else if keep_running {
        update_avg(&mut avg.avg_running, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The average after each of four equal samples.
    fn four(start: i64, sample: u64) -> [i64; 4] {
        let mut avg = start;
        core::array::from_fn(|_| {
            update_avg(&mut avg, sample);
            avg
        })
    }

    #[test]
    fn t131_t132_an_eighth_of_the_way_each_time() {
        assert_eq!(
            four(0, 800_000),
            [100_000, 187_500, 264_062, 331_054],
            "cfs/T131"
        );
        let falling = [3_506_250, 3_074_218, 2_696_190, 2_365_416];
        assert_eq!(four(4_000_000, 50_000), falling, "cfs/T132");
    }

    #[test]
    fn t133_the_shift_rounds_down_on_both_sides() {
        let step = |mut avg: i64, sample| {
            update_avg(&mut avg, sample);
            avg
        };
        assert_eq!(
            [step(10, 3), step(3, 10), step(7, 0)],
            [9, 3, 6],
            "cfs/T133"
        );
    }
}
