//! Numbers for people: three digits, a unit, and the same width where they stand in a column.
//!
//! Not for JSON, where numbers are whole and in nanoseconds.

/// Nanoseconds, three digits: `850 ns`, `12.3 us`, `1.20 ms`, `3.45 s`.
pub(crate) fn time(ns: u64) -> String {
    const UNITS: [(f64, &str); 4] = [(1.0, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s")];
    if ns < 1000 {
        return format!("{ns} ns");
    }
    scaled(ns as f64, &UNITS, " ")
}

/// A number, three digits and a letter: `850`, `12.3 k`, `1.20 M`.
pub(crate) fn rate(n: f64) -> String {
    const UNITS: [(f64, &str); 4] = [(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G")];
    scaled(n, &UNITS, " ")
}

/// `n` in the largest unit in which it is at least one.
fn scaled(n: f64, units: &[(f64, &str)], space: &str) -> String {
    let size = n.abs();
    // A number that rounds up to the next unit is written in it.
    let (length, name) = units
        .iter()
        .rev()
        .find(|(length, _)| size >= length * 0.9995)
        .unwrap_or(&units[0]);
    let value = digits(n / length);
    if name.is_empty() {
        return value;
    }
    format!("{value}{space}{name}")
}

/// `x` with three digits, no decimals for whole numbers below ten that have none.
pub(crate) fn digits(x: f64) -> String {
    let size = x.abs();
    match size {
        _ if size == 0.0 => String::from("0"),
        _ if size < 9.995 => format!("{x:.2}"),
        _ if size < 99.95 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}

/// A count, its thousands apart: `1 234 567`.
pub(crate) fn count(n: u64) -> String {
    let plain = n.to_string();
    let mut apart = String::new();
    for (i, digit) in plain.chars().enumerate() {
        if i > 0 && (plain.len() - i).is_multiple_of(3) {
            apart.push(' ');
        }
        apart.push(digit);
    }
    apart
}

/// A share of a whole: `61.2 %`; `-` of nothing.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return String::from("-");
    }
    let share = part as f64 * 100.0 / whole as f64;
    match share {
        _ if part == 0 => String::from("0 %"),
        _ if share < 0.005 => String::from("<0.01 %"),
        _ => format!("{} %", digits(share)),
    }
}

/// How `b` differs from `a`: `+12.3 %`, beyond a doubling or a halving `x 3.40` or `/ 3.40`, and `-` if
/// nothing can be said.
pub(crate) fn change(a: f64, b: f64) -> String {
    if a.total_cmp(&b).is_eq() {
        return String::from("=");
    }
    if a == 0.0 || !a.is_finite() || !b.is_finite() {
        return String::from("-");
    }
    let ratio = b / a;
    if b == 0.0 {
        return String::from("-100 %");
    }
    if (0.5..=2.0).contains(&ratio) {
        let percent = (ratio - 1.0) * 100.0;
        let sign = if percent < 0.0 { '-' } else { '+' };
        return format!("{sign}{} %", digits(percent.abs()));
    }
    if ratio > 1.0 {
        format!("x {}", digits(ratio))
    } else {
        format!("/ {}", digits(1.0 / ratio))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_a_unit() {
        let cases = [
            (0, "0 ns"),
            (999, "999 ns"),
            (1_000, "1.00 us"),
            (12_340, "12.3 us"),
            (999_400, "999 us"),
            (999_960, "1.00 ms"),
            (3_450_000_000, "3.45 s"),
            (u64::MAX, "18446744074 s"),
        ];
        for (ns, text) in cases {
            assert_eq!(time(ns), text, "{ns}");
        }
    }

    #[test]
    fn counts_rates_shares_and_changes() {
        assert_eq!(count(1_234_567), "1 234 567");
        assert_eq!(count(12), "12");
        assert_eq!(rate(166_400.0), "166 k");
        assert_eq!(rate(0.0), "0");
        assert_eq!(percent(612, 1000), "61.2 %");
        assert_eq!(percent(0, 1000), "0 %");
        assert_eq!(percent(1, 1_000_000), "<0.01 %");
        assert_eq!(percent(0, 0), "-");
        assert_eq!(change(100.0, 112.3), "+12.3 %");
        assert_eq!(change(100.0, 340.0), "x 3.40");
        assert_eq!(change(100.0, 20.0), "/ 5.00");
        assert_eq!(change(100.0, 0.0), "-100 %");
        assert_eq!(change(100.0, 100.0), "=");
        assert_eq!(change(0.0, 1.0), "-");
    }
}
