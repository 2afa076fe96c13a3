//! What things cost on a machine: direct costs, transfers between caches, paths through the kernel.
//!
//! Every number has a source; the marks are those of the tables they come from: known (measured by someone),
//! derived (worked out), chosen. None is fitted to a published benchmark but the pinned TCP_RR tables of
//! November 2011, which fix sums: path + switch on each of the two machines, and path + remote wakeup + transfer
//! within an L2, across L2s, and within an L3.
//! Not here: who pays, and when (the simulator), or what a task finds in its caches (`cache`).

use super::CpuId;
use super::catalog::Machine;
use super::emulated;
use super::lock_costs::LOCKS;
pub use super::lock_costs::LockCosts;
use super::snapdragon;
use super::topology::{Distance, Topology};
use crate::time::Nanos;
use alloc::vec::Vec;

/// A generation of processors: which column of measured direct costs a machine is scaled from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// Core 2, 2006 to 2009; measured at 2.4 GHz, speed 1.0.
    Core2,
    /// Nehalem and Westmere, 2008 to 2011; measured on a core of speed 1.36.
    Westmere,
    /// The strongest core of a phone's processor of 2020, as given: the Snapdragon 865, speed 2.2.
    Phone,
    /// An emulated processor that executes one instruction a nanosecond, tracing its scheduler; speed 1.0.
    Emulated,
}

/// Direct costs, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direct {
    /// A system call, in and out.
    pub syscall: u32,
    /// schedule() and switch to a task of another address space.
    pub switch_other: u32,
    /// schedule() and switch to a task of the same address space.
    pub switch_same: u32,
    /// schedule() that picks the task that ran.
    pub pick: u32,
    /// Waking a task on another CPU: the part that the waker pays.
    pub queue: u32,
    /// Until an idle CPU that polls or waits on the line sees it.
    pub notify: u32,
    /// Leaving C1.
    pub idle_exit: u32,
    /// From idle to the task.
    pub switch_from_idle: u32,
    /// From asking a busy CPU to reschedule until its interrupt handler runs.
    pub ipi: u32,
    /// From a timer's expiry to the task being runnable.
    pub timer: u32,
    /// A tick.
    pub tick: u32,
    /// Creating a process.
    pub fork: u32,
    /// Ending one.
    pub exit: u32,
    /// Selecting a CPU, without looking at any.
    pub sel_base: u32,
    /// Looking at one CPU's run queue, without the transfer of its cache line.
    pub scan: u32,
    /// A balancing attempt, without looking at any CPU.
    pub balance_base: u32,
    /// A balancing attempt, for each CPU it looks at.
    pub balance_cpu: u32,
    /// Pulling one task, without the transfers.
    pub pull: u32,
    /// Active balancing: the stopper thread.
    pub active: u32,
    /// Each wakeup of a wake-all after the first, which is inside the path that wakes.
    pub wake_more: u32,
}

/// The columns of the cost tables (workloads-machines.md §3.2, §3.5), each at its own speed.
impl Generation {
    /// The speed the column was measured at, in thousandths of the reference core.
    const fn speed_milli(self) -> u64 {
        match self {
            Generation::Core2 | Generation::Emulated => 1000,
            Generation::Westmere => 1360,
            Generation::Phone => snapdragon::SPEED_MILLI as u64,
        }
    }

    /// The column.
    const fn direct(self) -> Direct {
        match self {
            Generation::Core2 => CORE2,
            Generation::Westmere => WESTMERE,
            Generation::Phone => snapdragon::DIRECT,
            Generation::Emulated => emulated::DIRECT,
        }
    }

    /// How late timers of fair tasks are: the default, and 1 ns for the tasks of the recordings, which set it.
    const fn slack(self) -> Nanos {
        match self {
            Generation::Core2 | Generation::Westmere | Generation::Phone => TIMER_SLACK,
            Generation::Emulated => Nanos(1),
        }
    }

    /// Sending and receiving one byte over TCP on loopback, ns, and the speed at which. With the selection of a CPU,
    /// which is paid apart, they are the S of a hop, which the pinned TCP_RR tables fix on each of two machines
    /// (§3.3, steps 1, 3 and 4): 3998 ns on the Q6600, 2864 on the E5620. In halves: chosen.
    const fn tcp_path(self) -> (u64, u64, u64) {
        match self {
            Generation::Westmere => (1382, 1432, 1360),
            // The phone's was not measured: the Q6600's at its speed, chosen.
            Generation::Core2 | Generation::Phone | Generation::Emulated => (1949, 1999, 1000),
        }
    }

    /// TCP over loopback, for each byte at each end, ps at the reference core: half of 2.5 ns on the Q6600 and
    /// of 0.75 ns × 1.36 on the E5620 (§1.4, derived from tbench).
    const fn tcp_byte_ps(self) -> u64 {
        match self {
            Generation::Core2 => 1250,
            // The phone's was not measured: as the later of the two, chosen.
            Generation::Westmere | Generation::Phone => 510,
            // One byte is about one instruction: chosen; no recording has TCP.
            Generation::Emulated => 1000,
        }
    }
}

const CORE2: Direct = Direct {
    // 105 ns on a Xeon 5150: measured (Sigoure 2010).
    syscall: 110,
    // Process 1300 and thread switch 1100 on an E5440, system call included: measured (Sigoure 2010); derived.
    switch_other: 1250,
    switch_same: 1000,
    // Chosen; inside the two above.
    pick: 150,
    // The sum of the four, 750, is fitted to the pinned TCP_RR table (§3.3); the split is chosen.
    queue: 200,
    notify: 100,
    idle_exit: 250,
    switch_from_idle: 200,
    // Round trips of 1 to 3 µs are the usual figure; weakly measured.
    ipi: 1000,
    // Chosen.
    timer: 1500,
    tick: 800,
    // fork + exit 120 µs: chosen, and so is the split.
    fork: 80_000,
    exit: 40_000,
    // 0.5 % of a CPU at 97 600 wakeups/s = 51 ns: derived, an upper bound (thread of October 2009).
    sel_base: 50,
    // 8 ns and half a line transfer, which makes 18 to 29 ns a CPU of the 4.5 % seen: derived.
    scan: 8,
    // No published figure found: chosen (§3.5).
    balance_base: 400,
    balance_cpu: 60,
    pull: 1000,
    active: 10_000,
    // Chosen: as much as the waker's part of a remote wakeup.
    wake_more: 200,
};

const WESTMERE: Direct = Direct {
    // 52 ns on an X5550: measured (Sigoure 2010).
    syscall: 55,
    // In line with the published switch costs; S + C is fitted (§3.3).
    switch_other: 1000,
    switch_same: 850,
    pick: 120,
    ipi: 900,
    timer: 1200,
    tick: 600,
    fork: 53_000,
    exit: 27_000,
    ..CORE2
};

/// What a message over some kind of channel costs, ns at the machine, and the cache lines it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Sending, without the bytes.
    pub send: u32,
    /// Receiving, without the bytes.
    pub recv: u32,
    /// Each byte beyond those included, at each end, ps.
    pub byte_ps: u32,
    /// Bytes included.
    pub free_bytes: u32,
    /// Cache lines of the message, from writer to reader.
    pub lines: u32,
}

/// The kinds of path, as an index into [`CostTable::paths`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum PathKind {
    /// AF_UNIX stream.
    Unix,
    /// Pipe.
    Pipe,
    /// TCP over loopback.
    Tcp,
    /// Futex or condition queue.
    Futex,
}

/// Cache lines of a wakeup, from waker to wakee (§1.1; 12 of the 50 lines of §3.3, split chosen).
pub const WAKE_LINES: u32 = 12;

/// Timer slack of a fair-class task: `PR_SET_TIMERSLACK`'s default, prctl(2).
pub const TIMER_SLACK: Nanos = Nanos::from_micros(50);

/// Lines of a cache line: 64 bytes.
const LINE: u32 = 64;

/// Costs of one machine, all in ns unless said; scaled from the reference core by its speed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CostTable {
    /// Direct costs.
    pub direct: Direct,
    /// Paths by [`PathKind`].
    pub paths: [Path; 4],
    /// Futexes and locks.
    pub lock: LockCosts,
    /// One-way transfer of a modified line, ps, by [`Distance`].
    pub transfer_ps: [u32; 6],
    /// The transfer of a message without bytes to be paid, ns, by [`PathKind`] and [`Distance`].
    carry: [[u32; 6]; 4],
    /// Speed of a thread beside a busy sibling, thousandths; 1000 without SMT.
    pub smt_share_milli: u32,
    /// Are the CPUs emulated one after the other, so that each executes instructions the slower the more are busy?
    pub turns: bool,
    /// How long a thread that went idle still counts as busy to its sibling: as long as entering and leaving the
    /// shallowest idle state takes to pay (`target_residency` of intel_idle.c: 6 µs). The pinned TCP_RR table of 2011
    /// needs that all of a hop is shared (§3.3).
    pub smt_idle: Nanos,
    /// How late a sleeping task's timer may fire, and does.
    pub slack: Nanos,
    /// Kernel paths on a CPU of less than full capacity take as many 1024ths of what they take on the strongest, by CPU;
    /// empty where all are equal.
    slowness: Vec<u64>,
    /// Work at the reference core → time, as a 32-bit fixed-point factor, by CPU.
    scale: Vec<u64>,
    /// `scan[cpu * n + k]`: looking at the `k + 1` CPUs nearest to `cpu`, itself included.
    scan: Vec<u32>,
    cpus: usize,
}

impl CostTable {
    /// The costs of `machine`.
    pub fn new(machine: &Machine, topology: &Topology) -> CostTable {
        let generation = machine.generation;
        let speed = u64::from(machine.speeds.speed_milli);
        let by_column = |ns: u32| scaled(u64::from(ns), generation.speed_milli(), speed) as u32;
        let by_reference = |ns: u64| scaled(ns, 1000, speed) as u32;
        let cpus = usize::from(topology.cpus());
        let mut table = CostTable {
            direct: generation.direct().map(by_column),
            paths: paths(generation, speed),
            lock: LOCKS.map(|ns| by_reference(u64::from(ns))),
            transfer_ps: Distance::ALL.map(|d| machine.speeds.c2c_ps.at(d)),
            carry: [[0; 6]; 4],
            smt_share_milli: machine.speeds.smt_share_milli.unwrap_or(1000),
            turns: generation == Generation::Emulated,
            smt_idle: machine.idle.first().map_or(Nanos::ZERO, |state| {
                Nanos::from_micros(u64::from(state.residency_us))
            }),
            slack: generation.slack(),
            slowness: slowness(topology),
            scale: topology
                .all()
                .iter()
                .map(|cpu| (1000_u64 << 42).div_ceil(speed * u64::from(topology.capacity(cpu))))
                .collect(),
            scan: Vec::with_capacity(cpus * cpus),
            cpus,
        };
        for cpu in &topology.all() {
            table.add_scan_row(topology, cpu);
        }
        let lines = table.paths.map(|path| path.lines);
        table.carry = lines.map(|n| Distance::ALL.map(|distance| table.lines(n, distance)));
        table
    }

    /// A machine on which nothing costs anything and timers are exact: what worked examples run on.
    pub fn free(topology: &Topology) -> CostTable {
        let cpus = usize::from(topology.cpus());
        let path = Path {
            send: 0,
            recv: 0,
            byte_ps: 0,
            free_bytes: 0,
            lines: 0,
        };
        CostTable {
            direct: CORE2.map(|_| 0),
            paths: [path; 4],
            lock: LOCKS.map(|_| 0),
            transfer_ps: [0; 6],
            carry: [[0; 6]; 4],
            smt_share_milli: 1000,
            turns: false,
            smt_idle: Nanos::ZERO,
            slack: Nanos::ZERO,
            slowness: Vec::new(),
            scale: alloc::vec![1 << 32; cpus],
            scan: alloc::vec![0; cpus * cpus],
            cpus,
        }
    }

    fn add_scan_row(&mut self, topology: &Topology, cpu: CpuId) {
        let mut sum_ps = 0_u64;
        for distance in Distance::ALL {
            let others = topology.all();
            for _ in others
                .iter()
                .filter(|other| topology.distance(cpu, *other) == distance)
            {
                sum_ps += u64::from(self.direct.scan) * 1000;
                sum_ps += u64::from(self.transfer_ps[distance as usize]) / 2;
                self.scan.push((sum_ps / 1000) as u32);
            }
        }
    }

    /// How long work of that many ns at the reference core takes on `cpu`, its sibling idle.
    #[inline]
    pub fn work(&self, cpu: CpuId, reference: Nanos) -> Nanos {
        let product = u128::from(reference.0) * u128::from(self.scale[cpu.index()]);
        Nanos((product >> 32) as u64)
    }

    /// Are kernel paths as fast on every CPU?
    pub fn is_even(&self) -> bool {
        self.slowness.is_empty()
    }

    /// How long a kernel path of that many ns on the strongest CPU takes on `cpu` (`capacity` scales compute and kernel
    /// paths, not transfers).
    pub fn path_on(&self, cpu: CpuId, ns: u64) -> u64 {
        let slowness = self.slowness.get(cpu.index());
        slowness.map_or(ns, |slowness| ns * slowness / 1024)
    }

    /// Selecting a CPU for a wakeup on `cpu` after a look at `visited` run queues: the nearest ones first.
    #[inline]
    pub fn select(&self, cpu: CpuId, visited: u32) -> u32 {
        self.direct.sel_base + self.looks(cpu, visited)
    }

    /// A walk that meets a CPU again looks at it again.
    fn looks(&self, cpu: CpuId, visited: u32) -> u32 {
        let row = &self.scan[cpu.index() * self.cpus..][..self.cpus];
        let (rounds, rest) = (visited as usize / self.cpus, visited as usize % self.cpus);
        let partly = rest.checked_sub(1).map_or(0, |last| row[last]);
        row[self.cpus - 1] * rounds as u32 + partly
    }

    /// Balancing that looked at `visited` run queues and pulled tasks from those distances, without the pulls.
    pub fn balance(&self, visited: u32) -> u32 {
        self.direct.balance_base + self.direct.balance_cpu * visited
    }

    /// Pulling one task over `distance`: two lines and the work.
    pub fn pull(&self, distance: Distance) -> u32 {
        self.direct.pull + self.lines(2, distance)
    }

    /// Moving that many lines over `distance`.
    #[inline]
    pub fn lines(&self, lines: u32, distance: Distance) -> u32 {
        (u64::from(lines) * u64::from(self.transfer_ps[distance as usize]) / 1000) as u32
    }

    /// Sending `bytes` over that kind of path.
    #[inline]
    pub fn send(&self, kind: PathKind, bytes: u32) -> u32 {
        let path = &self.paths[kind as usize];
        path.send + path.bytes(bytes)
    }

    /// Receiving `bytes`, without the transfer.
    #[inline]
    pub fn recv(&self, kind: PathKind, bytes: u32) -> u32 {
        let path = &self.paths[kind as usize];
        path.recv + path.bytes(bytes)
    }

    /// The transfer of a message of `bytes` that was sent `distance` away.
    #[inline]
    pub fn carry(&self, kind: PathKind, bytes: u32, distance: Distance) -> u32 {
        let path = &self.paths[kind as usize];
        if bytes <= path.free_bytes {
            return self.carry[kind as usize][distance as usize];
        }
        self.lines(path.lines + (bytes - path.free_bytes) / LINE, distance)
    }

    /// How long what takes `ns` on `from` takes on `to`.
    pub fn rescale(&self, ns: u64, from: CpuId, to: CpuId) -> u64 {
        let (from, to) = (self.scale[from.index()], self.scale[to.index()]);
        if from == to {
            return ns;
        }
        (u128::from(ns) * u128::from(to) / u128::from(from)) as u64
    }
}

impl Path {
    #[inline]
    fn bytes(&self, bytes: u32) -> u32 {
        if bytes <= self.free_bytes {
            return 0;
        }
        let paid = u64::from(bytes - self.free_bytes);
        (paid * u64::from(self.byte_ps) / 1000) as u32
    }
}

/// How much slower than the strongest each CPU is, in 1024ths; empty if none is.
fn slowness(topology: &Topology) -> Vec<u64> {
    let of = |cpu| (1024 * 1024 / topology.capacity(cpu)).into();
    let all: Vec<u64> = topology.all().iter().map(of).collect();
    if all.iter().all(|slowness| *slowness == 1024) {
        return Vec::new();
    }
    all
}

/// A cost measured at speed `from` on a core of speed `to`, rounded to the nearest.
const fn scaled(ns: u64, from: u64, to: u64) -> u64 {
    (ns * from + to / 2) / to
}

/// The paths at the machine (§1.1, and their sources there).
fn paths(generation: Generation, speed: u64) -> [Path; 4] {
    if generation == Generation::Emulated {
        return emulated::PATHS;
    }
    let by_reference = |ns| scaled(ns, 1000, speed) as u32;
    let path = |send, recv, byte_ps, free_bytes, lines| Path {
        send: by_reference(send),
        recv: by_reference(recv),
        byte_ps: by_reference(byte_ps),
        free_bytes,
        lines,
    };
    let (tcp_send, tcp_recv, tcp_speed) = generation.tcp_path();
    [
        // 900 and 700 ns for 100 bytes, sized by `perf bench sched messaging`, 20 lines: chosen. Beyond them a
        // warm copy at 4 bytes/ns at each end: chosen.
        path(900, 700, 250, 100, 20),
        path(700, 600, 250, 100, 14),
        // 38 lines: N = 50 of the fit less those of the wakeup.
        Path {
            send: scaled(tcp_send, tcp_speed, speed) as u32,
            recv: scaled(tcp_recv, tcp_speed, speed) as u32,
            ..path(0, 0, generation.tcp_byte_ps(), 1, 38)
        },
        path(600, 400, 0, 0, 2),
    ]
}

impl Direct {
    fn map(self, f: impl Fn(u32) -> u32) -> Direct {
        Direct {
            syscall: f(self.syscall),
            switch_other: f(self.switch_other),
            switch_same: f(self.switch_same),
            pick: f(self.pick),
            queue: f(self.queue),
            notify: f(self.notify),
            idle_exit: f(self.idle_exit),
            switch_from_idle: f(self.switch_from_idle),
            ipi: f(self.ipi),
            timer: f(self.timer),
            tick: f(self.tick),
            fork: f(self.fork),
            exit: f(self.exit),
            sel_base: f(self.sel_base),
            scan: f(self.scan),
            balance_base: f(self.balance_base),
            balance_cpu: f(self.balance_cpu),
            pull: f(self.pull),
            active: f(self.active),
            wake_more: f(self.wake_more),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(name: &str) -> (CostTable, Topology) {
        let machine = Machine::by_name(name).expect("in the catalog");
        let topology = machine.topology().expect("sound");
        (CostTable::new(machine, &topology), topology)
    }

    /// A hop of workloads-machines.md §3.3 from its parts, without the switch or the wakeup: S + N t.
    fn tcp_hop(costs: &CostTable, distance: Distance) -> u32 {
        let send = costs.send(PathKind::Tcp, 1) + costs.select(CpuId(0), 0);
        let recv = costs.recv(PathKind::Tcp, 1) + costs.carry(PathKind::Tcp, 1, distance);
        send + costs.lines(WAKE_LINES, distance) + recv
    }

    fn remote_wake(d: &Direct) -> u32 {
        d.queue + d.notify + d.idle_exit + d.switch_from_idle
    }

    /// S + C = 5248, the same within an L2 pair, 6.8 µs of lines across.
    #[test]
    fn a_tcp_hop_on_the_q6600_adds_up_to_the_fit() {
        let (q6600, _) = costs("q6600");
        let (d, wake) = (q6600.direct, remote_wake(&q6600.direct));
        let hop = |distance| tcp_hop(&q6600, distance);
        assert_eq!(hop(Distance::SelfCpu) + d.switch_other, 5_248);
        assert_eq!(hop(Distance::L2) + wake, 5_248);
        assert_eq!(hop(Distance::Pkg) + wake, 3_998 + 750 + 6_800);
    }

    /// S + C = 3864 ns, and S + W + N t with 50 lines at 37.2 ns: the table's row "fitted" is 129 400 and 91 341 round
    /// trips a second, less one nanosecond of rounding.
    #[test]
    fn a_tcp_hop_on_the_e5620_adds_up_to_the_fit() {
        let (e5620, _) = costs("westmere-e5620");
        let (d, wake) = (e5620.direct, remote_wake(&e5620.direct));
        let hop = |distance| tcp_hop(&e5620, distance);
        assert_eq!(hop(Distance::SelfCpu), 2_864);
        assert_eq!(hop(Distance::SelfCpu) + d.switch_other, 3_864);
        assert_eq!(hop(Distance::Llc) + wake, 2_864 + 750 + 1_859);
        let per_second = |hop: u32| 1_000_000_000 / (2 * hop);
        assert_eq!(per_second(3_864), 129_399);
        assert_eq!(per_second(5_473), 91_357);
    }

    /// The Nehalem has the column and the TCP path of the Westmere, the same core, at its clock (2.67 against 2.4 GHz).
    #[test]
    fn the_nehalem_costs_what_the_westmere_does_at_its_clock() {
        let (nehalem, _) = costs("nehalem-ep-2x4x2");
        let d = nehalem.direct;
        assert_eq!((d.switch_other, d.switch_same), (907, 771));
        assert_eq!(remote_wake(&d), 181 + 91 + 227 + 181);
        assert_eq!(tcp_hop(&nehalem, Distance::SelfCpu), 2_596);
    }

    #[test]
    fn work_is_scaled_by_speed_and_rounded_down_to_whole_ns() {
        let (stoakley, _) = costs("stoakley-2x4");
        assert_eq!(stoakley.work(CpuId(7), Nanos(1_250_000)), Nanos(1_000_000));
        let (q6600, _) = costs("q6600");
        assert_eq!(q6600.work(CpuId(0), Nanos(12_345)), Nanos(12_345));
        assert_eq!(q6600.work(CpuId(0), Nanos(u64::MAX)), Nanos(u64::MAX));
        let (nehalem, _) = costs("nehalem-ep-2x4x2");
        assert_eq!(nehalem.direct.switch_other, 907);
        assert_eq!(nehalem.paths[0].send, 600);
    }

    #[test]
    fn a_scan_looks_at_the_nearest_first() {
        let (tigerton, _) = costs("tigerton-4x4");
        let base = tigerton.direct.sel_base;
        let scans = |n| tigerton.select(CpuId(5), n) - base;
        // Itself; its L2 mate at 5 ns; two of the package at 70; twelve remote at 100.
        let expected = [8, 8 + 13, 8 + 13 + 2 * 78, 8 + 13 + 2 * 78 + 12 * 108];
        assert_eq!([1, 2, 4, 16].map(scans), expected);
        assert_eq!(scans(18), expected[3] + expected[1]);
    }

    #[test]
    fn a_free_machine_costs_nothing() {
        let (_, topology) = costs("tigerton-4x4");
        let free = CostTable::free(&topology);
        assert_eq!(free.select(CpuId(3), 40), 0);
        assert_eq!(free.recv(PathKind::Tcp, 4096), 0);
        assert_eq!(free.carry(PathKind::Tcp, 4096, Distance::Remote), 0);
        assert_eq!(free.balance(16) + free.pull(Distance::Remote), 0);
        assert_eq!(free.work(CpuId(15), Nanos(77)), Nanos(77));
    }
}
