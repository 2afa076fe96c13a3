//! Numbers for people: three digits, a unit, and the same width where they stand in a column.
//!
//! Not for JSON, where numbers are whole and in nanoseconds.

/// Units of time, in ns.
const TIMES: [(f64, &str); 4] = [(1.0, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s")];

/// Letters behind numbers.
const LETTERS: [(f64, &str); 4] = [(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G")];

/// Nanoseconds, three digits: `850 ns`, `12.3 us`, `1.20 ms`, `3.45 s`.
pub(crate) fn time(ns: u64) -> String {
    if ns < 1000 {
        return format!("{ns} ns");
    }
    scaled(ns as f64, &TIMES, " ")
}

/// A number, three digits and a letter: `850`, `12.3 k`, `1.20 M`.
pub(crate) fn rate(n: f64) -> String {
    scaled(n, &LETTERS, " ")
}

/// Two times in one unit, as they stand beside each other: `0.085 s`, `1.200 s`.
pub(crate) fn times(ns: [f64; 2]) -> [String; 2] {
    alike(ns, &TIMES)
}

/// Two numbers with the same letter: `0.95 M`, `1.20 M`.
pub(crate) fn rates(n: [f64; 2]) -> [String; 2] {
    alike(n, &LETTERS)
}

/// Both in the unit of the larger one, with as many decimals as give the smaller one three digits; three decimals at
/// most, so that of two that are far apart the smaller one picks the unit.
fn alike(pair: [f64; 2], units: &[(f64, &str)]) -> [String; 2] {
    const DECIMALS: i32 = 3;
    let (small, large) = (pair[0].min(pair[1]), pair[0].max(pair[1]));
    let small = if small > 0.0 { small } else { large };
    let fits = |length: f64| small >= length * 0.01;
    let unit = units.iter().rev();
    let unit = unit
        .filter(|(length, _)| large >= length * 0.9995)
        .find(|(length, _)| fits(*length));
    let (length, name) = unit.unwrap_or(&units[0]);
    let whole = |n: f64| (n / length).fract().total_cmp(&0.0).is_eq();
    let decimals = if whole(small) && whole(large) {
        0
    } else {
        let digits_before = (small / length).log10().floor() as i32 + 1;
        (3 - digits_before).clamp(0, DECIMALS)
    };
    pair.map(|n| {
        let value = format!("{:.*}", decimals as usize, n / length);
        [value.as_str(), name].join(" ").trim_end().to_string()
    })
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
    fn what_stands_side_by_side_has_one_unit() {
        let cases = [
            ([85e6, 1.2e9], ["0.085 s", "1.200 s"]),
            ([9.69e9, 10.97e9], ["9.69 s", "10.97 s"]),
            ([11e3, 2.34e6], ["0.011 ms", "2.340 ms"]),
            // Far apart: what is small is still to be read.
            ([50.0, 2.34e6], ["0.050 us", "2340.000 us"]),
            ([0.0, 2.34e6], ["0.00 ms", "2.34 ms"]),
            ([0.0, 40.0], ["0 ns", "40 ns"]),
            ([0.0, 0.0], ["0 ns", "0 ns"]),
            ([2e6, 30e6], ["2 ms", "30 ms"]),
            ([999.0, 1_001.0], ["0.999 us", "1.001 us"]),
        ];
        for (ns, text) in cases {
            assert_eq!(times(ns), text.map(String::from), "{ns:?}");
        }
        let text = ["0.950 M", "1.200 M"].map(String::from);
        assert_eq!(rates([950e3, 1.2e6]), text);
        assert_eq!(rates([12.0, 950.0]), ["12", "950"].map(String::from));
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
