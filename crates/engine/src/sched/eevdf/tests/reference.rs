//! The tree and its sums against the most obvious reckoning: straight sums, linear search, big integers.

use super::*;
use crate::rng::Stream;

/// Queues that are compared.
const QUEUES: u32 = 100_000;

/// One entity as the reference has it, in the order of arrival.
#[derive(Clone, Copy)]
struct Entry {
    task: TaskId,
    weight: i128,
    vruntime: i128,
    deadline: i128,
}

/// Whom the rules as written take, of entries that all wait.
fn straight(entries: &[Entry]) -> Option<TaskId> {
    let total: i128 = entries.iter().map(|e| e.weight).sum();
    let sum: i128 = entries.iter().map(|e| e.weight * e.vruntime).sum();
    let eligible = entries.iter().filter(|e| sum >= e.vruntime * total);
    // Of equals the first: `min_by_key` keeps it.
    eligible.min_by_key(|e| e.deadline).map(|e| e.task)
}

#[test]
fn a_hundred_thousand_random_queues_are_picked_from_alike() {
    let (stream, mut drawn) = (Stream::new(7, 0), 0);
    let mut below = |n: u64| {
        drawn += 1;
        stream.below(drawn, n)
    };
    let nices = [-20, -5, 0, 0, 0, 5, 19];
    let mut w = World::new("7.1");
    let pool: Vec<TaskId> = nices
        .iter()
        .chain(&nices)
        .map(|nice| w.sleeper(*nice, None))
        .collect();
    for task in &pool {
        w.s.activate_task(*task, true);
    }
    let mut order: Vec<Entry> = Vec::new();
    for queue in 0..QUEUES {
        let spread = 1 << (queue % 40);
        let changed = if order.is_empty() {
            pool.clone()
        } else {
            Vec::from([pool[below(pool.len() as u64) as usize]])
        };
        for task in changed {
            let vruntime = below(2 * spread) as i64 - spread as i64;
            let deadline = vruntime + below(spread / 4 + 3) as i64;
            w.set(task, |v, own| (*v, own.deadline) = (vruntime, deadline));
            order.retain(|e| e.task != task);
            order.push(Entry {
                task,
                weight: i128::from(w.own(task).weight),
                vruntime: vruntime.into(),
                deadline: deadline.into(),
            });
        }
        assert_eq!(w.pick(true), straight(&order), "queue {queue}");
    }
}
