//! Values in the language: names, counts, times, sizes, shares. Each says what it wants when it gets something else.

use super::{MAX_COUNT, MAX_NAME};
use crate::time::Nanos;
use crate::words::number::{self, Read};
use alloc::format;
use alloc::string::{String, ToString};

/// No time in a text is longer: an hour, as in links.
const LONGEST: Nanos = Nanos::from_secs(3600);

/// The largest working set, KiB, as in the catalog.
const MAX_WS_KB: u64 = 65_536;

/// What a value became, or what it should have been.
pub(super) type Value<T> = Result<T, String>;

/// A name: a letter, then letters, digits, `_` and `-`.
pub(super) fn name(text: &str) -> Value<String> {
    let mut chars = text.chars();
    let starts = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    let goes_on = chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if text.len() > MAX_NAME {
        return Err(format!(
            "is too long for a name: at most {MAX_NAME} letters"
        ));
    }
    if starts && goes_on {
        return Ok(text.to_string());
    }
    Err(String::from(
        "is no name: a letter, then letters, digits, _ and -",
    ))
}

/// A whole number within a range.
pub(super) fn whole(text: &str, low: i64, high: i64, what: &str) -> Value<i64> {
    match number::integer(text) {
        Read::Exact(n) if (i128::from(low)..=i128::from(high)).contains(&n) => Ok(n as i64),
        Read::Exact(_) | Read::Cut(_) => Err(format!("is not within {low} \u{2026} {high}")),
        Read::Nonsense => Err(format!("is not {what}")),
    }
}

/// How many there are of something.
pub(super) fn count(text: &str) -> Value<u32> {
    whole(text, 1, MAX_COUNT.into(), "a count such as 4").map(|n| n as u32)
}

/// A time with its unit, at most an hour.
pub(super) fn time(text: &str) -> Value<Nanos> {
    const WANTED: &str = "is not a time such as 8ms, 750us or 1.5s";
    let bare = text.bytes().all(|b| b.is_ascii_digit());
    match number::nanos(text) {
        Read::Exact(n) if bare && n != 0 => Err(format!("{WANTED}: the unit is missing")),
        Read::Exact(n) if (0..=i128::from(LONGEST.0)).contains(&n) => Ok(Nanos(n as u64)),
        Read::Exact(_) => Err(format!("is not within 0 \u{2026} {LONGEST}")),
        Read::Cut(_) => Err(String::from("is finer than a nanosecond")),
        Read::Nonsense => Err(WANTED.to_string()),
    }
}

/// Bytes: a number, or one with `B`, `KiB` or `MiB`.
pub(super) fn bytes(text: &str, low: u64, high: u64) -> Value<u64> {
    let units = [("KiB", 10), ("MiB", 20), ("B", 0)];
    let split = units
        .iter()
        .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)));
    let (digits, shift) = split.unwrap_or((text, 0));
    match number::integer(digits) {
        Read::Exact(n) if (i128::from(low)..=i128::from(high)).contains(&(n << shift)) => {
            Ok((n << shift) as u64)
        }
        Read::Exact(_) => Err(format!(
            "is not within {} \u{2026} {}",
            bytes_text(low),
            bytes_text(high)
        )),
        _ => Err(String::from("is not a size such as 100B or 64KiB")),
    }
}

/// A working set, whole KiB.
pub(super) fn ws_kb(text: &str) -> Value<u32> {
    let bytes = bytes(text, 0, MAX_WS_KB << 10)?;
    match bytes % 1024 {
        0 => Ok((bytes >> 10) as u32),
        _ => Err(String::from("is not whole KiB, such as 64KiB")),
    }
}

/// A share in thousandths: `30%`, `12.5%`, `0.3`.
pub(super) fn per_mille(text: &str) -> Value<u16> {
    const WANTED: &str = "is not a share such as 30% or 0.3";
    let (digits, places) = match text.strip_suffix('%') {
        Some(percent) => (percent, 1),
        None => (text, 3),
    };
    match decimal(digits, places) {
        Some(n @ 0..=1000) => Ok(n as u16),
        Some(_) => Err(String::from("is not within 0% \u{2026} 100%")),
        None => Err(WANTED.to_string()),
    }
}

/// A number such as 0.5, times 1000.
pub(super) fn milli(text: &str, high: u64) -> Value<u32> {
    match decimal(text, 3) {
        Some(n) if n <= high => Ok(n as u32),
        Some(_) => Err(format!(
            "is not within 0 \u{2026} {}",
            decimal_text(high, 3)
        )),
        None => Err(String::from(
            "is not a number such as 0.5, with at most three places",
        )),
    }
}

/// A number without a sign, with at most so many places, times ten for each place.
fn decimal(text: &str, places: usize) -> Option<u64> {
    const DIGITS: usize = 9;
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits =
        |t: &str| !t.is_empty() && t.len() <= DIGITS && t.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > places {
        return None;
    }
    let scale = 10_u64.pow(places as u32 - fraction.len() as u32);
    let unit = 10_u64.pow(places as u32);
    Some(whole.parse::<u64>().ok()? * unit + fraction.parse::<u64>().ok()? * scale)
}

/// `n` divided by ten for each place.
pub(super) fn decimal_text(n: u64, places: usize) -> String {
    let unit = 10_u64.pow(places as u32);
    let text = format!("{}.{:0places$}", n / unit, n % unit);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Bytes, with the largest unit that shows them exactly.
pub(super) fn bytes_text(bytes: u64) -> String {
    match bytes {
        0 => String::from("0B"),
        n if n % (1 << 20) == 0 => format!("{}MiB", n >> 20),
        n if n % (1 << 10) == 0 => format!("{}KiB", n >> 10),
        n => format!("{n}B"),
    }
}
