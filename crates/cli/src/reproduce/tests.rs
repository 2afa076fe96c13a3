//! What counts as the same.

use super::Verdict;

#[test]
fn a_row_agrees_within_the_tolerance_and_misses_on_the_other_side() {
    let of = |simulated, published| Verdict::of(simulated, published, 50);
    assert_eq!(of(0.99, 0.963), Verdict::Agrees);
    assert_eq!(of(1.049, 1.0), Verdict::Agrees);
    assert_eq!(of(0.80, 0.963), Verdict::DirectionOnly);
    assert_eq!(of(1.80, 2.106), Verdict::DirectionOnly);
    assert_eq!(of(1.13, 0.963), Verdict::Miss);
    assert_eq!(of(1.2, 1.0), Verdict::Miss);
    assert_eq!(of(f64::NAN, 0.963), Verdict::Miss);
}
