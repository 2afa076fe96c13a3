//! How large a run will be, said before it starts.

use super::Scenario;
use crate::workload::World;
use crate::workload::program::{Op, Program};

/// What a run will take, as far as that can be said without running it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Tasks, those that are forked later included.
    pub tasks: u64,
    /// Messages that count as throughput; none if a program that never ends takes them.
    pub messages: Option<u64>,
    /// Memory of the simulation, bytes, to within a factor of two.
    pub memory: u64,
}

/// What one task takes, bytes: its entity, its thread, its template and its names.
const TASK: u64 = 1024;
/// What one channel takes, bytes, its messages included.
const CHANNEL: u64 = 256;

impl Scenario {
    /// How large the run will be.
    pub fn estimate(&self) -> Estimate {
        let world = &self.world;
        let tasks = world.templates.len() as u64;
        let programs = world.templates.iter().map(|t| t.program);
        let messages = programs
            .map(|program| messages(world, program))
            .try_fold(0_u64, |sum, n| Some(sum.saturating_add(n?)));
        let ops = (world.ops.len() * size_of::<Op>()) as u64;
        Estimate {
            tasks,
            messages,
            memory: ops + TASK * tasks + CHANNEL * world.channels.len() as u64,
        }
    }
}

/// As often as something happens that never ends.
const FOR_EVER: u64 = u64::MAX;

/// How many counted messages a program takes; none if it takes them for ever.
fn messages(world: &World, program: Program) -> Option<u64> {
    let mut times = alloc::vec![1_u64];
    let mut total = 0_u64;
    let mut pc = program.start as usize;
    while let Some(op) = world.ops.get(pc) {
        pc += 1;
        let now = times.last().copied().unwrap_or(1);
        match *op {
            Op::Exit => break,
            Op::Loop(Op::FOREVER) => times.push(FOR_EVER),
            Op::Loop(count) => times.push(now.saturating_mul(count.into())),
            Op::End(_) => drop(times.pop()),
            Op::Jump(to) if to as usize >= pc => pc = to as usize,
            Op::Recv(channel, _) if world.channels[channel.0 as usize].counted => {
                total = total.saturating_add(now);
                if now == FOR_EVER {
                    return None;
                }
            }
            _ => {}
        }
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fragment;

    fn estimate(link: &str) -> Estimate {
        let (config, _) = fragment::parse(link);
        let scenario = Scenario::try_from(&config).expect("a sound configuration");
        scenario.estimate()
    }

    #[test]
    fn hackbench_counts_its_messages() {
        let small = estimate("w=hackbench(groups=10,loops=50)");
        assert_eq!(small.messages, Some(200_000));
        assert_eq!(small.tasks, 401);
        let whole = estimate("w=hackbench(groups=100,loops=2000)");
        assert_eq!(whole.messages, Some(80_000_000));
        assert!(whole.memory > small.memory);
    }

    #[test]
    fn what_never_ends_has_no_number() {
        assert_eq!(estimate("w=hackbench;tcp_rr").messages, None);
        assert_eq!(estimate("w=hogs").messages, Some(0));
        let with_hogs = estimate("w=hackbench(groups=1,loops=1);hogs");
        assert_eq!(with_hogs.messages, Some(400));
    }
}
