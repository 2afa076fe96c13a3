//! Simulated time: an [`Instant`] on the simulated clock, a [`Nanos`] between two of them, a tick rate.
//!
//! Not here: any real clock. Inside `sched/` the kernel's own arithmetic is done on plain `u64`/`i64`
//! nanoseconds, because wrapping and signedness there are part of what is modelled.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};

/// A span of simulated time, in nanoseconds (0 … 2⁶⁴−1, about 584 years).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

/// A point of simulated time, in nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(pub u64);

/// Timer ticks a second (the kernel's `CONFIG_HZ`), 1 … 10 000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hz(pub u32);

impl Nanos {
    /// No time at all.
    pub const ZERO: Nanos = Nanos(0);
    /// `n` microseconds.
    pub const fn from_micros(n: u64) -> Nanos {
        Nanos(n * 1_000)
    }
    /// `n` milliseconds.
    pub const fn from_millis(n: u64) -> Nanos {
        Nanos(n * 1_000_000)
    }
    /// `n` seconds.
    pub const fn from_secs(n: u64) -> Nanos {
        Nanos(n * 1_000_000_000)
    }
}

impl Instant {
    /// The start of the run.
    pub const ZERO: Instant = Instant(0);
    /// Later than anything that happens.
    pub const FAR: Instant = Instant(u64::MAX);
    /// Time since `earlier`; zero if that is not in the past.
    pub const fn since(self, earlier: Instant) -> Nanos {
        Nanos(self.0.saturating_sub(earlier.0))
    }
}

impl Hz {
    /// Length of one tick (a jiffy): 10⁹ / HZ, rounded down.
    pub const fn period(self) -> Nanos {
        Nanos(1_000_000_000 / self.0 as u64)
    }
}

impl Add for Nanos {
    type Output = Nanos;
    fn add(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Nanos) {
        *self = *self + other;
    }
}

impl Sub for Nanos {
    type Output = Nanos;
    fn sub(self, other: Nanos) -> Nanos {
        Nanos(self.0.saturating_sub(other.0))
    }
}

impl Add<Nanos> for Instant {
    type Output = Instant;
    fn add(self, span: Nanos) -> Instant {
        Instant(self.0.saturating_add(span.0))
    }
}

impl fmt::Display for Nanos {
    /// The largest unit that shows the value exactly enough: `250ns`, `12.5us`, `3ms`, `1.25s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unit, name) = match self.0 {
            0..1_000 => (1, "ns"),
            1_000..1_000_000 => (1_000, "us"),
            1_000_000..1_000_000_000 => (1_000_000, "ms"),
            _ => (1_000_000_000, "s"),
        };
        write!(f, "{}", self.0 / unit)?;
        let mut rest = self.0 % unit;
        let mut place = unit / 10;
        if rest > 0 {
            f.write_str(".")?;
        }
        while rest > 0 {
            write!(f, "{}", rest / place)?;
            rest %= place;
            place /= 10;
        }
        f.write_str(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn nanos_print_in_their_own_unit() {
        let cases = [
            (0, "0ns"),
            (999, "999ns"),
            (12_500, "12.5us"),
            (3_000_000, "3ms"),
        ];
        for (ns, text) in cases {
            assert_eq!(Nanos(ns).to_string(), text);
        }
        assert_eq!(Nanos(1_250_000_001).to_string(), "1.250000001s");
    }
}
