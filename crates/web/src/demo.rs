//! Invented runs, to look at pictures and to measure them without an engine. No part of the page.
//!
//! They look like hackbench: tasks of a few groups run, sleep, wake each other and now and then move. Nothing in them
//! follows a scheduler's rules.

use crate::protocol::{
    CpuPlace, EndWhy, Histogram, LaneChunk, MigrateWhy, Migration, Migrations, PickWhy,
    PlacementWhy, PreemptWhy, QueuedTask, RunQueue, RunSide, Series, Snapshot, Switch, TaskInfo,
    Tiles, Topology, TraceDelta, Update, Wakeup, Wakeups,
};

/// What to invent.
#[derive(Clone, Copy, Debug)]
pub struct Demo {
    /// For which side.
    pub side: RunSide,
    /// Seed of the dice.
    pub seed: u64,
    /// How long the run is, ns.
    pub length_ns: u64,
    /// How many switches there are on each CPU.
    pub switches_per_cpu: u64,
    /// CPUs: packages × last-level caches in each × cores in each.
    pub cpus: (u16, u16, u16),
    /// In how many updates it arrives.
    pub updates: u32,
}

impl Demo {
    /// Half a second on a machine like Tigerton; B has shorter slices.
    pub fn small(side: RunSide) -> Demo {
        Demo {
            side,
            seed: 42 + u64::from(side == RunSide::B),
            length_ns: 520_000_000,
            switches_per_cpu: if side == RunSide::A { 6_000 } else { 14_000 },
            cpus: (4, 2, 2),
            updates: 4,
        }
    }

    /// `switches` altogether on 16 CPUs.
    pub fn large(side: RunSide, switches: u64) -> Demo {
        Demo {
            length_ns: switches * 700,
            switches_per_cpu: switches / 16,
            updates: 50,
            ..Demo::small(side)
        }
    }

    /// Everything it sends.
    pub fn updates(self) -> Vec<Update> {
        let mut world = World::new(self);
        (0..self.updates).map(|seq| world.update(seq)).collect()
    }

    /// What is known when all has been sent.
    pub fn snapshot(self) -> Snapshot {
        let mut snapshot = None;
        for update in self.updates() {
            snapshot = Some(Snapshot::advance(snapshot.as_ref(), update));
        }
        snapshot.unwrap_or_default()
    }
}

/// An invented run queue of nine tasks on CPU 3.
pub fn run_queue() -> RunQueue {
    let task = |(i, vruntime_us): (usize, i64)| QueuedTask {
        task: Some(40 + i as u32),
        comm: format!("{}-4/{i}", if i % 3 == 0 { "send" } else { "recv" }),
        vruntime_ns: 108_204_000 + vruntime_us * 1_000,
        weight: if i == 5 { 335 } else { 1024 },
    };
    let offsets = [-210, 0, 313, 330, 1_450, 2_800, 3_666, 9_100, 9_140];
    RunQueue {
        cpu: 3,
        at_ns: 12_463_100,
        min_vruntime_ns: 108_204_000,
        gran_ns: 5_000_000,
        queued: offsets.into_iter().enumerate().map(task).collect(),
        curr: Some(0),
        left: Some(1),
        next: None,
        last: Some(6),
        throttled: Vec::new(),
    }
}

const GROUPS: u32 = 10;
const FAN: u32 = 20;
const BINS: u64 = 200;

/// Dice that always fall the same (Knuth's 64-bit linear congruential generator, upper half).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }

    /// 0 … 1.
    fn unit(&mut self) -> f64 {
        self.below(1 << 30) as f64 / f64::from(1 << 30)
    }
}

/// A run in the making.
struct World {
    demo: Demo,
    dice: Dice,
    /// When each CPU switches next.
    next_ns: Vec<u64>,
    running: Vec<Option<u32>>,
    sums: Tiles,
}

impl World {
    fn new(demo: Demo) -> World {
        let cpus = usize::from(demo.cpus.0 * demo.cpus.1 * demo.cpus.2);
        World {
            demo,
            dice: Dice(demo.seed),
            next_ns: vec![0; cpus],
            running: vec![None; cpus],
            sums: Tiles::default(),
        }
    }

    fn update(&mut self, seq: u32) -> Update {
        let now_ns = self.demo.length_ns * u64::from(seq + 1) / u64::from(self.demo.updates);
        let trace = self.trace(now_ns);
        let switches: usize = trace.lanes.iter().map(LaneChunk::len).sum();
        self.sums.switches += switches as u64;
        self.sums.counts = true;
        self.sums.messages = self.sums.switches * 3;
        self.sums.measured_ns = now_ns;
        self.sums.migrations += trace.migrations.len() as u64;
        self.sums.wakeups += trace.wakeups.len() as u64;
        Update {
            run: 1,
            side: self.demo.side,
            seq,
            done: seq + 1 == self.demo.updates,
            now_ns,
            progress: (seq + 1) as f32 / self.demo.updates as f32,
            topology: if seq == 0 {
                topology(self.demo.cpus)
            } else {
                Topology::new()
            },
            new_tasks: if seq == 0 { tasks() } else { Vec::new() },
            tiles: Tiles {
                latency_p50_ns: 210e3,
                latency_p99_ns: 6.3e6,
                latency_max_ns: 14.1e6,
                ..self.sums
            },
            series: self.series(now_ns),
            latency: self.latency(),
            accounts_ns: self.accounts(now_ns),
            parts: Vec::new(),
            trace,
        }
    }

    fn trace(&mut self, until_ns: u64) -> TraceDelta {
        let cpus = self.next_ns.len();
        let mut delta = TraceDelta {
            lanes: vec![LaneChunk::default(); cpus],
            end_ns: until_ns,
            ..TraceDelta::default()
        };
        let (mut wakeups, mut migrations) = (Vec::new(), Vec::new());
        for cpu in 0..cpus {
            while self.next_ns[cpu] < until_ns {
                let at_ns = self.next_ns[cpu];
                let switch = self.switch(cpu, at_ns);
                delta.lanes[cpu].push(switch);
                wakeups.extend(switch.task.map(|task| self.wakeup(cpu as u16, at_ns, task)));
                if self.dice.below(25) == 0 {
                    migrations.extend(
                        switch
                            .task
                            .map(|task| self.migration(cpu as u16, at_ns, task)),
                    );
                }
            }
        }
        wakeups.sort_by_key(|wakeup| wakeup.at_ns);
        migrations.sort_by_key(|migration| migration.at_ns);
        let (mut all_wakeups, mut all_migrations) = (Wakeups::default(), Migrations::default());
        for wakeup in wakeups {
            all_wakeups.push(wakeup);
        }
        for migration in migrations {
            all_migrations.push(migration);
        }
        TraceDelta {
            wakeups: all_wakeups,
            migrations: all_migrations,
            ..delta
        }
    }

    fn switch(&mut self, cpu: usize, at_ns: u64) -> Switch {
        let mean = self.demo.length_ns / self.demo.switches_per_cpu.max(1);
        let long = 1.0 + 6.0 * self.dice.unit().powi(6);
        self.next_ns[cpu] = at_ns + 200 + (self.dice.unit() * long * mean as f64) as u64;
        let idle = self.running[cpu].is_some() && self.dice.below(12) == 0;
        let task = (!idle).then(|| self.dice.below(u64::from(GROUPS * FAN * 2)) as u32);
        self.running[cpu] = task;
        let picks = [
            PickWhy::Leftmost,
            PickWhy::Leftmost,
            PickWhy::LastBuddy,
            PickWhy::NextBuddy,
            PickWhy::Only,
        ];
        let ends = [
            EndWhy::Sleeping,
            EndWhy::Sleeping,
            EndWhy::WakeupPreempt,
            EndWhy::Tick,
            EndWhy::Yielded,
        ];
        Switch {
            at_ns,
            task,
            pick: if idle {
                PickWhy::Idle
            } else {
                picks[self.dice.below(5) as usize]
            },
            prev_end: ends[self.dice.below(5) as usize],
            waiting: if idle { 0 } else { self.dice.below(12) as u16 },
        }
    }

    fn wakeup(&mut self, cpu: u16, ran_ns: u64, task: u32) -> Wakeup {
        let cpus = self.next_ns.len() as u64;
        let from_cpu = if self.dice.below(3) == 0 {
            self.dice.below(cpus) as u16
        } else {
            cpu
        };
        let preempts = self.dice.below(3) == 0;
        Wakeup {
            at_ns: ran_ns.saturating_sub(self.dice.below(40_000)),
            task,
            waker: Some(self.dice.below(u64::from(GROUPS * FAN * 2)) as u32),
            from_cpu,
            to_cpu: cpu,
            prev_cpu: cpu,
            sync: self.dice.below(2) == 0,
            preempts,
            preempt: if preempts {
                PreemptWhy::BeyondGranularity
            } else {
                PreemptWhy::WithinGranularity
            },
            placement: PlacementWhy::AffineSync,
        }
    }

    fn migration(&mut self, cpu: u16, at_ns: u64, task: u32) -> Migration {
        Migration {
            at_ns,
            task,
            from_cpu: self.dice.below(self.next_ns.len() as u64) as u16,
            to_cpu: cpu,
            why: MigrateWhy::NewIdle,
        }
    }

    fn series(&self, now_ns: u64) -> Series {
        let bin_ns = self.demo.length_ns.div_ceil(BINS);
        let bins = now_ns.div_ceil(bin_ns) as usize;
        let mut dice = Dice(self.demo.seed);
        let b = self.demo.side == RunSide::B;
        let mut walk = |mean: f64, noise: f64, count: usize| -> Vec<f32> {
            let mut value = mean;
            let mut step = || {
                value += (mean - value) * 0.15 + (dice.unit() - 0.5) * noise;
                value.max(0.0) as f32
            };
            (0..count).map(|_| step()).collect()
        };
        let per_bin = if b { 1.12e6 } else { 1.84e6 } * bin_ns as f64 / 1e9;
        let [p50, p99] = if b { [340e3, 4.1e6] } else { [210e3, 6.3e6] };
        let cpus = self.next_ns.len();
        let mut rows = |mean: f64, noise: f64| -> Vec<f32> {
            (0..cpus)
                .flat_map(|cpu| walk(mean * (1.0 + 0.4 * (cpu % 4) as f64) / 1.6, noise, bins))
                .collect()
        };
        let (busy, waiting) = (rows(0.8, 0.1), rows(4.0, 3.0));
        let busy = busy.into_iter().map(|share| share.min(1.0)).collect();
        Series {
            bin_ns,
            messages: walk(per_bin, per_bin * 0.12, bins),
            latency_bin_ns: bin_ns * 8,
            latency_p50_ns: walk(p50, p50 * 0.2, bins.div_ceil(8)),
            latency_p99_ns: walk(p99, p99 * 0.3, bins.div_ceil(8)),
            busy,
            waiting,
        }
    }

    fn latency(&self) -> Histogram {
        let b = self.demo.side == RunSide::B;
        let edges_ns: Vec<f64> = (0..=80)
            .map(|i| 1e3 * 10f64.powf(f64::from(i) / 16.0))
            .collect();
        let bell = |x: f64, middle: f64, width: f64| (-((x - middle) / width).powi(2)).exp();
        let count = |i: usize| {
            let x = i as f64;
            let (first, second) = if b {
                (0.9 * bell(x, 38.0, 9.0), 0.15 * bell(x, 56.0, 5.0))
            } else {
                (bell(x, 32.0, 10.0), 0.35 * bell(x, 62.0, 6.0))
            };
            ((first + second) * 10_000.0).floor()
        };
        Histogram {
            counts: (0..80).map(count).collect(),
            edges_ns,
        }
    }

    fn accounts(&self, now_ns: u64) -> [f64; 7] {
        let shares = if self.demo.side == RunSide::B {
            [0.36, 0.27, 0.18, 0.06, 0.03, 0.01, 0.09]
        } else {
            [0.52, 0.14, 0.11, 0.06, 0.03, 0.01, 0.13]
        };
        shares.map(|share| share * now_ns as f64 * self.next_ns.len() as f64)
    }
}

/// CPU numbers go round the packages first, as the kernel numbered them in 2009.
fn topology((packages, llcs, cores): (u16, u16, u16)) -> Topology {
    let place = |cpu: u16| {
        let package = cpu % packages;
        let inside = cpu / packages;
        let llc = package * llcs + inside % llcs;
        CpuPlace {
            node: 0,
            package,
            llc,
            core: cpu,
        }
    };
    (0..packages * llcs * cores).map(place).collect()
}

fn tasks() -> Vec<TaskInfo> {
    let task = |i: u32| {
        let (group, member) = (i / (2 * FAN), i % (2 * FAN));
        let (kind, short) = if member < FAN {
            ("sender", "send")
        } else {
            ("receiver", "recv")
        };
        TaskInfo {
            comm: format!("{short}-{group}/{}", member % FAN).into(),
            kind: kind.into(),
            group: format!("group {group}").into(),
        }
    };
    (0..GROUPS * FAN * 2).map(task).collect()
}
