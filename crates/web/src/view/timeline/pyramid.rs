//! A lane at every scale: a task of each stretch of time, and how busy it is.
//!
//! Of the tasks that share a stretch, one stands for it: each as likely as its share is large, by a fixed rule in place of
//! chance. So many stretches together show all of them, in proportion, however short their slices are.
//!
//! Buckets of equal width, each level twice as wide as the one below. It grows with the run: new switches only touch
//! the end of each level, and when there are too many buckets the finest level is dropped, so that memory is bounded
//! however long the run is. Drawing a pixel is then one look into the level whose buckets are just finer than a pixel.

use crate::protocol::Lane;

/// Width of the finest bucket at first: 2¹⁰ ns.
const FIRST: u32 = 10;

/// Most buckets in the finest level. 2¹⁵ buckets of 8 bytes, and as much again in all levels above: half a megabyte a
/// lane at most.
const MOST: usize = 1 << 15;

/// What [`Bucket::top`] is where no slice of a task lies in the bucket.
const NOBODY: u32 = u32::MAX;

/// Tasks up to this number are told apart; the byte above it holds the reason of the pick.
const TASK_BITS: u32 = 24;

/// A share of a bucket's width that is all of it.
pub const ALL: u16 = u16::MAX;

/// A stretch of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The task that stands for it and why it was picked, packed.
    top: u32,
    /// The part of the width in which any task ran, of [`ALL`].
    pub busy: u16,
}

const EMPTY: Bucket = Bucket {
    top: NOBODY,
    busy: 0,
};

/// All levels of one lane.
#[derive(Clone, Debug)]
pub struct Pyramid {
    /// Width of the buckets of level 0, as a power of two of ns: a pixel is looked up without a division.
    base: u32,
    /// Levels, finest first, each half as long as the one before.
    levels: Vec<Vec<Bucket>>,
    /// Number of the first switch whose slice is not in it yet: the one that still runs.
    open: usize,
    /// The first bucket of level 0 that the levels above do not know of yet.
    stale: usize,
}

impl Default for Pyramid {
    fn default() -> Pyramid {
        Pyramid {
            base: FIRST,
            levels: vec![Vec::new()],
            open: 0,
            stale: 0,
        }
    }
}

impl Pyramid {
    /// Takes in the slices that ended since the last time. `lane` must be the same one, or longer.
    pub fn extend(&mut self, lane: &Lane) {
        let Some(last) = lane.len().checked_sub(1).filter(|last| *last > self.open) else {
            return;
        };
        let mut switches = lane.walk(self.open);
        let Some(mut begin) = switches.next() else {
            return;
        };
        for next in switches {
            if let Some(task) = begin.task.filter(|_| next.at_ns > begin.at_ns) {
                let who = task & ((1 << TASK_BITS) - 1) | (begin.pick as u32) << TASK_BITS;
                self.add(who, begin.at_ns, next.at_ns);
            }
            begin = next;
        }
        self.open = last;
        self.raise();
    }

    /// What lies between two times, by buckets of a level.
    pub fn between(&self, level: usize, from_ns: u64, to_ns: u64) -> Bucket {
        let buckets = &self.levels[level];
        let width = self.base + level as u32;
        let first = (from_ns >> width) as usize;
        let last = (to_ns.max(from_ns + 1) - 1) >> width;
        let end = (last as usize + 1).min(buckets.len());
        let inside = buckets.get(first..end).unwrap_or(&[]);
        let Some((one, others)) = inside.split_first() else {
            return EMPTY;
        };
        let mut sum = *one;
        let mut busy = u32::from(one.busy);
        for bucket in others {
            busy += u32::from(bucket.busy);
            if bucket.busy > sum.busy {
                sum = *bucket;
            }
        }
        Bucket {
            busy: (busy / inside.len() as u32) as u16,
            ..sum
        }
    }

    /// The coarsest level whose buckets are no wider than `width_ns`.
    pub fn level(&self, width_ns: f64) -> Option<usize> {
        let ratio = width_ns / (1u64 << self.base) as f64;
        (ratio >= 1.0).then(|| ((ratio as u64).ilog2() as usize).min(self.levels.len() - 1))
    }

    /// Adds a slice to the finest level.
    fn add(&mut self, who: u32, from_ns: u64, to_ns: u64) {
        while to_ns.div_ceil(1 << self.base) > MOST as u64 {
            self.coarsen();
        }
        let base = 1 << self.base;
        let first = (from_ns >> self.base) as usize;
        let end = to_ns.div_ceil(base) as usize;
        let level = &mut self.levels[0];
        if level.len() < end {
            level.resize(end, EMPTY);
        }
        for (i, bucket) in level.iter_mut().enumerate().take(end).skip(first) {
            let start = i as u64 * base;
            let inside = to_ns.min(start + base) - from_ns.max(start);
            bucket.take(who, share(inside, base), turn(from_ns + i as u64));
        }
        self.stale = self.stale.min(first);
    }

    /// Drops the finest level, once the one above knows all of it.
    fn coarsen(&mut self) {
        self.raise();
        if self.levels.len() == 1 {
            let only = self.levels[0].chunks(2).enumerate().map(merged).collect();
            self.levels.push(only);
        }
        self.levels.remove(0);
        self.base += 1;
        self.stale = self.levels[0].len();
    }

    /// Makes the ends of the levels above anew.
    fn raise(&mut self) {
        let mut from = self.stale;
        let mut level = 0;
        while self.levels[level].len() > 1 {
            if self.levels.len() == level + 1 {
                self.levels.push(Vec::new());
            }
            let (below, above) = self.levels.split_at_mut(level + 1);
            let (below, above) = (&below[level], &mut above[0]);
            from = (from / 2).min(above.len());
            above.truncate(from);
            above.extend((from..).zip(below[from * 2..].chunks(2)).map(merged));
            level += 1;
        }
        self.stale = self.levels[0].len();
    }

    /// One that is too coarse for any pixel.
    #[cfg(test)]
    pub(super) fn too_coarse() -> Pyramid {
        Pyramid {
            base: 62,
            ..Pyramid::default()
        }
    }

    /// Memory it takes, bytes.
    pub fn bytes(&self) -> usize {
        self.levels
            .iter()
            .map(|level| level.capacity() * size_of::<Bucket>())
            .sum()
    }
}

impl Bucket {
    /// The task that stands for it, and the code of the reason why it was picked.
    pub fn top(&self) -> Option<(u32, u8)> {
        let task = self.top & ((1 << TASK_BITS) - 1);
        (self.top != NOBODY).then_some((task, (self.top >> TASK_BITS) as u8))
    }

    /// A slice has `share` of it.
    fn take(&mut self, who: u32, share: u16, turn: u64) {
        self.busy = self.busy.saturating_add(share);
        if turn * u64::from(self.busy) <= u64::from(share) << TURN_BITS {
            self.top = who;
        }
    }
}

/// Turns go up to here.
const TURN_BITS: u32 = 16;

/// A number that seems to be chance and is spread more evenly: multiples of the golden ratio, of which the whole part is
/// left out (Knuth, The Art of Computer Programming 3, 6.4).
fn turn(number: u64) -> u64 {
    u64::from((number as u32).wrapping_mul(0x9E37_79B9) >> (32 - TURN_BITS))
}

/// At least one part in [`ALL`], so that no slice is lost.
fn share(part: u64, whole: u64) -> u16 {
    (part * u64::from(ALL) / whole).max(1) as u16
}

/// The bucket of that number, of the two below it.
fn merged((number, pair): (usize, &[Bucket])) -> Bucket {
    let left = pair[0];
    let right = pair.get(1).copied().unwrap_or(EMPTY);
    let half = |a: u16, b: u16| ((u32::from(a) + u32::from(b)).div_ceil(2)) as u16;
    let [of_left, of_right] = [left, right].map(|half| u64::from(half.busy));
    let lefts = turn(number as u64) * (of_left + of_right) < of_left << TURN_BITS;
    Bucket {
        top: if lefts { left.top } else { right.top },
        busy: half(left.busy, right.busy),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::Demo;
    use crate::protocol::{
        EndWhy, LaneChunk, PickWhy, RunSide, Snapshot, Switch, Trace, TraceDelta,
    };

    fn trace(pieces: &[Vec<(u64, Option<u32>)>]) -> Trace {
        let mut trace = Trace::new(1);
        for piece in pieces {
            let mut lane = LaneChunk::default();
            for &(at_ns, task) in piece {
                lane.push(Switch {
                    at_ns,
                    task,
                    pick: PickWhy::Leftmost,
                    prev_end: EndWhy::Sleeping,
                    waiting: 0,
                });
            }
            trace = trace.with(TraceDelta {
                lanes: vec![lane],
                ..TraceDelta::default()
            });
        }
        trace
    }

    fn task(bucket: Bucket) -> Option<u32> {
        bucket.top().map(|(task, _)| task)
    }

    fn built(trace: &Trace) -> Pyramid {
        let mut pyramid = Pyramid::default();
        pyramid.extend(&trace.lanes[0]);
        pyramid
    }

    #[test]
    fn a_bucket_knows_one_of_its_slices_and_its_idle_time() {
        let lane = trace(&[vec![
            (0, Some(7)),
            (256, Some(8)),
            (768, None),
            (1024, Some(9)),
            (9000, None),
        ]]);
        let pyramid = built(&lane);
        assert_eq!(pyramid.level(1023.0), None, "half a bucket is too fine");
        let first = pyramid.between(0, 100, 1000);
        assert!([Some(7), Some(8)].contains(&task(first)));
        assert!((f64::from(first.busy) / f64::from(ALL) - 0.75).abs() < 0.001);
        let level = pyramid.level(4096.0).expect("coarse enough");
        assert!(task(pyramid.between(level, 0, 4096)).is_some());
        assert_eq!(
            task(pyramid.between(0, 0, 3000)),
            Some(9),
            "of three buckets the busiest"
        );
        assert_eq!(pyramid.between(0, 1 << 40, 1 << 41), EMPTY);
    }

    /// Two tasks that take turns, one of them three times as long, at scales finer and much coarser than a turn.
    #[test]
    fn tasks_that_share_a_stretch_all_show_each_by_its_share() {
        let turns =
            (0..20_000u64).flat_map(|i| [(i * 4_000, Some(0)), (i * 4_000 + 3_000, Some(1))]);
        let pyramid = built(&trace(&[turns.collect()]));
        for width in [4_096u64, 16_384, 262_144] {
            let level = pyramid.level(width as f64).expect("coarse enough");
            let count = 79_000_000 / width;
            let shown = (0..count).map(|i| pyramid.between(level, i * width, (i + 1) * width));
            let second = shown.filter(|bucket| task(*bucket) == Some(1)).count();
            let share = second as f64 / count as f64;
            assert!((share - 0.25).abs() < 0.05, "{share} at {width} ns");
        }
    }

    #[test]
    fn growing_by_pieces_gives_the_same_as_at_once() {
        let (mut whole, mut pieces) = (Pyramid::default(), Pyramid::default());
        let mut snapshot: Option<Snapshot> = None;
        for update in (Demo {
            updates: 7,
            ..Demo::small(RunSide::B)
        })
        .updates()
        {
            let next = Snapshot::advance(snapshot.as_ref(), update);
            pieces.extend(&next.trace.lanes[3]);
            snapshot = Some(next);
        }
        let snapshot = snapshot.expect("there were updates");
        whole.extend(&snapshot.trace.lanes[3]);
        assert_eq!(
            (whole.base, whole.levels.len()),
            (pieces.base, pieces.levels.len())
        );
        for (level, (a, b)) in whole.levels.iter().zip(&pieces.levels).enumerate() {
            assert!(a == b, "level {level}");
        }
    }

    #[test]
    fn memory_is_bounded_however_long_the_run() {
        let long = trace(&[(0..5_000u64)
            .map(|i| (i * 80_000_000, Some(i as u32)))
            .collect()]);
        let pyramid = built(&long);
        assert!(pyramid.levels[0].len() <= MOST);
        assert!(pyramid.bytes() < 2 << 20, "{}", pyramid.bytes());
        let level = pyramid.level(80_000_000.0).expect("coarse enough");
        let start = 2_500 * 80_000_000;
        let middle = pyramid.between(level, start + 20_000_000, start + 30_000_000);
        assert_eq!(task(middle), Some(2_500));
        assert!(middle.busy > ALL - 64);
    }

    /// A slice that ends many times later than all before it drops several levels at once.
    #[test]
    fn one_slice_may_be_longer_than_all_before_it() {
        let short = 20_000_003;
        for long in [3, 5, 1_000] {
            let lane = trace(&[
                vec![(0, Some(1)), (short, Some(2)), (short + 10, Some(3))],
                vec![(short * long, Some(4)), (short * long + 10, None)],
            ]);
            let pyramid = built(&lane);
            let level = pyramid.level(short as f64).expect("coarse enough");
            let middle = short * long / 2;
            let bucket = pyramid.between(level, middle, middle + 1);
            assert_eq!(task(bucket), Some(3), "{long}");
        }
    }

    /// In the page, too, where a `usize` has 32 bits: 4.29 s and a little are not a little.
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    #[cfg_attr(not(target_arch = "wasm32"), test)]
    fn a_slice_longer_than_four_seconds_is_as_long_as_it_is() {
        let end = (1 << 32) + 5;
        let mut pyramid = Pyramid::default();
        pyramid.extend(&trace(&[vec![(0, Some(1)), (end, Some(2)), (end + 4, None)]]).lanes[0]);
        assert_eq!(task(pyramid.between(0, 0, 1_000_000)), Some(1));
        assert_eq!(task(pyramid.between(0, 4_000_000_000, end)), Some(1));
        assert!(pyramid.levels[0].len() <= MOST);
    }

    #[test]
    fn nothing_and_an_open_slice_are_no_buckets() {
        let mut pyramid = Pyramid::default();
        pyramid.extend(&Lane::default());
        assert_eq!(pyramid.between(0, 0, 1_000_000), EMPTY);
        pyramid.extend(&trace(&[vec![(0, Some(1))]]).lanes[0]);
        assert_eq!(
            pyramid.between(0, 0, 1_000_000),
            EMPTY,
            "its end is not known"
        );
    }
}
