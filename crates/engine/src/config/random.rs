//! Random configurations: every one valid, every one the same on every machine.
//!
//! The same list runs natively and in a browser, and the two must agree to the last event. Not here: any
//! judgement about which configurations are interesting.

use super::{Config, GroupSpec, LIMITS, Quota, Scenario, WorkloadSpec};
use crate::machine::CpuMask;
use crate::machine::catalog::CATALOG;
use crate::machine::sd_flags::{Level, SdFlags};
use crate::rng::Stream;
use crate::sched::features::Feature;
use crate::sched::profile::{DELTAS, PROFILES};
use crate::sched::rules::Bandwidth;
use crate::sched::tunables::Tunable;
use crate::time::{Hz, Nanos};
use crate::workload::{ParamInfo, ParamUnit, WorkloadKind, lang};
use alloc::vec::Vec;

/// Random configurations are cut off at so many events.
pub const MAX_EVENTS: u64 = 200_000;

/// Tasks that some of them have besides the catalog's: what no workload of the catalog does.
const SCRIPTS: [&str; 4] = [
    "lock l adaptive; queue q; barrier b of 2
     task a * 2 forever { run exponential 50us; lock l; run 10us..30us; unlock l; barrier b; wakeall q; yield }
     task b ws 96KiB forever { wait q; choose 30% { sys 5us } else { sleep lognormal 200us sigma 0.5 } }",
    "child kid { run 100us..3ms; exec 200us; run 50us }
     task spawner loop 20 { loop 3 fork kid; join; nice 3; fork kid and wait; nice 0; timer 3ms relative }",
    "pipe ring * 3 buffer 4KiB
     task first { send ring.0 100B; send ring.1 3000B }
     task hop * 3 policy batch forever { recv ring.me 100B; run 20us; cpus 0; run 20us; send ring.next 100B }",
    "task clock policy fifo 50 forever { timer 10ms; run 3ms }
     task round * 2 policy rr 10 cpus 0 forever { run 500us; sleep 2ms }
     task rest * 2 policy idle forever { run 1ms; cpus 0; run 1ms; cpus 0-255; yield; sleep 100us }",
];

/// The first `count` random configurations of `seed`.
pub fn list(seed: u64, count: u32) -> Vec<Config> {
    (0..count).map(|number| nth(seed, number)).collect()
}

/// Random configuration `number` of `seed`.
pub fn nth(seed: u64, number: u32) -> Config {
    config(seed ^ u64::from(number) << 32)
}

/// The random configuration of `seed`: canonical and valid.
pub fn config(seed: u64) -> Config {
    let mut dice = Dice {
        stream: Stream::new(seed, 0),
        drawn: 0,
    };
    loop {
        let config = dice.config();
        if Scenario::try_from(&config).is_ok() {
            return config;
        }
    }
}

/// A stream of draws and how many were made.
struct Dice {
    stream: Stream,
    drawn: u32,
}

impl Dice {
    fn next(&mut self) -> u64 {
        self.drawn += 1;
        self.stream.draw(self.drawn)
    }

    /// 0 … n−1.
    fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn one_of<'t, T>(&mut self, items: &'t [T]) -> &'t T {
        &items[self.below(items.len() as u64) as usize]
    }

    /// Between the two, small distances from the lower as likely as large ones.
    fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = high.abs_diff(low);
        let magnitude = self.below(u64::from(u64::BITS - span.leading_zeros()) + 1);
        let offset = self.below(1 << magnitude.min(62)).min(span);
        low.saturating_add_unsigned(offset)
    }

    fn config(&mut self) -> Config {
        let machine = self.one_of(&CATALOG);
        let kernel = self.one_of(PROFILES);
        let mix = 1 + self.below(3);
        let cpus = machine.layout.cpus;
        let workloads = (0..mix).map(|_| self.workload(cpus)).collect();
        let mut config = Config::new(machine, kernel, workloads);
        self.kernel_changes(&mut config);
        config.seed = self.next() >> self.below(64);
        let duration = self.between(10_000_000, 2_000_000_000);
        config.duration = self.one_in(2).then_some(Nanos(duration as u64));
        let hz = *self.one_of(&[100, 250, 300, 1000, 10_000]);
        config.hz = self.one_in(3).then_some(Hz(hz));
        config.phase = if self.one_in(3) {
            Nanos(self.below(config.hz_in_force().period().0))
        } else {
            Nanos::ZERO
        };
        config.skew_tick = self.one_in(3).then_some(self.one_in(2));
        config.nohz = self.one_in(3);
        config.max_events = MAX_EVENTS;
        if self.one_in(3) {
            self.groups(&mut config);
        }
        if self.one_in(4) {
            let text: &&str = self.one_of(&SCRIPTS);
            config.script = lang::parse(text, &[]).script;
        }
        self.cpusets(&mut config);
        config.canonical()
    }

    /// Groups, some in each other, and workloads in some of them.
    fn groups(&mut self, config: &mut Config) {
        for name in ["A", "B", "C"] {
            let mut group = GroupSpec::new(name);
            let (low, high) = LIMITS.group_weight;
            let weight = self.between(low as i64, high as i64);
            group.shares = GroupSpec::shares_of_weight(weight as u64);
            let inside = self.below(config.groups.len() as u64 + 1) as usize;
            group.parent = config.groups.get(inside).map(|parent| parent.name.clone());
            let knows = config.kernel_of_deltas().rules.bandwidth != Bandwidth::Absent;
            let period = Nanos::from_millis(10 + self.below(90));
            let quota = Nanos::from_millis(1 + self.below(90));
            group.quota = (knows && self.one_in(3)).then_some(Quota {
                quota,
                period,
                burst: Nanos::ZERO,
            });
            config.groups.push(group);
        }
        for spec in &mut config.workloads {
            let inside = self.below(4) as usize;
            spec.group = config.groups.get(inside).map(|group| group.name.clone());
        }
    }

    /// CPUs for some groups, within those of the group above.
    fn cpusets(&mut self, config: &mut Config) {
        for at in 0..config.groups.len() {
            let cpus = 1 + self.below(config.machine.layout.cpus.into());
            let mut cpus = CpuMask::first(cpus as usize);
            let mut group = &config.groups[at];
            while let Some(above) = group.parent.as_deref().and_then(|p| config.group_number(p)) {
                group = &config.groups[usize::from(above) - 1];
                cpus = cpus.and(&group.cpus.unwrap_or(cpus));
            }
            config.groups[at].cpus = self.one_in(3).then_some(cpus);
        }
    }

    fn kernel_changes(&mut self, config: &mut Config) {
        for _ in 0..self.below(4) {
            let delta = self.one_of(DELTAS);
            if delta.base == config.kernel.base {
                let on = !config.deltas.has(delta.id);
                config.deltas = config.deltas.with(delta.id, on);
            }
        }
        for _ in 0..self.below(4) {
            let feature = *self.one_of(Feature::ALL);
            config.features.insert(feature, self.one_in(2));
        }
        for _ in 0..self.below(3) {
            let tunable = *self.one_of(Tunable::ALL);
            let (low, high) = tunable.info().range;
            let value = self.between(low, high);
            if config.kernel_of_deltas().takes(tunable, value) {
                config.tunables.insert(tunable, value);
            }
        }
        for _ in 0..self.below(3) {
            let level = *self.one_of(&Level::ALL);
            let (flag, ..) = *self.one_of(SdFlags::ALL);
            config.sd_flags.insert((level, flag), self.one_in(2));
        }
        *config = config.canonical();
    }

    fn workload(&mut self, cpus: u16) -> WorkloadSpec {
        let kind = *self.one_of(WorkloadKind::ALL);
        let mut spec = WorkloadSpec::new(kind);
        for (param, value) in kind.params().iter().zip(&mut spec.values) {
            if self.one_in(2) {
                *value = self.parameter(param, cpus);
            }
        }
        spec
    }

    /// A value of `param`; counts and times stay near their defaults, so that no mix is huge or starts late.
    fn parameter(&mut self, param: &ParamInfo, cpus: u16) -> i64 {
        let high = match param.unit {
            ParamUnit::Count => param.max.min(2 * param.default + 2),
            ParamUnit::Time => param.max.min(4 * param.default + 20_000_000),
            ParamUnit::Cpu => i64::from(cpus) - 1,
            _ => param.max,
        };
        self.between(param.min, high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_list_begins_with_the_shorter_one() {
        let (three, ten) = (list(1, 3), list(1, 10));
        assert_eq!(three, ten[..3]);
        assert_ne!(list(2, 3), three);
        assert_eq!(config(1), three[0]);
    }

    #[test]
    fn random_configurations_are_valid_canonical_and_varied() {
        let configs = list(7, 300);
        for config in &configs {
            assert_eq!(config, &config.canonical());
            assert_eq!(config.problems(), []);
        }
        let used = |f: &dyn Fn(&Config) -> bool| configs.iter().filter(|c| f(c)).count();
        assert!(used(&|c| !c.features.is_empty()) > 20);
        assert!(used(&|c| !c.tunables.is_empty()) > 20);
        assert!(used(&|c| !c.sd_flags.is_empty()) > 20);
        assert!(used(&|c| c.deltas != c.kernel.deltas) > 20);
        assert!(used(&|c| !c.groups.is_empty()) > 20);
        assert!(used(&|c| c.groups.iter().any(|g| g.cpus.is_some())) > 20);
        assert!(used(&|c| c.groups.iter().any(|g| g.quota.is_some())) > 20);
        assert!(used(&|c| !c.script.is_empty()) > 20);
        for kernel in PROFILES {
            assert!(used(&|c| c.kernel == kernel) > 5, "{}", kernel.name);
        }
        for machine in &CATALOG {
            assert!(used(&|c| c.machine == machine) > 10, "{}", machine.name);
        }
    }
}
