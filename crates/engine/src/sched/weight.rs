//! Weights and the kernel's fixed-point arithmetic on them: `calc_delta_mine`, `calc_delta_fair`.
//!
//! Pure numbers; nothing here knows a queue. The roundings decide on which tick a slice ends, so they are
//! part of what is modelled. Source: kernel/sched.c and sched_fair.c of 2.6.31 and 2.6.32.

use super::rq::LoadWeight;
use super::rules::FixedPoint;
use crate::task::{Nice, Policy};

/// `NICE_0_LOAD`: the weight of nice 0.
pub const NICE_0_LOAD: u64 = 1024;

/// Weights of 64-bit kernels are larger by so many bits (`SCHED_FIXEDPOINT_SHIFT`).
pub const SCALE_SHIFT: u32 = 10;

/// A weight as 32-bit kernels have it; none becomes less than 2 (`scale_load_down`).
pub const fn scale_load_down(weight: u64) -> u64 {
    match weight >> SCALE_SHIFT {
        0 | 1 if weight > 0 => 2,
        scaled => scaled,
    }
}

/// `WMULT_SHIFT`: inverse weights are 2³²/weight.
const WMULT_SHIFT: u32 = 32;

/// `prio_to_weight`: each step of nice is about 25 % (sched.c).
const PRIO_TO_WEIGHT: [u32; 40] = [
    88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, 9548, 7620, 6100, 4904,
    3906, 3121, 2501, 1991, 1586, 1277, 1024, 820, 655, 526, 423, 335, 272, 215, 172, 137, 110, 87,
    70, 56, 45, 36, 29, 23, 18, 15,
];

/// `prio_to_wmult`: 2³²/weight, which tasks use instead of computing it (sched.c).
const PRIO_TO_WMULT: [u32; 40] = [
    48_388,
    59_856,
    76_040,
    92_818,
    118_348,
    147_320,
    184_698,
    229_616,
    287_308,
    360_437,
    449_829,
    563_644,
    704_093,
    875_809,
    1_099_582,
    1_376_151,
    1_717_300,
    2_157_191,
    2_708_050,
    3_363_326,
    4_194_304,
    5_237_765,
    6_557_202,
    8_165_337,
    10_153_587,
    12_820_798,
    15_790_321,
    19_976_592,
    24_970_740,
    31_350_126,
    39_045_157,
    49_367_440,
    61_356_676,
    76_695_844,
    95_443_717,
    119_304_647,
    148_102_320,
    186_737_708,
    238_609_294,
    286_331_153,
];

/// `WEIGHT_IDLEPRIO` and `WMULT_IDLEPRIO`: a `SCHED_IDLE` task (sched.c).
const IDLE: LoadWeight = LoadWeight {
    weight: 3,
    inv_weight: 1_431_655_765,
};

/// The weight of a task (sched.c: `set_load_weight`).
pub const fn task_weight(policy: Policy, nice: Nice) -> LoadWeight {
    if matches!(policy, Policy::Idle) {
        return IDLE;
    }
    let row = (nice.get() - Nice::MIN) as usize;
    LoadWeight {
        weight: PRIO_TO_WEIGHT[row] as u64,
        inv_weight: PRIO_TO_WMULT[row] as u64,
    }
}

/// A weight that stands in no table, a queue's or a group's, with the inverse that the kernel computes
/// on demand.
pub const fn queue_weight(rule: FixedPoint, weight: u64) -> LoadWeight {
    LoadWeight {
        weight,
        inv_weight: inverse(rule, weight),
    }
}

/// 2³²/`weight` as `calc_delta_mine` computes it.
const fn inverse(rule: FixedPoint, weight: u64) -> u64 {
    let wmult = 1 << WMULT_SHIFT;
    match rule {
        FixedPoint::RoundInv31 if weight >= wmult => 1,
        FixedPoint::RoundInv31 => 1 + (wmult - weight / 2) / (weight + 1),
        FixedPoint::RoundInv32 if weight == 0 => wmult,
        FixedPoint::RoundInv32 if weight >= wmult => 1,
        FixedPoint::RoundInv32 => wmult / weight,
        FixedPoint::Truncate if weight == 0 => wmult - 1,
        FixedPoint::Truncate if weight >= wmult - 1 => 1,
        FixedPoint::Truncate => (wmult - 1) / weight,
    }
}

/// About `delta · weight / load`, ns (`calc_delta_mine`, `__calc_delta`).
pub const fn calc_delta(rule: FixedPoint, delta: u64, weight: u64, load: LoadWeight) -> u64 {
    match rule {
        FixedPoint::RoundInv31 | FixedPoint::RoundInv32 => calc_delta_mine(delta, weight, load),
        FixedPoint::Truncate => truncated(delta, weight, load),
    }
}

/// The product of weight and inverse keeps its upper 32 bits, and what is shifted out at the end is dropped
/// (kernel/sched/fair.c of 6.1: `__calc_delta`).
const fn truncated(delta: u64, weight: u64, load: LoadWeight) -> u64 {
    let (fact, shift) = upper_32_bits(weight, WMULT_SHIFT);
    let (fact, shift) = upper_32_bits(fact.wrapping_mul(load.inv_weight), shift);
    ((delta as u128 * fact as u128) >> shift) as u64
}

/// `fact` without what it has beyond 32 bits, and `shift` less by as much.
const fn upper_32_bits(fact: u64, shift: u32) -> (u64, u32) {
    let beyond = 64 - (fact >> 32).leading_zeros();
    (fact >> beyond, shift.saturating_sub(beyond))
}

/// `calc_delta_mine`: rounds twice.
const fn calc_delta_mine(delta: u64, weight: u64, load: LoadWeight) -> u64 {
    let product = delta.wrapping_mul(weight);
    let scaled = if product > 1 << WMULT_SHIFT {
        let half = WMULT_SHIFT / 2;
        round_shift(
            round_shift(product, half).wrapping_mul(load.inv_weight),
            half,
        )
    } else {
        round_shift(product.wrapping_mul(load.inv_weight), WMULT_SHIFT)
    };
    if scaled > i64::MAX as u64 {
        i64::MAX as u64
    } else {
        scaled
    }
}

/// `calc_delta_fair`: runtime `delta` as weighted time of an entity of that load, ns.
pub const fn calc_delta_fair(rule: FixedPoint, delta: u64, load: LoadWeight) -> u64 {
    if load.weight == NICE_0_LOAD {
        delta
    } else {
        calc_delta(rule, delta, NICE_0_LOAD, load)
    }
}

/// `SRR`: shift right, rounding half up.
const fn round_shift(x: u64, shift: u32) -> u64 {
    x.wrapping_add(1 << (shift - 1)) >> shift
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: FixedPoint = FixedPoint::RoundInv31;

    fn nice(n: i64) -> LoadWeight {
        task_weight(Policy::Normal, Nice::new(n))
    }

    #[test]
    fn t01_weights_by_nice() {
        let weights = [-20, -10, -5, 0, 5, 10, 19].map(|n| nice(n).weight);
        assert_eq!(weights, [88761, 9548, 3121, 1024, 335, 110, 15], "cfs/T01");
        assert_eq!(
            task_weight(Policy::Idle, Nice::new(-20)).weight,
            3,
            "cfs/T01"
        );
        let batch = task_weight(Policy::Batch, Nice::new(5));
        assert_eq!(batch, nice(5), "BATCH is weighted by nice");
    }

    #[test]
    fn t02_to_t07_weighted_time() {
        let idle = task_weight(Policy::Idle, Nice::default());
        for rule in [RULE, FixedPoint::RoundInv32, FixedPoint::Truncate] {
            let ms = |load| calc_delta_fair(rule, 1_000_000, load);
            let last_digit = u64::from(rule == FixedPoint::Truncate);
            assert_eq!(ms(nice(5)), 3_056_716, "cfs/T02");
            assert_eq!(ms(nice(-5)), 328_100 - last_digit, "cfs/T03");
            assert_eq!(ms(nice(1)), 1_248_780, "cfs/T04");
            assert_eq!(ms(nice(-20)), 11_537 - last_digit, "cfs/T05");
            assert_eq!(ms(idle), 341_333_333, "cfs/T06");
            let one = [-20, 0, 5, 19].map(|n| calc_delta_fair(rule, 1, nice(n)));
            assert_eq!(one, [0, 1, 3, 68], "cfs/T07");
        }
    }

    #[test]
    fn t08_and_t09_the_inverse_of_a_queue_is_not_the_table() {
        let later = [FixedPoint::RoundInv32, FixedPoint::Truncate];
        let inverses = |weight| later.map(|rule| queue_weight(rule, weight).inv_weight);
        assert_eq!(inverses(1024), [4_194_304, 4_194_303], "cfs/T08");
        assert_eq!(inverses(3072), [1_398_101, 1_398_101], "cfs/T09");
        assert_eq!(inverses(0), [1 << 32, (1 << 32) - 1]);
        assert_eq!(queue_weight(RULE, 1024).inv_weight, 4_190_212, "cfs/T08");
        assert_eq!(queue_weight(RULE, 3072).inv_weight, 1_397_646, "cfs/T09");
        assert_eq!(queue_weight(RULE, 0).inv_weight, (1 << 32) + 1);
        assert_eq!(queue_weight(RULE, 1 << 33).inv_weight, 1);
        assert_eq!(nice(0).inv_weight, 4_194_304);
    }

    #[test]
    fn the_tables_agree_with_each_other() {
        for n in -20..=19 {
            let load = nice(n);
            let error = (load.weight * load.inv_weight).abs_diff(1 << 32);
            assert!(error <= load.weight, "nice {n}: {error}");
        }
    }
}
