//! Numbers as a person reads them: three significant digits, a unit, a true minus sign.
//!
//! Not here: any wording (that is [`crate::text`]) and any pixel. Everything is pure and total: whatever the
//! number, something readable comes out.

use crate::number::{fixed, log10};

/// A narrow no-break space, between a number and its unit and between groups of digits.
const GAP: char = '\u{202f}';

/// The minus sign, which is as wide as the plus sign.
const MINUS: char = '\u{2212}';

/// What stands where there is no number.
pub const NOTHING: &str = "–";

/// A number and the unit it is given in, apart, because a tile sets them in different sizes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quantity {
    /// The digits.
    pub number: String,
    /// The unit, with its prefix; empty for a plain count.
    pub unit: String,
}

impl Quantity {
    /// Where there is no number there is nothing to measure either.
    fn new(number: String, unit: &str) -> Self {
        let unit = if number == NOTHING { "" } else { unit };
        Self {
            number,
            unit: unit.to_string(),
        }
    }

    /// Number and unit in one string.
    pub fn text(&self) -> String {
        if self.unit.is_empty() {
            self.number.clone()
        } else {
            format!("{}{GAP}{}", self.number, self.unit)
        }
    }
}

/// `value` with three significant digits and no exponent: `0.0123`, `1.84`, `212`, `18 400`.
pub fn digits(value: f64) -> String {
    significant(value, 3)
}

/// `value` with `count` significant digits; zeros at the end of the fraction stay, so that columns line up.
pub fn significant(value: f64, count: i32) -> String {
    if !value.is_finite() {
        return NOTHING.to_string();
    }
    if value == 0.0 {
        return "0".to_string();
    }
    let places = (count - 1 - magnitude(value.abs(), count)).clamp(0, 12) as usize;
    signed(value, &fixed(value.abs(), places))
}

/// A whole number with all its digits.
pub fn whole(value: f64) -> String {
    if value.is_finite() {
        signed(value, &fixed(value.abs(), 0))
    } else {
        NOTHING.to_string()
    }
}

/// A span of time given in nanoseconds, three digits: `250 ns`, `12.5 µs`, `3.00 ms`.
pub fn span(ns: f64) -> Quantity {
    let (size, unit) = step(ns, &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")]);
    if size <= 1.0 {
        return Quantity::new(whole(ns), unit);
    }
    Quantity::new(digits(ns / size), unit)
}

/// A span or a point of time given in nanoseconds, exact: `12.4631 ms`, `1.25 s`.
pub fn exact_span(ns: i64) -> Quantity {
    let (size, unit) = step(
        ns as f64,
        &[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")],
    );
    let text = fixed(ns.unsigned_abs() as f64 / size, 9);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    Quantity::new(signed(ns as f64, text), unit)
}

/// Signed distances of one column, all of them exact and with the same unit and as many digits, so that they are
/// compared at a glance: `+2.7488 ms`, `−1.2500 ms`.
pub fn distances(ns: &[i64]) -> Vec<String> {
    let largest = ns.iter().map(|ns| ns.unsigned_abs()).max().unwrap_or(0);
    let steps = [
        (1e9, "s", 9),
        (1e6, "ms", 6),
        (1e3, "µs", 3),
        (1.0, "ns", 0),
    ];
    let fits = |(size, ..): &&(f64, &str, usize)| largest as f64 >= *size;
    let &(size, unit, most) = steps.iter().find(fits).unwrap_or(&steps[3]);
    let needed = |ns: &i64| {
        let text = fixed(ns.unsigned_abs() as f64 / size, most);
        let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
        fraction.trim_end_matches('0').len()
    };
    let places = ns.iter().map(needed).max().unwrap_or(0);
    let worded = |ns: &i64| {
        let text = signed(*ns as f64, &fixed(ns.unsigned_abs() as f64 / size, places));
        let plus = if *ns > 0 { "+" } else { "" };
        format!("{plus}{text}{GAP}{unit}")
    };
    ns.iter().map(worded).collect()
}

/// Something counted or counted per second, three digits, with the prefixes of a thousand: `212 k/s`, `1.84 M`.
pub fn count(value: f64, unit: &str) -> Quantity {
    let (size, prefix) = step(value, &[(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, "")]);
    let number = if size <= 1.0 && value.fract() == 0.0 {
        whole(value)
    } else {
        digits(value / size)
    };
    let word = unit.starts_with(is_letter) && !prefix.is_empty();
    let gap = if word { GAP.to_string() } else { String::new() };
    Quantity::new(number, &format!("{prefix}{gap}{unit}"))
}

/// Is that a letter, and no sign like `/` or `%`? Beyond ASCII a unit has only letters.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || !c.is_ascii()
}

/// A share of one as percent; all of it is only what lacks nothing.
pub fn percent(share: f64) -> Quantity {
    let percent = share * 100.0;
    let shown = if share < 1.0 {
        percent.min(99.9)
    } else {
        percent
    };
    Quantity::new(digits(shown), "%")
}

/// How far `b` is from `a`, with its sign: `−39.1 %`, `×12.3` where a percentage would be hard to read, or nothing
/// where there is no base to compare with.
pub fn change(a: f64, b: f64) -> Option<String> {
    let same = || format!("±0{GAP}%");
    if a.abs().max(b.abs()) == 0.0 {
        return Some(same());
    }
    let ratio = b / a;
    if !ratio.is_finite() || ratio <= 0.0 {
        return None;
    }
    if ratio >= 10.0 {
        return Some(format!("×{}", digits(ratio)));
    }
    let percent = (ratio - 1.0) * 100.0;
    if percent.abs() < 0.05 {
        return Some(same());
    }
    let text = if percent.abs() < 10.0 {
        fixed(percent.abs(), 1)
    } else {
        digits(percent.abs())
    };
    let sign = if percent < 0.0 { MINUS } else { '+' };
    Some(format!("{sign}{text}{GAP}%"))
}

/// The largest of `steps` that leaves at least 1 before the point, after rounding to three digits.
fn step(value: f64, steps: &[(f64, &'static str)]) -> (f64, &'static str) {
    let fits = |(size, _): &&(f64, &str)| (value.abs() / size * 1000.0).round() >= 1000.0;
    let smallest = steps.last().copied().unwrap_or((1.0, ""));
    steps.iter().find(fits).copied().unwrap_or(smallest)
}

/// The power of ten of the first digit of a positive number, after rounding to `count` digits: 9.996 is 10.0.
fn magnitude(value: f64, count: i32) -> i32 {
    let floor = log10(value).floor() as i32;
    let unit = 10f64.powi(floor - count + 1);
    let carried = (value / unit).round() >= 10f64.powi(count);
    floor + i32::from(carried)
}

/// The sign of `value` and the digits of `text`, the whole part in groups of three from ten thousand on.
fn signed(value: f64, text: &str) -> String {
    let (whole, fraction) = text
        .split_once('.')
        .map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let mut out = String::with_capacity(text.len() + 6);
    let zero = text.chars().all(|c| matches!(c, '0' | '.'));
    if value < 0.0 && !zero {
        out.push(MINUS);
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && whole.len() > 4 && (whole.len() - i).is_multiple_of(3) {
            out.push(GAP);
        }
        out.push(digit);
    }
    if let Some(fraction) = fraction {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spaces as typed in the expectations stand for the narrow ones of the page.
    fn plain(text: &str) -> String {
        text.replace(GAP, " ").replace(MINUS, "-")
    }

    #[test]
    fn three_digits_whatever_the_size() {
        let cases = [
            (0.0, "0"),
            (0.001_234, "0.00123"),
            (1.0, "1.00"),
            (1.8449, "1.84"),
            (9.996, "10.0"),
            (212.3, "212"),
            (999.6, "1000"),
            (18_400.0, "18 400"),
            (1_234_567.0, "1 234 567"),
            (-0.5, "-0.500"),
            (f64::NAN, "–"),
            (f64::INFINITY, "–"),
        ];
        for (value, text) in cases {
            assert_eq!(plain(&digits(value)), text, "{value}");
        }
    }

    #[test]
    fn spans_choose_their_unit() {
        let cases = [
            (0.0, "0 ns"),
            (250.0, "250 ns"),
            (12_500.0, "12.5 µs"),
            (999_999.9, "1.00 ms"),
            (3e6, "3.00 ms"),
            (1.25e9, "1.25 s"),
            (-4.2e3, "-4.20 µs"),
        ];
        for (ns, text) in cases {
            assert_eq!(plain(&span(ns).text()), text, "{ns}");
        }
    }

    #[test]
    fn exact_spans_lose_nothing() {
        let cases = [
            (0, "0 ns"),
            (12_463_100, "12.4631 ms"),
            (1_000_000_001, "1.000000001 s"),
            (-25_000_000, "-25 ms"),
            (i64::MIN, "-9 223 372 036.854776382 s"),
        ];
        for (ns, text) in cases {
            let shown = plain(&exact_span(ns).text());
            if ns > -1_000_000_000_000 {
                assert_eq!(shown, text, "{ns}");
            } else {
                assert!(shown.starts_with("-9 223 372 036.85"), "{shown}");
            }
        }
    }

    #[test]
    fn a_column_of_distances_has_one_unit_and_as_many_digits() {
        let column = |ns: &[i64]| distances(ns).join(" | ").replace(GAP, " ");
        assert_eq!(
            column(&[2_748_800, -1_250_000, 0]),
            "+2.7488 ms | \u{2212}1.2500 ms | 0.0000 ms"
        );
        assert_eq!(column(&[-266, 534]), "\u{2212}266 ns | +534 ns");
        assert_eq!(column(&[]), "");
    }

    #[test]
    fn counts_get_prefixes_and_shares_get_percent() {
        assert_eq!(plain(&count(1_840_000.0, "/s").text()), "1.84 M/s");
        assert_eq!(plain(&count(2e6, "msg/s").text()), "2.00 M msg/s");
        assert_eq!(plain(&count(20.0, "msg/s").text()), "20 msg/s");
        assert_eq!(plain(&count(17.0, "").text()), "17");
        assert_eq!(plain(&count(0.0, "/s").text()), "0 /s");
        assert_eq!(plain(&count(999_960.0, "/s").text()), "1.00 M/s");
        assert_eq!(plain(&percent(0.0062).text()), "0.620 %");
        assert_eq!(plain(&percent(0.9998).text()), "99.9 %");
        assert_eq!(plain(&percent(1.0).text()), "100 %");
        assert_eq!(plain(&percent(f64::NAN).text()), "–");
    }

    #[test]
    fn a_change_has_a_sign_and_a_base() {
        let cases = [
            (1.84, 1.12, Some("-39.1 %")),
            (100.0, 105.0, Some("+5.0 %")),
            (5.0, 5.0, Some("±0 %")),
            (1.0, 30.0, Some("×30.0")),
            (0.0, 0.0, Some("±0 %")),
            (0.0, 1.0, None),
            (f64::NAN, 1.0, None),
        ];
        for (a, b, text) in cases {
            assert_eq!(
                change(a, b).as_deref().map(plain).as_deref(),
                text,
                "{a} {b}"
            );
        }
    }
}
