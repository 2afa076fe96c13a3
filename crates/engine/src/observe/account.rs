//! Where the time of a CPU goes: every nanosecond of every CPU is in exactly one account.
//!
//! Not here: what a task is charged by the kernel's own clock, which is another sum.

/// An account of CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Account {
    /// Tasks computing.
    Work,
    /// Kernel paths of what tasks ask for.
    Kernel,
    /// Spinning for a lock.
    Spin,
    /// schedule() and the switch itself.
    Switch,
    /// Lines fetched after a switch: the waker's, and the task's own.
    Refill,
    /// Selecting CPUs for tasks.
    Selection,
    /// Load balancing.
    Balancing,
    /// Ticks and timer interrupts.
    Interrupt,
    /// Nothing.
    Idle,
}

impl Account {
    /// Every account.
    pub const ALL: [Account; Account::COUNT] = [
        Account::Work,
        Account::Kernel,
        Account::Spin,
        Account::Switch,
        Account::Refill,
        Account::Selection,
        Account::Balancing,
        Account::Interrupt,
        Account::Idle,
    ];
    /// How many there are.
    pub const COUNT: usize = 9;

    /// The word for it in tables and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Account::Work => "work",
            Account::Kernel => "kernel",
            Account::Spin => "spin",
            Account::Switch => "switch",
            Account::Refill => "refill",
            Account::Selection => "selection",
            Account::Balancing => "balancing",
            Account::Interrupt => "interrupt",
            Account::Idle => "idle",
        }
    }
}

/// Time by account, ns, in the order of [`Account::ALL`].
pub type Accounts = [u64; Account::COUNT];
