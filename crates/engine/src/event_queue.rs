//! The next event: where the order of a run, and so its determinism, is decided.
//!
//! Most events belong to a CPU and replace each other: it has one end of run, one tick, one interrupt from
//! another CPU on the way. These sit in slots under a tournament of four a match. Timers of sleeping tasks sit in a
//! heap.
//! At one instant the order is that of [`Slot`] with timers after [`Slot::Bandwidth`]; then CPU; then who was
//! added first. Not here: what an event does.

use crate::machine::CpuId;
use crate::time::Instant;
use alloc::boxed::Box;
use alloc::collections::BinaryHeap;
use alloc::vec;
use alloc::vec::Vec;
use core::cmp::Reverse;

/// What a CPU can be waiting for, in the order in which it happens at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Slot {
    /// An interrupt from another CPU, or the end of its idle state.
    Ipi = 0,
    /// The high-resolution tick.
    Hrtick = 1,
    /// The timer of a group's quota, or of real-time tasks.
    Bandwidth = 2,
    /// The tick.
    Tick = 3,
    /// The end of what it is doing.
    End = 4,
    /// A reschedule.
    Resched = 5,
}

/// The place of heap timers in that order: beside [`Slot::Bandwidth`], and after it on the same CPU.
const TIMER: u64 = 2;

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// A slot of a CPU, which is empty again.
    Slot(CpuId, Slot),
    /// A timer with the number it was given, armed on that CPU.
    Timer(CpuId, u32),
}

/// Nothing is due.
const NEVER: u64 = u64::MAX;

/// Bits of a key below the time: three for the kind, eight for the CPU.
const KIND_SHIFT: u32 = 8;
const TIME_SHIFT: u32 = 11;

const fn key(at: Instant, kind: u64, cpu: CpuId) -> u64 {
    if at.0 > EventQueue::LAST.0 {
        return NEVER;
    }
    at.0 << TIME_SHIFT | kind << KIND_SHIFT | cpu.0 as u64
}

const fn time_of(key: u64) -> Instant {
    Instant(key >> TIME_SHIFT)
}

/// Matches of a tournament of 256 CPUs, 1 + 1 + 4 + 16 + 64, as a power of two, so that an index is in range when masked.
const MATCHES: usize = 128;

/// The place of who won the last match, and of a CPU that is alone.
const LAST_PLACE: usize = 3;

/// The keys of one CPU's slots. [`Slot::End`] changes at every step, the others seldom.
#[derive(Clone, Debug)]
struct Slots {
    end: u64,
    /// The earliest of the others.
    others: u64,
    keys: [u64; 6],
}

impl Slots {
    const EMPTY: Slots = Slots {
        end: NEVER,
        others: NEVER,
        keys: [NEVER; 6],
    };

    #[inline]
    fn get(&self, slot: Slot) -> u64 {
        match slot {
            Slot::End => self.end,
            _ => self.keys[slot as usize],
        }
    }

    #[inline]
    fn put(&mut self, slot: Slot, key: u64) {
        if slot == Slot::End {
            self.end = key;
        } else {
            self.keys[slot as usize] = key;
            self.compare();
        }
    }

    #[inline]
    fn clear_run(&mut self) {
        self.end = NEVER;
        self.keys[Slot::Ipi as usize] = NEVER;
        self.keys[Slot::Resched as usize] = NEVER;
        self.compare();
    }

    #[inline]
    fn compare(&mut self) {
        self.others = self.keys.iter().fold(NEVER, |a, &b| a.min(b));
    }
}

/// Events to come.
#[derive(Clone, Debug)]
pub struct EventQueue {
    cpus: Vec<Slots>,
    /// Tournament over CPUs. Places are numbered through all matches, four to each: at `base + cpu` stands the earliest
    /// slot of a CPU, and at place `m + 2` who won match `m`. Match 1 is the last; there is no match 0.
    matches: Box<[[u64; 4]; MATCHES]>,
    base: usize,
    /// Who won the last match.
    first: u64,
    /// The CPU whose place still shows a slot that was popped: whoever handles that event usually fills the slot
    /// again, so the tournament is played once and not twice.
    stale: Option<CpuId>,
    timers: BinaryHeap<Reverse<(u64, u64, u32)>>,
    /// Timers added so far.
    seq: u64,
}

impl EventQueue {
    /// Nothing later than this ever becomes due (about 52 days).
    pub const LAST: Instant = Instant((1 << 52) - 1);

    /// An empty queue for that many CPUs.
    pub fn new(cpus: u16) -> EventQueue {
        // The first round of 1, 4, 16, 64, 256 places that has room for them; those after it come before it.
        let (mut base, mut places) = (LAST_PLACE, 1);
        while places < usize::from(cpus) {
            (base, places) = (base + places, places * 4);
        }
        EventQueue {
            cpus: vec![Slots::EMPTY; usize::from(cpus)],
            matches: Box::new([[NEVER; 4]; MATCHES]),
            base,
            first: NEVER,
            stale: None,
            timers: BinaryHeap::new(),
            seq: 0,
        }
    }

    /// Fills a slot, whatever was in it; [`Instant::FAR`] empties it.
    #[inline]
    pub fn set(&mut self, cpu: CpuId, slot: Slot, at: Instant) {
        self.cpus[cpu.index()].put(slot, key(at, slot as u64, cpu));
        self.replay(cpu);
    }

    /// Empties all slots of a CPU that belong to what it is doing: [`Slot::Ipi`], [`Slot::End`],
    /// [`Slot::Resched`].
    #[inline]
    pub fn clear_run(&mut self, cpu: CpuId) {
        self.cpus[cpu.index()].clear_run();
        self.freshen();
        self.stale = Some(cpu);
    }

    /// Empties a slot.
    #[inline]
    pub fn clear(&mut self, cpu: CpuId, slot: Slot) {
        self.set(cpu, slot, Instant::FAR);
    }

    /// When a slot is due; [`Instant::FAR`] if it is empty.
    #[inline]
    pub fn at(&self, cpu: CpuId, slot: Slot) -> Instant {
        match self.cpus[cpu.index()].get(slot) {
            NEVER => Instant::FAR,
            key => time_of(key),
        }
    }

    /// Adds a timer.
    pub fn add_timer(&mut self, at: Instant, cpu: CpuId, number: u32) {
        let key = key(at, TIMER, cpu);
        if key != NEVER {
            self.timers.push(Reverse((key, self.seq, number)));
            self.seq += 1;
        }
    }

    /// Is a timer waiting?
    pub fn has_timers(&self) -> bool {
        !self.timers.is_empty()
    }

    /// When the next event is due; [`Instant::FAR`] if there is none.
    pub fn next_at(&mut self) -> Instant {
        self.freshen();
        let timer = self.timers.peek().map_or(NEVER, |t| t.0.0);
        match self.first.min(timer) {
            NEVER => Instant::FAR,
            key => time_of(key),
        }
    }

    /// Takes the next event out if it is due at `until` or before.
    #[inline]
    pub fn pop(&mut self, until: Instant) -> Option<(Instant, Due)> {
        self.freshen();
        let slot = self.first;
        let timer = self.timers.peek().map_or(NEVER, |t| t.0.0);
        let first = slot.min(timer);
        if first == NEVER || time_of(first) > until {
            return None;
        }
        Some(if slot <= timer {
            self.pop_slot(slot)
        } else {
            self.pop_timer()
        })
    }

    #[inline]
    fn pop_slot(&mut self, key: u64) -> (Instant, Due) {
        let cpu = CpuId((key & 0xff) as u16);
        let slot = match key >> KIND_SHIFT & 7 {
            0 => Slot::Ipi,
            1 => Slot::Hrtick,
            2 => Slot::Bandwidth,
            3 => Slot::Tick,
            4 => Slot::End,
            _ => Slot::Resched,
        };
        self.cpus[cpu.index()].put(slot, NEVER);
        self.stale = Some(cpu);
        (time_of(key), Due::Slot(cpu, slot))
    }

    fn pop_timer(&mut self) -> (Instant, Due) {
        let Reverse((key, _, number)) = self.timers.pop().expect("the caller saw one");
        let cpu = CpuId((key & 0xff) as u16);
        (time_of(key), Due::Timer(cpu, number))
    }

    /// Brings a stale place up to date.
    #[inline]
    fn freshen(&mut self) {
        if let Some(cpu) = self.stale {
            self.replay_stale(cpu);
        }
    }

    #[inline(never)]
    fn replay_stale(&mut self, cpu: CpuId) {
        self.replay(cpu);
    }

    /// Plays the tournament again from the place of `cpu` on, as far as something changes.
    #[inline]
    fn replay(&mut self, cpu: CpuId) {
        if self.stale == Some(cpu) {
            self.stale = None;
        }
        let slots = &self.cpus[cpu.index()];
        let mut winner = slots.end.min(slots.others);
        let mut place = self.base + cpu.index();
        while place > LAST_PLACE {
            let played = &mut self.matches[place / 4 % MATCHES];
            if played[place % 4] == winner {
                return;
            }
            played[place % 4] = winner;
            let [a, b, c, d] = *played;
            winner = a.min(b).min(c.min(d));
            place = place / 4 + 2;
        }
        self.first = winner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    /// The same as a sorted list, said slowly.
    #[derive(Default)]
    struct Naive(Vec<(Instant, u64, CpuId, u64, Due)>);

    impl Naive {
        fn put(&mut self, at: Instant, kind: u64, cpu: CpuId, seq: u64, due: Due) {
            if matches!(due, Due::Slot(..)) {
                self.0.retain(|e| e.4 != due);
            }
            if at <= EventQueue::LAST {
                self.0.push((at, kind, cpu, seq, due));
            }
        }

        fn pop(&mut self, until: Instant) -> Option<(Instant, Due)> {
            self.0.sort_by_key(|e| (e.0, e.1, e.2, e.3));
            let first = *self.0.first().filter(|e| e.0 <= until)?;
            self.0.remove(0);
            Some((first.0, first.4))
        }
    }

    const SLOTS: [Slot; 6] = [
        Slot::Ipi,
        Slot::Hrtick,
        Slot::Bandwidth,
        Slot::Tick,
        Slot::End,
        Slot::Resched,
    ];

    fn add(queue: &mut EventQueue, naive: &mut Naive, dice: impl Fn(u64) -> u64, seq: u64) {
        let cpu = CpuId(dice(queue.cpus.len() as u64) as u16);
        let at = match dice(20) {
            0 => Instant::FAR,
            _ => Instant(1_000 + dice(40)),
        };
        if dice(3) == 0 {
            queue.add_timer(at, cpu, seq as u32);
            naive.put(at, TIMER, cpu, seq + 1, Due::Timer(cpu, seq as u32));
        } else {
            let slot = SLOTS[dice(6) as usize];
            queue.set(cpu, slot, at);
            naive.put(at, slot as u64, cpu, 0, Due::Slot(cpu, slot));
            assert_eq!(queue.at(cpu, slot), at);
        }
    }

    #[test]
    fn the_queue_pops_what_a_sorted_list_pops() {
        for cpus in [1, 2, 3, 16, 17, 256] {
            let mut queue = EventQueue::new(cpus);
            let mut naive = Naive::default();
            let stream = Stream::new(42, u32::from(cpus));
            for step in 0..3_000_u32 {
                // Each step draws its own numbers; the salt keeps the dice of one step apart.
                let dice = |n: u64| stream.below(step * 64 + n as u32 % 64, n);
                if dice(9) < 5 {
                    add(&mut queue, &mut naive, dice, u64::from(step));
                } else {
                    let until = Instant(1_000 + dice(60));
                    assert_eq!(
                        queue.pop(until),
                        naive.pop(until),
                        "{cpus} CPUs, step {step}"
                    );
                }
            }
            while let Some(event) = queue.pop(Instant::FAR) {
                assert_eq!(Some(event), naive.pop(Instant::FAR));
            }
            assert!(naive.0.is_empty() && !queue.has_timers());
            assert_eq!(queue.next_at(), Instant::FAR);
        }
    }

    #[test]
    fn at_one_instant_kind_then_cpu_then_age_decide() {
        let mut queue = EventQueue::new(4);
        let at = Instant(5);
        queue.set(CpuId(2), Slot::Resched, at);
        queue.set(CpuId(3), Slot::End, at);
        queue.set(CpuId(1), Slot::End, at);
        queue.set(CpuId(0), Slot::Tick, at);
        queue.add_timer(at, CpuId(1), 7);
        queue.add_timer(at, CpuId(1), 6);
        queue.add_timer(at, CpuId(0), 8);
        queue.set(CpuId(1), Slot::Bandwidth, at);
        queue.set(CpuId(3), Slot::Ipi, at);
        let order: Vec<Due> = core::iter::from_fn(|| queue.pop(at).map(|e| e.1)).collect();
        let expected = [
            Due::Slot(CpuId(3), Slot::Ipi),
            Due::Timer(CpuId(0), 8),
            Due::Slot(CpuId(1), Slot::Bandwidth),
            Due::Timer(CpuId(1), 7),
            Due::Timer(CpuId(1), 6),
            Due::Slot(CpuId(0), Slot::Tick),
            Due::Slot(CpuId(1), Slot::End),
            Due::Slot(CpuId(3), Slot::End),
            Due::Slot(CpuId(2), Slot::Resched),
        ];
        assert_eq!(order, expected);
    }
}
