//! The hash of a run: what must not change when only the speed of the simulator does.
//!
//! FNV-1a, 64 bits (Fowler, Noll and Vo), over instant, CPU, kind, task and arguments of Switch, Wakeup, Migrate,
//! Fork and Exit. Reasons and internal steps are not in it.

use super::event::{Event, Observer};
use crate::machine::CpuId;
use crate::task::TaskId;
use crate::time::Instant;

const OFFSET_BASIS: u64 = 0xCBF2_9CE4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01B3;

/// Hashes the events it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hash(u64);

impl Default for Hash {
    fn default() -> Hash {
        Hash(OFFSET_BASIS)
    }
}

/// Kinds, as they are hashed: part of what a hash means, never changed.
const SWITCH: u8 = 1;
const WAKEUP: u8 = 2;
const MIGRATE: u8 = 3;
const FORK: u8 = 4;
const EXIT: u8 = 5;

/// A task as it is hashed; the idle task, or nobody, is the last number.
fn number(task: Option<TaskId>) -> u32 {
    task.map_or(u32::MAX, |task| task.0)
}

impl Hash {
    /// The hash so far.
    pub fn get(self) -> u64 {
        self.0
    }

    /// The lowest `N` bytes of `value`, the lowest first; a loop over a slice would take twice as long.
    fn bytes<const N: u32>(&mut self, value: u64) {
        for byte in 0..N {
            self.0 = (self.0 ^ (value >> (8 * byte) & 0xFF)).wrapping_mul(PRIME);
        }
    }

    fn event(&mut self, now: Instant, cpu: CpuId, kind: u8, numbers: [u32; 2]) {
        self.bytes::<8>(now.0);
        self.bytes::<2>(cpu.0.into());
        self.bytes::<1>(kind.into());
        for number in numbers {
            self.bytes::<4>(number.into());
        }
    }
}

impl Observer for Hash {
    fn record(&mut self, now: Instant, event: &Event) {
        match *event {
            Event::Switch {
                cpu,
                prev,
                state,
                next,
                ..
            } => {
                self.event(now, cpu, SWITCH, [number(prev), number(next)]);
                self.bytes::<1>(state as u64);
            }
            Event::Wakeup {
                task,
                prev_cpu,
                waker_cpu,
                sync,
                placement,
                preempt,
                ..
            } => {
                let from = u32::from(prev_cpu.0) << 16 | u32::from(waker_cpu.0);
                self.event(now, placement.cpu, WAKEUP, [task.0, from]);
                self.bytes::<1>(sync.into());
                self.bytes::<1>(preempt.yes.into());
            }
            Event::Migrate { task, from, to, .. } => {
                self.event(now, to, MIGRATE, [task.0, u32::from(from.0)]);
            }
            Event::Fork {
                parent,
                child,
                placement,
                ..
            } => {
                self.event(now, placement.cpu, FORK, [number(parent), child.0]);
            }
            Event::Exit { task, cpu } => self.event(now, cpu, EXIT, [task.0, 0]),
            Event::Tick { .. }
            | Event::Balance { .. }
            | Event::Throttle { .. }
            | Event::Message { .. }
            | Event::Mark { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_hash_as_the_authors_of_fnv_say() {
        let mut hash = Hash::default();
        for letter in b"foobar" {
            hash.bytes::<1>(u64::from(*letter));
        }
        assert_eq!(hash.get(), 0x8594_4171_F739_67E8);
        assert_eq!(Hash::default().get(), OFFSET_BASIS);
    }

    #[test]
    fn every_argument_counts() {
        let exit = |at, task, cpu| {
            let mut hash = Hash::default();
            hash.record(
                Instant(at),
                &Event::Exit {
                    task: TaskId(task),
                    cpu: CpuId(cpu),
                },
            );
            hash.get()
        };
        let hashes = [exit(1, 2, 3), exit(2, 2, 3), exit(1, 3, 3), exit(1, 2, 4)];
        for (i, hash) in hashes.iter().enumerate() {
            assert!(hashes[..i].iter().all(|other| other != hash));
        }
    }
}
