//! What the rules of choosing CPUs and balancing can be; [`super::rules::Rules`] says which of them holds.

/// `sibling_imbalance` and what it replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// By as many as one has more than the other (6.1, 6.5: `calculate_imbalance`).
    Tasks,
    /// By what one has more for each of its cores; for a CPU that is busy, not at all (6.6 on, 7ff1693236f5).
    TasksPerCore,
}
