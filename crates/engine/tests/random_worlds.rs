//! Random machines under random kernels: selection and balancing never break what a kernel never breaks.
//!
//! A driver of a few lines calls the scheduler in the kernel's order, with dice instead of programs. After
//! every step the queues are counted anew.

use schedlab_engine::machine::energy::{EnergyDomain, EnergyModel, PerfState};
use schedlab_engine::machine::sched_domain::Domains;
use schedlab_engine::machine::topology::{Topology, TopologySpec, Unit};
use schedlab_engine::machine::{CpuId, CpuMask, Machine, catalog};
use schedlab_engine::rng::Stream;
use schedlab_engine::sched::balance::Balanced;
use schedlab_engine::sched::bandwidth::CfsQuota;
use schedlab_engine::sched::decision::{BalanceWhy, IdleType, MigrateWhy, PlacementWhy};
use schedlab_engine::sched::features::Feature;
use schedlab_engine::sched::profile::{Base, DELTAS, DeltaSet, Kernel, PROFILES};
use schedlab_engine::sched::rq::{CfsRqId, GroupId};
use schedlab_engine::sched::rules::{Balancing, Bandwidth, CpuPower, ThrottledRt};
use schedlab_engine::sched::sd_flags::SdFlags;
use schedlab_engine::sched::tunables::Tunable;
use schedlab_engine::sched::wakeup::SelectKind;
use schedlab_engine::sched::{Sched, SchedSetup, SearchCost, TaskSpec, WakeFlags};
use schedlab_engine::task::{Nice, Policy, RtPriority, TaskId};
use schedlab_engine::time::{Hz, Instant};
use std::collections::BTreeSet;

/// Draws from one stream, one after the other.
struct Dice(Stream, u32);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(Stream::new(seed, 0), 0)
    }

    fn below(&mut self, n: usize) -> usize {
        self.1 += 1;
        self.0.below(self.1, n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// Sets of `size` CPUs each; CPUs are numbered in steps of `stride`, as firmware likes to.
fn sets(cpus: usize, stride: usize, size: usize) -> String {
    let numbers: Vec<usize> = (0..cpus).map(|i| i * stride % cpus).collect();
    let lists = numbers.chunks(size).map(|set| {
        let names: Vec<String> = set.iter().map(ToString::to_string).collect();
        names.join(",")
    });
    lists.collect::<Vec<_>>().join("|")
}

fn topology(dice: &mut Dice, met: &mut BTreeSet<String>) -> Topology {
    if dice.one_in(3) {
        let machine: &Machine = &catalog::CATALOG[dice.below(catalog::CATALOG.len())];
        met.insert(format!("machine {}", machine.name));
        return machine.topology().expect("sound");
    }
    let smt = dice.of(&[1, 1, 2, 4]);
    let llc = smt * dice.of(&[1, 2, 3, 4]);
    let package = llc * dice.of(&[1, 1, 2]);
    let cpus = package * dice.of(&[1, 2, 3]);
    let strides: Vec<usize> = (1..=cpus).filter(|s| gcd(*s, cpus) == 1).collect();
    let stride = dice.of(&strides);
    let node = dice.of(&[cpus, package]);
    let unequal: Vec<u32> = (0..cpus).map(|_| dice.of(&[400, 1024])).collect();
    let spec = TopologySpec {
        capacity: if dice.one_in(4) { &unequal } else { &[] },
        cpus: cpus as u16,
        smt: &sets(cpus, stride, smt),
        llc: &sets(cpus, stride, llc),
        packages: &sets(cpus, stride, package),
        nodes: &sets(cpus, stride, node),
        ..TopologySpec::default()
    };
    Topology::new(&spec).expect("sound")
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// A release, or any choice of commits; any features on, some domain flags turned.
fn kernel(dice: &mut Dice, met: &mut BTreeSet<String>) -> Kernel {
    let chosen = DELTAS.iter().filter(|_| dice.one_in(2));
    let deltas = chosen.fold(DeltaSet(0), |set, delta| set.with(delta.id, true));
    let base = Base::ALL[dice.below(Base::ALL.len())];
    if dice.one_in(2) {
        let profile = &PROFILES[dice.below(PROFILES.len())];
        met.insert(format!("kernel {}", profile.name));
        return profile.kernel();
    }
    let mut kernel = Kernel::compose(base, deltas);
    for feature in Feature::ALL.iter().filter(|f| kernel.exists.has(**f)) {
        if dice.one_in(6) {
            let on = !kernel.features.has(*feature);
            kernel.features = kernel.features.with(*feature, on);
        }
    }
    for spec in &mut kernel.domains {
        for (flag, ..) in SdFlags::ALL {
            if dice.one_in(30) {
                spec.flags = spec.flags.with(*flag, !spec.flags.any(*flag));
            }
        }
    }
    kernel
}

/// Every branch that was taken, so that a world too tame to test anything is noticed.
#[derive(Default)]
struct Seen {
    /// Machines, kernels, and what tasks went through.
    met: BTreeSet<String>,
    placements: BTreeSet<PlacementWhy>,
    attempts: BTreeSet<BalanceWhy>,
    moves: BTreeSet<MigrateWhy>,
}

struct World {
    s: Sched,
    seen: Seen,
    dice: Dice,
    now: u64,
    jiffies: u64,
    /// Longest time between two steps, ns.
    pace: usize,
    groups: Vec<GroupId>,
    real_time: bool,
}

/// CPUs of one capacity are a performance domain, of three speeds; the strong ones cost more for what they do.
fn energy(topology: &Topology) -> EnergyModel {
    let capacities: BTreeSet<u32> = topology
        .all()
        .iter()
        .map(|c| topology.capacity(c))
        .collect();
    let domain = |capacity: u32| EnergyDomain {
        cpus: topology
            .all()
            .iter()
            .filter(|c| topology.capacity(*c) == capacity)
            .collect(),
        states: [3, 2, 1]
            .map(|part| PerfState {
                capacity: capacity.div_ceil(part),
                power: capacity * capacity / 500 / part / part + 1,
            })
            .to_vec(),
    };
    EnergyModel {
        domains: capacities.into_iter().map(domain).collect(),
    }
}

impl World {
    fn new(seed: u64, mut seen: Seen) -> World {
        let mut dice = Dice::new(seed);
        let topology = topology(&mut dice, &mut seen.met);
        let kernel = kernel(&mut dice, &mut seen.met);
        let hz = Hz(dice.of(&[100, 250, 1000]));
        let mut setup = SchedSetup::on(topology, kernel, hz);
        if seed.is_multiple_of(2) && kernel.settable.has(Tunable::EnergyAware) {
            setup.tunables.energy_aware = true;
            setup.energy = Some(energy(&setup.topology));
        }
        let mut s = Sched::new(&setup);
        let real_time = dice.one_in(3);
        s.set_rt_bandwidth(5_000_000, 10_000_000);
        let mut groups = vec![GroupId(0)];
        if dice.one_in(4) {
            groups.push(s.new_group(GroupId(0), 1024));
            groups.push(s.new_group(GroupId(1), 200));
            for group in groups.iter().skip(1) {
                if kernel.rules.bandwidth != Bandwidth::Absent && dice.one_in(2) {
                    let quota = CfsQuota {
                        quota: dice.of(&[1, 3, 10]) * 1_000_000,
                        period: 10_000_000,
                        burst: 0,
                    };
                    s.set_quota(*group, Some(quota), Instant(1));
                }
            }
        }
        let pace = dice.of(&[900_000, 900_000, 20_000]);
        s.search_cost = SearchCost {
            base: dice.of(&[0, 400, 300_000]),
            queue: 60,
        };
        World {
            s,
            seen,
            dice,
            now: 1,
            jiffies: 0,
            pace,
            groups,
            real_time,
        }
    }

    fn cpus(&self) -> usize {
        self.s.rq.len()
    }

    fn cpu(&mut self) -> CpuId {
        let n = self.cpus();
        CpuId(self.dice.below(n) as u16)
    }

    /// Any CPUs, but for one in three tasks all.
    fn mask(&mut self) -> CpuMask {
        let all = CpuMask::first(self.cpus());
        if self.dice.one_in(3) {
            return all;
        }
        let some: CpuMask = all.iter().filter(|_| self.dice.one_in(2)).collect();
        if some.is_empty() {
            CpuMask::just(self.cpu())
        } else {
            some
        }
    }

    fn clock(&mut self, cpu: CpuId) {
        self.s.update_rq_clock(cpu, Instant(self.now));
    }

    fn on_rq(&self, p: TaskId) -> bool {
        self.s.is_queued(p)
    }

    /// In some worlds one task in six is a real-time one.
    fn policy(&mut self) -> Policy {
        let priority = RtPriority::new(self.dice.of(&[1, 50, 50, 99]));
        match self.dice.below(12) {
            0 if self.real_time => Policy::Fifo(priority),
            1 if self.real_time => Policy::Rr(priority),
            2..=4 => Policy::Batch,
            5..=7 => Policy::Idle,
            _ => Policy::Normal,
        }
    }

    fn fork(&mut self) {
        let this = self.cpu();
        let spec = TaskSpec {
            nice: Nice::new(self.dice.below(40) as i64 - 20),
            policy: self.policy(),
            allowed: self.mask(),
            group: self.groups[self.dice.below(self.groups.len())],
            parent: self.s.rq[this.index()].curr,
            vruntime: None,
        };
        let child = self.s.new_task(spec);
        let placement = self.s.select_task_rq(child, this, SelectKind::Fork, false);
        assert!(spec.allowed.contains(placement.cpu), "{placement:?}");
        self.seen.placements.insert(placement.why);
        self.s.set_task_cpu(child, placement.cpu);
        self.clock(placement.cpu);
        let _ = self.s.wake_up_new_task(child, this);
    }

    fn wake(&mut self) {
        let n = self.s.tasks.len();
        let p = TaskId(self.dice.below(n) as u32);
        if self.s.is_delayed(p) {
            let cpu = self.s.tasks[p.index()].cpu;
            self.clock(cpu);
            self.s.requeue_delayed_task(p);
            self.seen.placements.insert(PlacementWhy::StillQueued);
            let _ = self.s.check_preempt_curr(cpu, p, WakeFlags::default());
            return;
        }
        if self.on_rq(p) || self.is_on_its_way(p) {
            return;
        }
        let (this, sync) = (self.cpu(), self.dice.one_in(2));
        let prev = self.s.tasks[p.index()].cpu;
        self.clock(prev);
        self.s.record_wakee(this, p);
        let placement = self.s.select_task_rq(p, this, SelectKind::Wake, sync);
        let (steps, again) = self.s.select_candidates(p, this, SelectKind::Wake, sync);
        assert_eq!(placement, again, "{steps:?}");
        assert!(
            self.s.tasks[p.index()].allowed.contains(placement.cpu),
            "{placement:?}"
        );
        assert!(placement.visited as usize <= 64 * self.cpus());
        self.seen.placements.insert(placement.why);
        self.s.commit_selection(p, this, &placement, 1000);
        let queues = self.s.queues_wakeup(this, placement.cpu);
        if placement.cpu != prev {
            if !queues {
                self.s.update_target_clock(placement.cpu, Instant(self.now));
            }
            self.s.set_task_cpu(p, placement.cpu);
        }
        if queues {
            let first = self.s.rq[placement.cpu.index()].wake_list.is_empty();
            assert_eq!(self.s.queue_wakeup(p), first);
            return;
        }
        self.s.activate_task(p, true);
        if let Some(waker) = self.s.rq[this.index()].curr {
            self.s.record_wakeup_by(waker);
        }
        let flags = WakeFlags { sync, fork: false };
        let _ = self.s.check_preempt_curr(placement.cpu, p, flags);
    }

    fn is_on_its_way(&self, p: TaskId) -> bool {
        self.s.rq.iter().any(|rq| rq.wake_list.contains(&p))
    }

    /// The interrupt for queued wakeups arrives at `cpu`.
    fn enqueue_woken(&mut self, cpu: CpuId) {
        self.clock(cpu);
        while let Some(p) = self.s.next_queued_wakeup(cpu) {
            assert_eq!(self.s.tasks[p.index()].cpu, cpu);
            self.s.activate_task(p, true);
            let _ = self.s.check_preempt_curr(cpu, p, WakeFlags::default());
        }
    }

    fn schedule(&mut self, cpu: CpuId, blocks: bool) {
        let mut blocks = blocks;
        let mut pushes: Vec<CpuId> = Vec::new();
        loop {
            self.s.begin_schedule(cpu);
            self.clock(cpu);
            if let Some(curr) = self.s.rq[cpu.index()].curr.filter(|_| blocks) {
                self.s.deactivate_task(curr, true);
            }
            blocks = false;
            self.s.settle_pick(cpu);
            if self.s.rq[cpu.index()].nr_running == 0 {
                let before = self.running();
                let balanced = self.s.idle_balance(cpu);
                self.check_moves(&balanced, cpu, &before);
                pushes = balanced.active().collect();
                let may_push = self.s.rules.balancing == Balancing::ByGroupType;
                assert!(
                    may_push || pushes.is_empty(),
                    "a newly idle CPU asks for no push"
                );
            }
            self.s.put_prev_task(cpu);
            let _ = self.s.pick_next_task(cpu);
            for busiest in core::mem::take(&mut pushes) {
                self.push(busiest, cpu);
            }
            if !self.s.rq[cpu.index()].need_resched {
                return;
            }
        }
    }

    fn tick(&mut self) {
        self.jiffies += self.dice.of(&[1, 1, 1, 7, 100]);
        self.now += self.pace as u64 * 10 / 9;
        for cpu in &CpuMask::first(self.cpus()) {
            self.clock(cpu);
            self.s.update_cpu_load(cpu);
            let _ = self.s.task_tick(cpu);
            let size = self.s.near.llc_size(cpu);
            let busy = u64::from(size) * self.dice.below(1200) as u64;
            self.s.update_idle_cpu_scan(cpu, (size, 117), busy);
            let idle = match self.s.rq[cpu.index()].curr {
                Some(_) => IdleType::NotIdle,
                None => IdleType::Idle,
            };
            let before = self.running();
            let balanced = self.s.rebalance_domains(cpu, self.jiffies, idle);
            self.check_moves(&balanced, cpu, &before);
            if balanced.serialized && self.dice.one_in(4) {
                self.s.hold_balancing(Instant(self.now + 1));
            }
            for busiest in balanced.active() {
                self.push(busiest, cpu);
            }
            if self.s.rq[cpu.index()].need_resched {
                self.schedule(cpu, false);
            }
        }
    }

    /// The migration thread of `busiest` runs.
    fn push(&mut self, busiest: CpuId, target: CpuId) {
        assert_eq!(self.s.rq[busiest.index()].push_cpu, Some(target));
        self.s.begin_schedule(busiest);
        self.clock(busiest);
        self.s.put_prev_for_good(busiest);
        let pushed = self.s.active_load_balance(busiest, target);
        assert!(pushed.moved.len() <= 1);
        self.seen.moves.extend(pushed.moved.iter().map(|m| m.why));
        for moved in &pushed.moved {
            assert_eq!(
                (moved.from, moved.to, moved.why),
                (busiest, target, MigrateWhy::Active)
            );
            assert!(self.s.tasks[moved.task.index()].allowed.contains(target));
        }
        self.s.settle_pick(busiest);
        let _ = self.s.pick_next_task(busiest);
    }

    fn change_mask(&mut self) {
        let n = self.s.tasks.len();
        let p = TaskId(self.dice.below(n) as u32);
        if self.is_on_its_way(p) {
            return;
        }
        let mask = self.mask();
        let cpu = self.s.tasks[p.index()].cpu;
        let Some(to) = self.s.set_allowed(p, mask) else {
            return;
        };
        let running = self.s.rq[cpu.index()].curr == Some(p);
        self.clock(cpu);
        if running {
            self.meet("moved while it ran");
            self.s.begin_schedule(cpu);
            self.s.put_prev_for_good(cpu);
        }
        let _ = self.s.move_task(p, to);
        if running {
            self.s.settle_pick(cpu);
            let _ = self.s.pick_next_task(cpu);
        }
    }

    fn fire_timers(&mut self) {
        while let Some((at, _)) = self.s.bandwidth_timer().filter(|(at, _)| at.0 <= self.now) {
            let asked = self.s.bandwidth_timer_fires(at);
            for cpu in &asked {
                self.schedule(cpu, false);
            }
        }
    }

    fn meet(&mut self, what: impl Into<String>) {
        self.seen.met.insert(what.into());
    }

    /// What tasks went through.
    fn look_around(&mut self) {
        for p in (0..self.s.tasks.len() as u32).map(TaskId) {
            let policy = format!("{:?}", self.s.tasks[p.index()].policy);
            let name = policy.split('(').next().unwrap_or(&policy);
            self.meet(format!("policy {name}"));
            if self.s.tasks[p.index()].group != GroupId(0) {
                self.meet("in a group");
            }
            if !self.s.is_rt(p) && self.s.is_task_held_back(p) {
                self.meet("held back by a quota");
            }
        }
        if self.s.rt.rq.iter().any(|rt| rt.throttled) {
            self.meet("real-time tasks throttled");
        }
    }

    fn running(&self) -> Vec<Option<TaskId>> {
        self.s.rq.iter().map(|rq| rq.curr).collect()
    }

    fn check_moves(&mut self, balanced: &Balanced, to: CpuId, before: &[Option<TaskId>]) {
        self.seen
            .attempts
            .extend(balanced.attempts.iter().map(|a| a.why));
        self.seen.moves.extend(balanced.moved.iter().map(|m| m.why));
        for moved in &balanced.moved {
            // 6.x lets pinned tasks go to another CPU of the group.
            assert!(moved.to == to || self.s.rules.balancing == Balancing::ByGroupType);
            let to = moved.to;
            assert_ne!(moved.from, to);
            let task = &self.s.tasks[moved.task.index()];
            assert!(task.allowed.contains(to), "moved where it may not run");
            assert_eq!(task.cpu, to);
            assert_ne!(
                before[moved.from.index()],
                Some(moved.task),
                "moved while it ran"
            );
        }
        let unique: BTreeSet<TaskId> = balanced.moved.iter().map(|m| m.task).collect();
        assert_eq!(unique.len(), balanced.moved.len(), "moved twice");
        let visited: u32 = balanced.attempts.iter().map(|a| a.visited).sum();
        assert_eq!(visited, balanced.visited);
        let pulled = balanced
            .attempts
            .iter()
            .any(|a| a.why == BalanceWhy::Pulled);
        assert!(self.groups.len() > 1 || pulled != balanced.moved.is_empty());
    }

    /// Everything is where it is exactly once, and the counters say so.
    fn recount(&self) {
        let s = &self.s;
        for (cpu, rq) in s.rq.iter().enumerate() {
            let here = |p: &TaskId| {
                s.tasks[p.index()].cpu.index() == cpu && self.on_rq(*p) && !s.is_rt(*p)
            };
            let expected: BTreeSet<TaskId> =
                (0..s.tasks.len() as u32).map(TaskId).filter(here).collect();
            let queues = (0..self.groups.len()).map(|g| CfsRqId((g * s.rq.len() + cpu) as u32));
            let listed: Vec<TaskId> = queues.flat_map(|q| s.queued_tasks(q)).collect();
            assert_eq!(listed.len(), expected.len());
            assert_eq!(listed.iter().copied().collect::<BTreeSet<_>>(), expected);
            let counted = expected
                .iter()
                .filter(|p| !s.is_task_held_back(**p))
                .count();
            let rt = &s.rt.rq[cpu];
            let uncounted = rt.throttled && s.rules.throttled_rt == ThrottledRt::Uncounted;
            let real_time = if uncounted { 0 } else { rt.queue.len() };
            assert_eq!(rq.nr_running as usize, counted + real_time);
            assert!(
                rt.queue
                    .iter()
                    .all(|p| s.tasks[p.index()].cpu.index() == cpu)
            );
            let top = s.se.iter().filter(|se| se.on_rq && se.parent.is_none());
            let here = top.filter(|se| se.cfs_rq == CfsRqId(cpu as u32));
            let (nr, load) = here.fold((0, 0), |(n, w), se| (n + 1, w + se.load.weight));
            assert_eq!((s.cfs_rq[cpu].nr_running, rq.load), (nr, load));
            for task in &listed {
                assert!(s.tasks[task.index()].allowed.contains(CpuId(cpu as u16)));
            }
            if let Some(curr) = rq.curr {
                assert!(self.on_rq(curr), "the running task is queued");
            }
        }
    }

    fn step(&mut self) {
        self.now += self.dice.below(self.pace) as u64;
        self.fire_timers();
        match self.dice.below(16) {
            0 if self.s.tasks.len() < 3 * self.cpus() + 2 => self.fork(),
            1 => self.change_mask(),
            2 => {
                let n = self.s.tasks.len();
                let p = TaskId(self.dice.below(n) as u32);
                let nice = Nice::new(self.dice.below(40) as i64 - 20);
                self.s.set_nice(p, nice);
            }
            3..=5 => self.tick(),
            6..=10 => self.wake(),
            11 => {
                for cpu in &CpuMask::first(self.cpus()) {
                    self.enqueue_woken(cpu);
                }
            }
            _ => {
                let (cpu, blocks) = (self.cpu(), self.dice.one_in(2));
                // The interrupt may come before or after.
                if self.dice.one_in(2) {
                    self.enqueue_woken(cpu);
                }
                self.schedule(cpu, blocks);
            }
        }
    }
}

#[test]
fn nothing_is_lost_moved_while_running_or_put_where_it_may_not_run() {
    let mut seen = Seen::default();
    // Some placements are rare: as many worlds as it takes, but not without end.
    for seed in 0..5000 {
        let all = seen.placements.len() == PlacementWhy::ALL.len();
        if seed >= 300 && all {
            break;
        }
        let mut world = World::new(seed, seen);
        for _ in 0..3 {
            world.fork();
        }
        for _ in 0..250 {
            world.step();
            world.recount();
            world.look_around();
        }
        seen = world.seen;
    }
    let machines = catalog::CATALOG
        .iter()
        .map(|m| format!("machine {}", m.name));
    let kernels = PROFILES.iter().map(|p| format!("kernel {}", p.name));
    let tasks = [
        "policy Normal",
        "policy Batch",
        "policy Idle",
        "policy Fifo",
        "policy Rr",
        "in a group",
        "held back by a quota",
        "real-time tasks throttled",
        "moved while it ran",
    ];
    let all = machines.chain(kernels).chain(tasks.map(String::from));
    let unmet: Vec<String> = all.filter(|what| !seen.met.contains(what)).collect();
    assert_eq!(unmet, [""; 0]);
    let missing = |why: &&PlacementWhy| !seen.placements.contains(why);
    let unplaced: Vec<_> = PlacementWhy::ALL.iter().filter(missing).collect();
    assert!(unplaced.is_empty(), "{unplaced:?}");
    let missing = |why: &&BalanceWhy| !seen.attempts.contains(why);
    let untried: Vec<_> = BalanceWhy::ALL.iter().filter(missing).collect();
    // What is not due is not an attempt.
    assert_eq!(untried, [&BalanceWhy::NotDue]);
    let balancing = [
        MigrateWhy::NewIdle,
        MigrateWhy::Periodic,
        MigrateWhy::IdlePeriodic,
        MigrateWhy::Active,
    ];
    assert!(
        balancing.iter().all(|why| seen.moves.contains(why)),
        "{:?}",
        seen.moves
    );
}

#[test]
fn domains_cover_their_span_and_powers_add_up() {
    for seed in 0..400 {
        let (mut dice, mut met) = (Dice::new(seed), BTreeSet::new());
        let topology = topology(&mut dice, &mut met);
        let kernel = kernel(&mut dice, &mut met);
        let domains = Domains::new(&topology, &kernel.domains, kernel.rules.domain_rules());
        for cpu in &topology.all() {
            let mut below = CpuMask::just(cpu);
            for d in domains.of(cpu) {
                assert!(below.is_subset(&d.sd.span), "levels widen");
                below = d.sd.span;
                assert!(d.local().span.contains(cpu));
                assert_eq!(d.groups().next().map(|g| g.span), Some(d.local().span));
                let together = d.groups().fold(CpuMask::EMPTY, |all, g| {
                    assert!(!all.intersects(&g.span), "groups do not overlap");
                    all.or(&g.span)
                });
                assert_eq!(together, d.sd.span);
                assert!(d.groups().all(|g| g.power > 0));
                if kernel.rules.cpu_power == CpuPower::Sum {
                    check_sums(&topology, &domains, cpu);
                }
            }
        }
    }
}

/// In 2.6.32 the powers of a domain's groups add up to those of the cores below them.
fn check_sums(topology: &Topology, domains: &Domains, cpu: CpuId) {
    let Some(largest) = domains.of(cpu).last() else {
        return;
    };
    let power: u64 = largest.groups().map(|g| g.power).sum();
    let of_cores = |cpu: CpuId| {
        let threads = topology.span_of(Unit::Core, cpu).weight() as u64;
        [1024, 1178 / threads]
    };
    let (mut least, mut most) = (0, 0);
    for cpu in &largest.sd.cpus {
        let [plain, shared] = of_cores(*cpu);
        least += plain.min(shared);
        most += plain.max(shared);
    }
    assert!(
        (least..=most).contains(&power),
        "{power}: {least} to {most}"
    );
}
