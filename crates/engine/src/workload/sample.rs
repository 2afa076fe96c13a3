//! Drawing from distributions, in integers, so that every host draws the same.
//!
//! Not here: who draws when. A draw uses up as many numbers of the task's stream as it says.

use super::program::Dist;
use crate::rng::Stream;
use crate::time::Nanos;

/// One, as a 32-bit fixed-point number.
const ONE: i64 = 1 << 32;

/// ln 2 × 2³².
const LN_2: u64 = 2_977_044_472;

/// No drawn span is longer: an hour.
const LONGEST: u64 = 3_600_000_000_000;

/// A span from `dist`, and how many numbers of `stream` from `index` on it used up.
pub fn sample(dist: Dist, stream: Stream, index: u32) -> (Nanos, u32) {
    let (span, used) = match dist {
        Dist::Uniform(low, high) => {
            let width = high.0.saturating_sub(low.0) + 1;
            (low.0 + stream.below(index, width), 1)
        }
        Dist::Exponential(mean) => (times(mean.0, minus_ln(stream.draw(index))), 1),
        Dist::Normal(mean, deviation) => {
            let (z, used) = normal(stream, index);
            let off = times(deviation.0, z.unsigned_abs());
            let span = if z < 0 {
                mean.0.saturating_sub(off)
            } else {
                mean.0.saturating_add(off)
            };
            (span, used)
        }
        Dist::LogNormal(median, sigma_milli) => {
            let (z, used) = normal(stream, index);
            let power = z * i64::from(sigma_milli.min(10_000)) / 1000;
            (exp_times(median.0, power), used)
        }
    };
    (Nanos(span.min(LONGEST)), used)
}

/// `ns` times a 32-bit fixed-point factor, held to [`LONGEST`].
fn times(ns: u64, factor: u64) -> u64 {
    let product = (u128::from(ns) * u128::from(factor)) >> 32;
    product.min(u128::from(LONGEST)) as u64
}

/// −ln(u / 2⁶⁴), u taken as at least 1, as a 32-bit fixed-point number; by squaring, a bit of log₂ each time.
fn minus_ln(u: u64) -> u64 {
    let u = u.max(1);
    let zeros = u.leading_zeros();
    let mut mantissa = u << zeros;
    let mut fraction = 0_u64;
    for _ in 0..32 {
        let square = u128::from(mantissa) * u128::from(mantissa);
        fraction <<= 1;
        if square >> 127 == 1 {
            fraction |= 1;
            mantissa = (square >> 64) as u64;
        } else {
            mantissa = (square >> 63) as u64;
        }
    }
    // log₂(u / 2⁶⁴) = −zeros − 1 + fraction
    let minus_log2 = ((u64::from(zeros) + 1) << 32) - fraction;
    ((u128::from(minus_log2) * u128::from(LN_2)) >> 32) as u64
}

/// A standard normal number, 32-bit fixed-point: the sum of twelve uniform ones less six, so within ±6.
fn normal(stream: Stream, index: u32) -> (i64, u32) {
    let sum: i64 = (0..12).map(|i| (stream.draw(index + i) >> 32) as i64).sum();
    (sum - 6 * ONE, 12)
}

/// `ns` × eˣ, x a 32-bit fixed-point number within ±64, held to [`LONGEST`].
fn exp_times(ns: u64, x: i64) -> u64 {
    let log2 = i128::from(x) * i128::from(ONE) / i128::from(LN_2);
    let whole = (log2 >> 32) as i32;
    let mut factor = 1_u64 << 63;
    for (bit, root) in ROOTS_OF_2.iter().enumerate() {
        if log2 >> (31 - bit) & 1 == 1 {
            factor = ((u128::from(factor) * u128::from(*root)) >> 63) as u64;
        }
    }
    let scaled = (u128::from(ns) * u128::from(factor)) >> 63;
    let scaled = scaled.min(u128::from(LONGEST)) as u64;
    match whole {
        0.. => scaled
            .checked_shl(whole as u32)
            .filter(|s| s >> whole == scaled)
            .unwrap_or(LONGEST),
        _ => scaled.checked_shr(whole.unsigned_abs()).unwrap_or(0),
    }
}

/// 2^(1/2), 2^(1/4), … 2^(1/2³²), as 63-bit fixed-point numbers.
const ROOTS_OF_2: [u64; 32] = roots_of_2();

const fn roots_of_2() -> [u64; 32] {
    let mut roots = [0; 32];
    let mut square: u128 = 2 << 63;
    let mut i = 0;
    while i < roots.len() {
        square = (square << 63).isqrt();
        roots[i] = square as u64;
        i += 1;
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of 20 000 draws, ns.
    fn mean(dist: Dist) -> u64 {
        let stream = Stream::new(3, 9);
        let mut index = 0;
        let mut sum = 0;
        for _ in 0..20_000 {
            let (span, used) = sample(dist, stream, index);
            index += used;
            sum += span.0;
        }
        sum / 20_000
    }

    #[test]
    fn means_are_what_the_formulas_say() {
        let (ten, two) = (Nanos(10_000), Nanos(2_000));
        let uniform = mean(Dist::Uniform(two, ten));
        assert!(uniform.abs_diff(6_000) < 40, "{uniform}");
        let exponential = mean(Dist::Exponential(ten));
        assert!(exponential.abs_diff(10_000) < 150, "{exponential}");
        let normal = mean(Dist::Normal(ten, two));
        assert!(normal.abs_diff(10_000) < 30, "{normal}");
        // Median × e^(σ²/2): 10 000 × e^0.125 = 11 331.
        let log_normal = mean(Dist::LogNormal(ten, 500));
        assert!(log_normal.abs_diff(11_331) < 100, "{log_normal}");
    }

    #[test]
    fn logarithm_and_power_are_exact_to_the_ninth_digit() {
        assert_eq!(minus_ln(1 << 63), LN_2);
        assert_eq!(minus_ln(1), 64 * LN_2);
        assert_eq!(minus_ln(u64::MAX), 0);
        let e = exp_times(1_000_000_000, ONE);
        assert!(e.abs_diff(2_718_281_828) <= 2, "{e}");
        let e = exp_times(1_000_000_000, -ONE);
        assert!(e.abs_diff(367_879_441) <= 2, "{e}");
        assert_eq!(exp_times(77, 0), 77);
        assert_eq!(exp_times(1_000_000_000, 50 * ONE), LONGEST);
        assert_eq!(exp_times(1_000_000_000, -60 * ONE), 0);
    }
}
