//! Schedlab's engine: a machine, a Linux kernel's fair scheduler and a workload, simulated event by event.
//!
//! The same question always gets the same answer, natively and in a browser: no clock, no input or output, no
//! randomness but the seed, no float in a decision. From the top down:
//!
//! - [`fragment`] reads a link or a scenario file into a [`config::Config`]; checked, that is a [`config::Scenario`].
//! - [`sim`] owns everything and advances it: events ([`event_queue`]), programs, costs, the kernel's sequences of calls.
//! - [`observe`] is told what happens: metrics, traces, the hash of a run, explanations.
//! - [`sched`] is the scheduler, behind one door ([`sched::Sched`]); [`replay`] drives the same door from a recording.
//! - [`experiments`] are published tables, as links and figures.
//! - [`machine`] is shape, caches, scheduling domains and what things cost; [`workload`] is programs as data.
//!
//! Modelled: one run queue and its rules to the nanosecond, CPU selection, load balancing, task groups, sched domains,
//! cache warmth, pipes, sockets, locks and timers, for the kernels of [`sched::profile::PROFILES`]. Left out: memory
//! and NUMA balancing, interrupts other than ticks, timers and wakeups, frequency scaling, CPU hotplug, deadline tasks.
//!
//! ```
//! use schedlab_engine::{config::Scenario, fragment, observe::Hash, sim::Sim};
//!
//! let (config, warnings) = fragment::parse("v=1&m=classroom-1&k=6.5&w=hogs(count=3)&dur=1s");
//! assert!(warnings.is_empty());
//! let scenario = Scenario::try_from(&config).expect("nothing is wrong with it");
//! let mut sim = Sim::new(&scenario);
//! let mut hash = Hash::default();
//! let progress = sim.run_until(scenario.end, &mut hash);
//! assert_eq!(progress.now, scenario.end);
//! ```
#![no_std]
extern crate alloc;

pub mod config;
pub mod event_queue;
pub mod experiments;
pub mod fragment;
pub mod machine;
pub mod observe;
pub mod order;
pub mod replay;
pub mod rng;
pub mod sched;
pub mod sim;
pub mod task;
pub mod time;
pub mod words;
pub mod workload;
