//! Where a number sits on a slider whose scale is logarithmic, and which number a place on it means.
//!
//! The scale may begin at 0 or at −1: those two get the first places, and the logarithm starts beside them. Dragging
//! gives round numbers (two significant digits); whoever wants another one types it. Pure; the slider itself is in
//! `panel`.

use crate::number::{log10, pow, within};

/// Places on a slider, 0 … `STEPS`.
pub const STEPS: u32 = 1000;

/// The part of the slider that belongs to each number at or below zero.
const SPECIAL: u32 = 40;

/// A logarithmic scale over whole numbers `low` … `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogScale {
    low: i64,
    high: i64,
}

impl LogScale {
    /// A scale from `low` (−1 at least) to `high` (1 at least).
    pub fn new((low, high): (i64, i64)) -> Self {
        let low = low.max(-1);
        Self {
            low,
            high: high.max(low.max(1)),
        }
    }

    /// How many places lie before the logarithmic part.
    fn offset(self) -> u32 {
        SPECIAL * u32::try_from(1 - self.low.min(1)).unwrap_or(0)
    }

    /// The first number of the logarithmic part. Below a thousandth of a thousandth of the range nothing is worth a place.
    fn first(self) -> f64 {
        if self.low >= 1 {
            self.low as f64
        } else {
            (self.high as f64 / 1e6).max(1.0)
        }
    }

    /// The place of `value`.
    pub fn place(self, value: i64) -> u32 {
        if value < 1 {
            let rank = (value - self.low).clamp(0, 1);
            return SPECIAL * u32::try_from(rank).unwrap_or(0);
        }
        let (first, high) = (self.first(), self.high as f64);
        if high <= first {
            return STEPS;
        }
        let share = within(log10(value as f64 / first) / log10(high / first), 0.0, 1.0);
        let room = f64::from(STEPS - self.offset());
        self.offset() + (share * room).round() as u32
    }

    /// The round number at `place`.
    pub fn value(self, place: u32) -> i64 {
        let offset = self.offset();
        if place < offset {
            return self.low + i64::from((place + SPECIAL / 2) / SPECIAL).min(-self.low);
        }
        let share = f64::from(place.min(STEPS) - offset) / f64::from(STEPS - offset);
        let first = self.first();
        let exact = first * pow(self.high as f64 / first, share);
        round_two(exact).clamp(self.low, self.high)
    }
}

/// `value` with two significant digits.
fn round_two(value: f64) -> i64 {
    let unit = 10f64.powi((log10(value).floor() as i32 - 1).max(0));
    ((value / unit).round() * unit) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAN: (i64, i64) = (100_000, 1_000_000_000);

    #[test]
    fn the_ends_are_the_ends() {
        for range in [
            GRAN,
            (0, 1_000_000_000),
            (-1, 1_000_000_000),
            (0, 10_000),
            (1, 1),
        ] {
            let scale = LogScale::new(range);
            assert_eq!(scale.value(0), range.0, "{range:?}");
            assert_eq!(scale.value(STEPS), range.1, "{range:?}");
            assert_eq!(scale.place(range.1), STEPS, "{range:?}");
        }
        assert_eq!(LogScale::new(GRAN).place(100_000), 0);
    }

    #[test]
    fn a_decade_is_as_wide_as_any_other() {
        let scale = LogScale::new(GRAN);
        let places: Vec<u32> = [100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000]
            .map(|v| scale.place(v))
            .to_vec();
        assert_eq!(places, [0, 250, 500, 750, 1000]);
    }

    #[test]
    fn zero_and_minus_one_have_places_of_their_own() {
        let scale = LogScale::new((-1, 1_000_000_000));
        assert_eq!((scale.value(0), scale.value(40)), (-1, 0));
        assert_eq!((scale.place(-1), scale.place(0)), (0, 40));
        assert!(scale.place(500_000) > 80);
        assert!(scale.value(81) > 0);
    }

    #[test]
    fn dragging_goes_up_and_stays_in_range() {
        for range in [
            GRAN,
            (0, 1_000_000_000),
            (-1, 1_000_000_000),
            (0, 10_000),
            (1, 3),
        ] {
            let scale = LogScale::new(range);
            let mut last = i64::MIN;
            for place in 0..=STEPS {
                let value = scale.value(place);
                assert!(value >= last, "{range:?} at {place}");
                assert!(
                    (range.0..=range.1).contains(&value),
                    "{range:?} at {place}: {value}"
                );
                last = value;
            }
        }
    }

    #[test]
    fn a_place_is_near_the_place_of_its_value() {
        let scale = LogScale::new(GRAN);
        for place in (0..=STEPS).step_by(7) {
            assert!(
                scale.place(scale.value(place)).abs_diff(place) <= 6,
                "{place}"
            );
        }
    }

    #[test]
    fn dragged_numbers_are_round() {
        assert_eq!(round_two(12_345_678.0), 12_000_000);
        assert_eq!(round_two(9.7), 10);
        assert_eq!(round_two(1.2), 1);
    }
}
