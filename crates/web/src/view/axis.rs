//! Where the ticks of an axis are and what stands beside them: round numbers, never two on top of each other.
//!
//! Values become pixels elsewhere; an axis only chooses values and words them.

use super::fonts::FontMetrics;
use super::time_scale::TimeScale;
use crate::format;
use crate::number::{fixed, log10, pow, within};

/// A value on an axis and the text beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The value.
    pub value: f64,
    /// Its text; empty for a tick without one.
    pub text: String,
}

/// Round steps: the smallest of 1, 2, 5 × 10ⁿ that is at least `least`.
pub fn round_step(least: f64) -> f64 {
    let unit = pow(10.0, log10(least.max(f64::MIN_POSITIVE)).floor());
    // A hair below, so that 0.2 is not missed for the sake of its last bit.
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * unit);
    let found = steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9));
    found.unwrap_or(10.0 * unit)
}

/// Linear ticks from 0 to a round number at or above `max`, at most `count` steps. The last one is the end of the axis.
pub fn from_zero(max: f64, count: usize) -> Vec<Tick> {
    let max = if max.is_finite() && max > 0.0 {
        max
    } else {
        1.0
    };
    let step = round_step(max / count.max(1) as f64);
    let steps = (max / step - 1e-9).ceil().max(1.0) as usize;
    let decimals = decimals(step);
    (0..=steps)
        .map(|i| {
            let value = i as f64 * step;
            let places = if i == 0 { 0 } else { decimals };
            Tick {
                value,
                text: fixed(value, places),
            }
        })
        .collect()
}

/// Digits after the point that tell multiples of `step` apart.
fn decimals(step: f64) -> usize {
    within(-log10(step).floor(), 0.0, 9.0) as usize
}

/// Decades of times that hold `low` … `high` ns, at most `count` of them with a text.
pub fn decades_ns(low: f64, high: f64, count: usize) -> Vec<Tick> {
    let positive = |value: f64| value.is_finite() && value > 0.0;
    let (low, high) = match (positive(low), positive(high)) {
        (true, true) => (low, high.max(low)),
        _ => (1e3, 1e6),
    };
    let first = (log10(low) + 1e-9).floor() as i32;
    let last = ((log10(high) - 1e-9).ceil() as i32).max(first + 1);
    let every = ((last - first) as usize + 1).div_ceil(count.max(2)) as i32;
    (first..=last)
        .map(|exponent| {
            let value = 10f64.powi(exponent);
            let worded = (exponent - first) % every == 0;
            let text = if worded {
                format::exact_span(value as i64).text()
            } else {
                String::new()
            };
            Tick { value, text }
        })
        .collect()
}

/// Ticks of a time axis, and what their texts count from.
#[derive(Clone, Debug, PartialEq)]
pub struct TimeTicks {
    /// Ticks; the values are ns since the start of the run.
    pub ticks: Vec<Tick>,
    /// If set, the texts are distances from this time, which is to be written beside the axis.
    pub base: Option<String>,
}

/// The longest text of a tick that is not counted from a base.
const LONGEST: usize = 9;

/// Ticks of a time axis whose texts keep `gap` px apart.
pub fn time_ticks(scale: &TimeScale, font: &FontMetrics, gap: f64) -> TimeTicks {
    let window = scale.window();
    let (left, right) = scale.range_px();
    let mut room = font.width("100 ms") + gap;
    loop {
        let step = round_step((scale.ns_per_px() * room).max(1.0)) as u64;
        let first = window.from_ns.div_ceil(step) * step;
        let texts = words(first, window.to_ns, step);
        let widest = texts
            .ticks
            .iter()
            .map(|tick| font.width(&tick.text))
            .fold(0.0, f64::max);
        if widest + gap <= room || room > right - left {
            return texts;
        }
        room = widest + gap;
    }
}

/// The multiples of `step` from `first` to `last`, in words.
fn words(first: u64, last: u64, step: u64) -> TimeTicks {
    // Not by steps of an iterator, which in the page are no longer than 4.29 s.
    let count = last.checked_sub(first).map_or(0, |span| span / step + 1);
    let values = || (0..count).map(|i| first + i * step);
    let absolute = |ns: u64| in_unit(ns, last, step);
    if absolute(last).chars().count() <= LONGEST {
        let tick = |ns| Tick {
            value: ns as f64,
            text: absolute(ns),
        };
        return TimeTicks {
            ticks: values().map(tick).collect(),
            base: None,
        };
    }
    let relative = |ns: u64| format!("+{}", in_unit(ns - first, last - first, step));
    let tick = |ns| Tick {
        value: ns as f64,
        text: relative(ns),
    };
    TimeTicks {
        ticks: values().map(tick).collect(),
        base: Some(format::exact_span(first as i64).text()),
    }
}

/// A time in the unit that suits `last`, with as many decimals as multiples of `step` need.
fn in_unit(ns: u64, last: u64, step: u64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    let fits = |(size, _): &(f64, &str)| last as f64 >= *size;
    let (size, unit) = units.into_iter().find(fits).unwrap_or((1.0, "ns"));
    if ns == 0 {
        return format!("0\u{202f}{unit}");
    }
    let places = decimals(step as f64 / size);
    format!("{}\u{202f}{unit}", fixed(ns as f64 / size, places))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::view::Window;

    fn texts(ticks: &[Tick]) -> Vec<String> {
        let plain = |tick: &Tick| tick.text.replace('\u{202f}', " ");
        ticks.iter().map(plain).collect()
    }

    #[test]
    fn linear_ticks_are_round_and_reach_the_top() {
        assert_eq!(
            texts(&from_zero(1.84, 4)),
            ["0", "0.5", "1.0", "1.5", "2.0"]
        );
        assert_eq!(texts(&from_zero(2.0, 4)), ["0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(texts(&from_zero(100.0, 4)), ["0", "50", "100"]);
        assert_eq!(texts(&from_zero(0.03, 3)), ["0", "0.01", "0.02", "0.03"]);
        for max in [1e-9, 0.7, 3.3, 17.0, 250_000.0, 1e15] {
            let ticks = from_zero(max, 5);
            assert!((2..=7).contains(&ticks.len()), "{max}: {ticks:?}");
            assert!(
                ticks
                    .last()
                    .is_some_and(|tick| tick.value >= max * (1.0 - 1e-9))
            );
        }
    }

    #[test]
    fn nothing_to_show_is_still_an_axis() {
        for max in [0.0, -3.0, f64::NAN, f64::INFINITY] {
            assert_eq!(texts(&from_zero(max, 2)), ["0", "0.5", "1.0"]);
        }
        assert_eq!(decades_ns(f64::NAN, 0.0, 4).len(), 4);
    }

    #[test]
    fn decades_hold_the_range() {
        assert_eq!(
            texts(&decades_ns(2e3, 5e6, 9)),
            ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms"]
        );
        assert_eq!(texts(&decades_ns(1e3, 1e6, 2)), ["1 µs", "", "100 µs", ""]);
        assert_eq!(texts(&decades_ns(1e9, 1e9, 9)), ["1 s", "10 s"]);
        assert_eq!(texts(&decades_ns(1e9, 2e9, 9)), ["1 s", "10 s"]);
    }

    #[test]
    fn time_ticks_are_multiples_of_a_round_step_and_never_touch() {
        let font = FontMetrics::wide_sans(11.0);
        let windows = [
            (0, 1_000_000_000),
            (0, 200),
            (12_400_000, 12_520_000),
            (12_463_100, 12_463_300),
            (86_400_000_000_000, 86_400_000_001_000),
            (7, 80_000_000_000),
        ];
        for (from, to) in windows {
            for width in [90.0, 300.0, 1300.0, 4000.0] {
                let scale = TimeScale::new(Window::new(from, to), 40.0, 40.0 + width);
                let TimeTicks { ticks, .. } = time_ticks(&scale, &font, 12.0);
                for pair in ticks.windows(2) {
                    let [a, b] = pair else { continue };
                    let apart = scale.px(b.value as u64) - scale.px(a.value as u64);
                    let half = |tick: &Tick| font.width(&tick.text) / 2.0;
                    assert!(
                        half(a) + half(b) < apart,
                        "{from} … {to} on {width}: {a:?} {b:?}"
                    );
                }
                assert!(
                    ticks.len() < 60 && (width < 300.0 || ticks.len() >= 2),
                    "{ticks:?}"
                );
            }
        }
    }

    #[test]
    fn deep_zoom_counts_from_a_base() {
        let scale = TimeScale::new(Window::new(1_012_463_100, 1_012_463_900), 0.0, 800.0);
        let ticks = time_ticks(&scale, &FontMetrics::wide_sans(11.0), 12.0);
        assert_eq!(ticks.base.as_deref(), Some("1.0124631\u{202f}s"));
        assert_eq!(texts(&ticks.ticks)[..3], ["+0 ns", "+100 ns", "+200 ns"]);
        let shallow = TimeScale::new(Window::new(12_400_000, 12_520_000), 0.0, 800.0);
        let ticks = time_ticks(&shallow, &FontMetrics::wide_sans(11.0), 12.0);
        assert_eq!(ticks.base, None);
        assert_eq!(texts(&ticks.ticks)[0], "12.40 ms");
    }
}

/// Where a `usize` has 32 bits, a time of more than 4.29 s in it has lost its head.
#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests {
    use super::words;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn steps_of_ten_seconds_are_steps_of_ten_seconds() {
        let ticks = words(0, 60_000_000_000, 10_000_000_000).ticks;
        let texts: Vec<&str> = ticks.iter().map(|tick| tick.text.as_str()).collect();
        assert_eq!(
            texts,
            [0, 10, 20, 30, 40, 50, 60].map(|s| format!("{s}\u{202f}s"))
        );
    }
}
