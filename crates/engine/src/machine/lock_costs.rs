//! What futexes and locks cost: a part of the cost table.
//!
//! Not here: how a lock is taken (`sim`).

/// Locks (§1.1), ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockCosts {
    /// Taking or leaving a futex that nobody wants: chosen.
    pub fast: u32,
    /// Going to sleep on one: chosen.
    pub block: u32,
    /// Leaving one that somebody sleeps on, the wakeup included: chosen.
    pub release: u32,
    /// A round of spinning of an adaptive lock: chosen.
    pub adaptive_round: u32,
    /// A try of a spin-sleep lock: chosen (20 to 40).
    pub spin_try: u32,
    /// Taking a kernel spinlock that nobody wants: chosen.
    pub kernel: u32,
}

/// At the reference core.
pub(super) const LOCKS: LockCosts = LockCosts {
    fast: 40,
    block: 500,
    release: 700,
    adaptive_round: 150,
    spin_try: 30,
    kernel: 25,
};

impl LockCosts {
    /// Each of them scaled.
    pub(super) fn map(self, f: impl Fn(u32) -> u32) -> LockCosts {
        LockCosts {
            fast: f(self.fast),
            block: f(self.block),
            release: f(self.release),
            adaptive_round: f(self.adaptive_round),
            spin_try: f(self.spin_try),
            kernel: f(self.kernel),
        }
    }
}
