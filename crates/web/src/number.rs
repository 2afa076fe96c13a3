//! What Rust does with floats, in less code: it can write any float exactly, which weighs 16 kB, and `f64::clamp` can
//! say with which floats it was called wrongly. Powers and logarithms are asked of the browser, which has them.

/// `value` with `places` digits after the point, of which it has less than 2^64 units.
pub fn fixed(value: f64, places: usize) -> String {
    let scale = 10_u64.pow(places.min(15) as u32);
    let units = (value.abs() * scale as f64).round_ties_even() as u64;
    let sign = if value < 0.0 && units > 0 { "-" } else { "" };
    let (whole, rest) = (units / scale, units % scale);
    if places == 0 {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{rest:0places$}")
    }
}

/// `base` to the power of `exponent`.
pub fn pow(base: f64, exponent: f64) -> f64 {
    #[cfg(target_arch = "wasm32")]
    return js_sys::Math::pow(base, exponent);
    #[cfg(not(target_arch = "wasm32"))]
    base.powf(exponent)
}

/// The logarithm to the base of 10.
pub fn log10(value: f64) -> f64 {
    #[cfg(target_arch = "wasm32")]
    return js_sys::Math::log10(value);
    #[cfg(not(target_arch = "wasm32"))]
    value.log10()
}

/// A length for a screen: two digits after the point are enough, and zeros at the end are left out.
pub fn px(value: f64) -> String {
    let text = fixed(value, 2);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// `value`, or the end of the range that it is beyond. What is no number stays so.
pub fn within(value: f64, low: f64, high: f64) -> f64 {
    if value < low {
        low
    } else if value > high {
        high
    } else {
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_places_are_those_that_rust_writes() {
        for places in [0, 1, 2, 3, 9] {
            for n in -3_000..3_000 {
                let value = f64::from(n) * 0.037;
                let last = value.abs() * 10_f64.powi(places);
                if (last.fract() - 0.5).abs() < 1e-6 {
                    // In the middle between two: either is as near.
                    continue;
                }
                let places = places as usize;
                let (ours, theirs) = (fixed(value, places), format!("{value:.places$}"));
                let unsigned = theirs.trim_start_matches('-');
                let zero = unsigned.chars().all(|c| matches!(c, '0' | '.'));
                let expected = if zero { unsigned } else { &theirs };
                assert_eq!(ours, expected, "{value} {places}");
            }
        }
        let ties = [0.5, 1.5, 2.5].map(|value| fixed(value, 0));
        assert_eq!(ties, ["0", "2", "2"]);
    }

    #[test]
    fn lengths_are_short() {
        let lengths = [0.0, 100.0, 12.5, 0.004, -0.004, -3.21];
        assert_eq!(lengths.map(px), ["0", "100", "12.5", "0", "0", "-3.21"]);
    }

    #[test]
    fn what_is_beyond_an_end_is_that_end() {
        let values = [-1.0, 2.5, 9.0, f64::INFINITY];
        let expected = [2.0, 2.5, 3.0, 3.0];
        for (value, expected) in values.into_iter().zip(expected) {
            assert!((within(value, 2.0, 3.0) - expected).abs() < f64::EPSILON);
        }
        assert!(within(f64::NAN, 2.0, 3.0).is_nan());
    }
}
