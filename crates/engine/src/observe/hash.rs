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

    /// An instant: its highest bytes, zero for the first 18 minutes, only multiply, and are one product then.
    #[inline]
    fn instant(&mut self, now: Instant) {
        if now.0 >> 40 == 0 {
            self.bytes::<5>(now.0);
            self.0 = self.0.wrapping_mul(const { PRIME.wrapping_pow(3) });
        } else {
            self.bytes::<8>(now.0);
        }
    }

    fn event(&mut self, now: Instant, cpu: CpuId, kind: u8, numbers: [u32; 2]) {
        self.instant(now);
        self.bytes::<2>(cpu.0.into());
        self.bytes::<1>(kind.into());
        for number in numbers {
            self.bytes::<4>(number.into());
        }
    }
}

impl Observer for Hash {
    // Most events are messages and ticks, which the hash leaves out: then nothing is called.
    #[inline]
    fn record(&mut self, now: Instant, event: &Event) {
        if !matches!(event, Event::Message { .. } | Event::Tick { .. }) {
            self.take_in(now, event);
        }
    }
}

impl Hash {
    fn take_in(&mut self, now: Instant, event: &Event) {
        let (cpu, kind, numbers, rest) = match *event {
            Event::Switch {
                cpu,
                prev,
                state,
                next,
                ..
            } => {
                let tasks = [number(prev), number(next)];
                (cpu, SWITCH, tasks, Some((state as u8, None)))
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
                let flags = (u8::from(sync), Some(u8::from(preempt.yes)));
                (placement.cpu, WAKEUP, [task.0, from], Some(flags))
            }
            Event::Migrate { task, from, to, .. } => {
                (to, MIGRATE, [task.0, u32::from(from.0)], None)
            }
            Event::Fork {
                parent,
                child,
                placement,
                ..
            } => (placement.cpu, FORK, [number(parent), child.0], None),
            Event::Exit { task, cpu } => (cpu, EXIT, [task.0, 0], None),
            Event::Tick { .. }
            | Event::Balance { .. }
            | Event::Throttle { .. }
            | Event::Affinity { .. }
            | Event::Message { .. }
            | Event::Mark { .. } => return,
        };
        self.event(now, cpu, kind, numbers);
        if let Some((first, second)) = rest {
            self.bytes::<1>(first.into());
            if let Some(second) = second {
                self.bytes::<1>(second.into());
            }
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
    fn an_instant_hashes_like_its_eight_bytes() {
        for value in [0, 1, 0x00FF_FFFF_FFFF, 0x0100_0000_0000, u64::MAX] {
            let (mut short, mut long) = (Hash::default(), Hash::default());
            short.instant(Instant(value));
            long.bytes::<8>(value);
            assert_eq!(short, long, "{value:#x}");
        }
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
