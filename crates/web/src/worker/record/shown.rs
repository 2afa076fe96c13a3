//! The engine's counts in the shape of the protocol.

use super::parts;
use crate::number::{log10, pow};
use crate::protocol::{self, Account as Shown, CpuPlace, TaskInfo, Tiles, Topology};
use crate::text::{Msg, fill, text};
use crate::worker::names::TaskNames;
use schedlab_engine::machine::topology::Unit;
use schedlab_engine::observe::Account;
use schedlab_engine::observe::histogram::Histogram;
use schedlab_engine::observe::metrics::{Metrics, measured};
use schedlab_engine::sim::Sim;
use schedlab_engine::time::Instant;
use schedlab_engine::workload::program::TemplateId;
use schedlab_engine::workload::{Template, World};

/// The sums so far.
pub(super) fn tiles(metrics: &Metrics, sim: &Sim, hash: u64) -> Tiles {
    let progress = sim.progress();
    let global = metrics.global(progress.now);
    let measured = measured(&metrics.marks(), &sim.world().marks, progress.now);
    let latency = |of: fn(&schedlab_engine::observe::histogram::Distribution) -> u64| {
        global
            .wake_to_run
            .as_ref()
            .map_or(f64::NAN, |d| of(d) as f64)
    };
    Tiles {
        counts: sim.world().channels.iter().any(|channel| channel.counted),
        messages: global.messages,
        measured_ns: measured.0,
        switches: global.context_switches,
        preempted_by_wakeup: global.wakeup_preemptions,
        preempted_by_tick: global.tick_preemptions,
        migrations: global.migrations,
        wakeups: global.wakeups,
        wasted_ns: global.wasted_ns,
        latency_p50_ns: latency(|d| d.p50),
        latency_p99_ns: latency(|d| d.p99),
        latency_max_ns: latency(|d| d.max),
        events: progress.events,
        hash,
    }
}

/// Sums of each bin become shares and means over what has passed of it.
pub(super) fn series(metrics: &Metrics, now: Instant) -> protocol::Series {
    let report = metrics.series_at(now);
    let latency = metrics.latencies_at(now, protocol::BINS_SHOWN);
    // A bin that has not begun to pass is not there yet.
    let bins = (now.0.div_ceil(report.bin.0.max(1)) as usize).min(report.bins);
    let width = |bin: usize| (now.0 - bin as u64 * report.bin.0).min(report.bin.0) as f64;
    let quantiles = |of: &[Option<u64>]| {
        of.iter()
            .map(|v| v.map_or(f32::NAN, |v| v as f32))
            .collect()
    };
    let means = |sums: &[u64]| {
        let cpus = sums.chunks(report.bins.max(1));
        let mean = |(bin, sum): (usize, &u64)| (*sum as f64 / width(bin)) as f32;
        cpus.flat_map(|sums| {
            sums.iter()
                .take(bins)
                .enumerate()
                .map(mean)
                .collect::<Vec<_>>()
        })
        .collect()
    };
    protocol::Series {
        bin_ns: report.bin.0,
        messages: report
            .messages
            .iter()
            .take(bins)
            .map(|n| *n as f32)
            .collect(),
        latency_bin_ns: latency.bin.0,
        latency_p50_ns: quantiles(&latency.p50),
        latency_p99_ns: quantiles(&latency.p99),
        busy: means(&report.busy),
        waiting: means(&report.waiting),
    }
}

/// Steps of the shown distribution to each tenfold.
const STEPS: f64 = 8.0;

/// The distribution in bins of equal ratio, from the smallest to the largest value.
pub(super) fn histogram(all: &Histogram) -> protocol::Histogram {
    let Some((min, max)) = all.range() else {
        return protocol::Histogram::default();
    };
    let place = |ns: u64| (log10(ns.max(1) as f64) * STEPS).floor() as usize;
    let (low, high) = (place(min), place(max));
    let mut counts = vec![0.0; high + 1 - low];
    for bucket in all.buckets() {
        let middle = bucket.from + (bucket.to - bucket.from) / 2;
        counts[place(middle).clamp(low, high) - low] += bucket.count as f64;
    }
    let edge = |bin: usize| pow(10.0, (low + bin) as f64 / STEPS);
    protocol::Histogram {
        edges_ns: (0..=counts.len()).map(edge).collect(),
        counts,
    }
}

/// CPU time by the accounts that are shown, over all CPUs.
pub(super) fn accounts(sim: &Sim) -> [f64; Shown::COUNT] {
    let mut sums = [0.0; Shown::COUNT];
    for cpu in &sim.topology().all() {
        for (account, ns) in Account::ALL.into_iter().zip(sim.accounts(cpu)) {
            sums[shown(account) as usize] += ns as f64;
        }
    }
    sums
}

const fn shown(account: Account) -> Shown {
    match account {
        Account::Work | Account::Kernel | Account::Spin => Shown::Work,
        Account::Switch => Shown::Switch,
        Account::Refill => Shown::Refill,
        Account::Selection => Shown::Selection,
        Account::Balancing => Shown::Balancing,
        Account::Interrupt => Shown::Interrupt,
        Account::Idle => Shown::Idle,
    }
}

/// Where each CPU sits.
pub(super) fn topology(sim: &Sim) -> Topology {
    let topology = sim.topology();
    let place = |cpu| CpuPlace {
        node: topology.unit_of(Unit::Node, cpu),
        package: topology.unit_of(Unit::Package, cpu),
        llc: topology.unit_of(Unit::Llc, cpu),
        core: topology.unit_of(Unit::Core, cpu),
    };
    topology.all().iter().map(place).collect()
}

/// What the next task is called, which is made from `template`; `groups` are the names of groups.
pub(super) fn task(
    world: &World,
    template: TemplateId,
    (names, groups): (&mut TaskNames, &[String]),
) -> TaskInfo {
    let template = &world.templates[template.0 as usize];
    TaskInfo {
        comm: names.next(&template.name).into(),
        kind: (&*template.role).into(),
        group: group(world, template, groups).into(),
    }
}

/// What the group of a task is called: the one it shares a CPU's time in, else the one that stands in a name like
/// `recv 3.17`.
fn group(world: &World, template: &Template, groups: &[String]) -> String {
    let of_tasks = usize::from(parts::group(world, template)).checked_sub(1);
    if let Some(name) = of_tasks.and_then(|place| groups.get(place)) {
        return name.clone();
    }
    let rest = template.name.split_once(' ').map_or("", |(_, rest)| rest);
    match rest.split_once('.') {
        Some((n, _)) => fill(Msg::ColourGroupName, &[("n", n)]),
        None => text(Msg::ColourGroupNone).to_string(),
    }
}
