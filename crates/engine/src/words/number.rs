//! Numbers as people write them: `250ns`, `750us`, `1.5s`, `8 ms`, `1_000_000`, `-1`.
//!
//! Total and exact: no float is involved, and what does not fit says so instead of wrapping.

/// What text turned out to be, read as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Read {
    /// Exactly this number.
    Exact(i128),
    /// A time with more digits than there are nanoseconds, cut to this.
    Cut(i128),
    /// No number.
    Nonsense,
}

/// The units of time and their length in nanoseconds; both micro signs of Unicode are units.
const UNITS: [(&str, u64); 6] = [
    ("ns", 1),
    ("us", 1_000),
    ("\u{b5}s", 1_000),
    ("\u{3bc}s", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
];

/// More digits than this are cut off at the door: every number that means something is shorter.
const DIGITS: usize = 30;

/// `text` as a whole number.
pub fn integer(text: &str) -> Read {
    let (negative, rest) = sign(text);
    match decimal(rest) {
        Some((whole, "")) => Read::Exact(signed(negative, whole)),
        _ => Read::Nonsense,
    }
}

/// `text` as nanoseconds; a bare number is nanoseconds.
pub fn nanos(text: &str) -> Read {
    let (negative, rest) = sign(text);
    let digits = rest.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit_name = rest.get(digits.len()..).unwrap_or("");
    let Some(unit) = unit(unit_name) else {
        return Read::Nonsense;
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let (Some((whole, "")), Some((part, places, ""))) = (decimal(whole), fraction_of(fraction))
    else {
        return Read::Nonsense;
    };
    let scale = 10_i128.pow(places);
    let total = whole.saturating_mul(i128::from(unit)) + part * i128::from(unit) / scale;
    let exact = part * i128::from(unit) % scale == 0;
    if exact {
        Read::Exact(signed(negative, total))
    } else {
        Read::Cut(signed(negative, total))
    }
}

fn unit(name: &str) -> Option<u64> {
    let blank = |c: char| c.is_whitespace() || c == '+';
    match name.trim_matches(blank) {
        "" => Some(1),
        name => UNITS
            .iter()
            .find(|(unit, _)| unit.eq_ignore_ascii_case(name))
            .map(|(_, length)| *length),
    }
}

fn sign(text: &str) -> (bool, &str) {
    for minus in ["-", "\u{2212}"] {
        if let Some(rest) = text.strip_prefix(minus) {
            return (true, rest);
        }
    }
    (false, text)
}

const fn signed(negative: bool, value: i128) -> i128 {
    if negative { -value } else { value }
}

/// The number that `text` starts with, underscores allowed between its digits, and the rest.
fn decimal(text: &str) -> Option<(i128, &str)> {
    let end = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
    let digits = text.strip_suffix(end)?;
    let count = digits.bytes().filter(u8::is_ascii_digit).count();
    if count == 0 || digits.starts_with('_') {
        return None;
    }
    let value = digits
        .bytes()
        .filter(u8::is_ascii_digit)
        .fold(0_i128, |n, d| {
            n.saturating_mul(10).saturating_add(i128::from(d - b'0'))
        });
    Some((value.min(10_i128.pow(DIGITS as u32)), end))
}

/// The digits after a decimal point, how many there are, and the rest; digits beyond the first 18 are
/// smaller than anything and are left out, but keep the number from being exact unless they are zeros.
fn fraction_of(text: &str) -> Option<(i128, u32, &str)> {
    const PLACES: usize = 18;
    let end = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.strip_suffix(end)?.trim_end_matches('0');
    let mut kept: i128 = digits
        .bytes()
        .take(PLACES)
        .fold(0, |n, d| n * 10 + i128::from(d - b'0'));
    if digits.len() > PLACES {
        kept = kept * 10 + 1;
        return Some((kept, PLACES as u32 + 1, end));
    }
    Some((kept, digits.len() as u32, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Nanos;
    use alloc::string::ToString;

    #[test]
    fn times_are_read_in_every_unit() {
        let cases = [
            ("3ms", 3_000_000),
            ("750us", 750_000),
            ("750\u{b5}s", 750_000),
            ("750\u{3bc}s", 750_000),
            ("1.5s", 1_500_000_000),
            ("250ns", 250),
            ("250", 250),
            ("8 ms", 8_000_000),
            ("8+ms", 8_000_000),
            ("8MS", 8_000_000),
            ("1_000us", 1_000_000),
            ("-1", -1),
            ("\u{2212}1", -1),
            ("1.250000001s", 1_250_000_001),
            ("0", 0),
            ("1.50", 1),
        ];
        for (text, ns) in cases {
            let read = nanos(text);
            assert!(
                read == Read::Exact(ns) || (text == "1.50" && read == Read::Cut(1)),
                "{text}: {read:?}"
            );
        }
    }

    #[test]
    fn what_is_no_time_is_nonsense_and_what_is_too_fine_is_cut() {
        for text in [
            "", "ms", "3m", "1.2.3s", "1e6", "--1", "0x10", "s3", ".", "_", "3ms4", "\u{fffd}",
        ] {
            assert_eq!(nanos(text), Read::Nonsense, "{text}");
        }
        assert_eq!(nanos("1.5ns"), Read::Cut(1));
        assert_eq!(nanos("0.0000000000000000000000001s"), Read::Cut(0));
        assert_eq!(
            nanos("1.000000000000000000000000000s"),
            Read::Exact(1_000_000_000)
        );
    }

    #[test]
    fn numbers_of_any_length_are_read() {
        let nines = "9".repeat(60_000);
        assert!(matches!(integer(&nines), Read::Exact(n) if n > i128::from(u64::MAX)));
        assert!(matches!(nanos(&nines), Read::Exact(n) if n > i128::from(u64::MAX)));
        assert_eq!(integer("12x"), Read::Nonsense);
        assert_eq!(integer("1_000"), Read::Exact(1000));
        assert_eq!(integer("-20"), Read::Exact(-20));
    }

    #[test]
    fn what_nanos_print_is_read_back() {
        let mut n = 1_u64;
        for step in 1..60 {
            n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(step) >> (step % 40);
            let text = Nanos(n).to_string();
            assert_eq!(nanos(&text), Read::Exact(i128::from(n)), "{text}");
        }
    }
}
