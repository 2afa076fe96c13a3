//! Published tables of how much better or worse a kernel does than another, in per cent or in words alone.
//!
//! Not here: the times that come out, which whoever has a simulator at hand judges by [`Said::judge`].

use alloc::format;
use alloc::string::String;

/// One table: runs that take some time, each compared with one of them, the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeTable {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What is not as published, or not known; empty if nothing.
    pub note: &'static str,
    /// What all rows have in common, as a link.
    pub link: &'static str,
    /// The row that the others are compared with, counted from 0.
    pub base: usize,
    /// Up to how many thousandths of the base's time a row may be off what was said for the two to agree.
    pub tolerance_milli: u32,
    /// Its rows.
    pub rows: &'static [ChangeRow],
}

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeRow {
    /// What is run, in a few words.
    pub name: &'static str,
    /// What it says differently from the table's link.
    pub link: &'static str,
    /// What the publication says of it, against the base; none: nothing.
    pub said: Option<Said>,
}

/// What is said of a run against the base; numbers in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// So much worse.
    Worse(u32),
    /// About so much worse.
    AboutWorse(u32),
    /// Worse, by less than that.
    LessWorse(u32),
    /// No loss.
    NoLoss,
    /// A loss that is unclear or small.
    Little,
    /// Better, without a number.
    Gain,
    /// About so much better.
    AboutBetter(u32),
}

/// How what came out compares with what was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
    /// On the side that was said, and by as much, to within the table's tolerance.
    Agrees,
    /// On the side that was said, but by more or less.
    DirectionOnly,
    /// Neither.
    Miss,
}

impl Said {
    /// It in words: `about 45 % worse`.
    pub fn words(self) -> String {
        let percent = |milli: u32| f64::from(milli) / 10.0;
        match self {
            Said::Worse(milli) => format!("{} % worse", percent(milli)),
            Said::AboutWorse(milli) => format!("about {} % worse", percent(milli)),
            Said::LessWorse(milli) => format!("less than {} % worse", percent(milli)),
            Said::NoLoss => String::from("no loss"),
            Said::Little => String::from("unclear or small loss"),
            Said::Gain => String::from("some gain"),
            Said::AboutBetter(milli) => format!("about {} % better", percent(milli)),
        }
    }

    /// Judges a time against that of the base. What was said without a number, or as a limit, is kept to as it stands;
    /// a number, the zero of "no loss", and the small one of "unclear or small", up to the tolerance.
    pub fn judge(self, against_base: f64, tolerance_milli: u32) -> Judged {
        let change = (against_base - 1.0) * 1000.0;
        let tolerance = f64::from(tolerance_milli);
        let near = |milli: f64| (change - milli).abs() <= tolerance;
        let (side, size) = match self {
            Said::Worse(milli) | Said::AboutWorse(milli) => (change > 0.0, near(milli.into())),
            Said::LessWorse(milli) => (change > 0.0, change < milli.into()),
            Said::NoLoss => (change <= tolerance, true),
            Said::Little => (near(0.0), true),
            Said::Gain => (change < 0.0, true),
            Said::AboutBetter(milli) => (change < 0.0, near(-f64::from(milli))),
        };
        match (side, size) {
            (true, true) => Judged::Agrees,
            (true, false) => Judged::DirectionOnly,
            (false, _) => Judged::Miss,
        }
    }
}

impl ChangeTable {
    /// The row that the others are compared with.
    pub fn base(&self) -> &'static ChangeRow {
        &self.rows[self.base]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_is_judged_by_side_and_size() {
        let of = |said: Said, against: f64| said.judge(against, 50);
        let cases = [
            (Said::Worse(700), 1.70, Judged::Agrees),
            (Said::Worse(700), 1.749, Judged::Agrees),
            (Said::Worse(700), 1.133, Judged::DirectionOnly),
            (Said::Worse(70), 1.048, Judged::Agrees),
            // Within the tolerance, but on the other side.
            (Said::Worse(20), 0.99, Judged::Miss),
            (Said::AboutWorse(450), 1.60, Judged::DirectionOnly),
            (Said::LessWorse(550), 1.009, Judged::Agrees),
            (Said::LessWorse(550), 1.56, Judged::DirectionOnly),
            (Said::LessWorse(550), 0.99, Judged::Miss),
            (Said::NoLoss, 0.8, Judged::Agrees),
            (Said::NoLoss, 1.049, Judged::Agrees),
            (Said::NoLoss, 1.07, Judged::Miss),
            (Said::Little, 1.049, Judged::Agrees),
            (Said::Little, 0.951, Judged::Agrees),
            (Said::Little, 0.94, Judged::Miss),
            (Said::Little, 1.06, Judged::Miss),
            (Said::Gain, 0.999, Judged::Agrees),
            (Said::Gain, 1.0, Judged::Miss),
            (Said::AboutBetter(80), 0.96, Judged::Agrees),
            (Said::AboutBetter(80), 0.80, Judged::DirectionOnly),
            (Said::AboutBetter(80), 1.003, Judged::Miss),
            (Said::AboutBetter(80), f64::NAN, Judged::Miss),
        ];
        for (said, against, judged) in cases {
            assert_eq!(of(said, against), judged, "{} {against}", said.words());
        }
    }
}
