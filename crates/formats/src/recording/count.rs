//! The counts of `summary.json`, computed from events: the same for a recording and for a run of the simulator.
//!
//! Source of the rules: the README beside the recordings; where it is silent, what gives the recorded numbers.

use super::summary::{Counts, Spread};
use schedlab_engine::replay::{Event, Left, Name, Row};
use std::collections::BTreeMap;

/// A switch counts as a preemption by a wakeup or a tick that is no longer ago, ns.
const WINDOW: i64 = 60_000;

/// What the events say of one task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// CPU time, ns.
    pub cpu_ns: u64,
    /// Switches away when no longer runnable.
    pub sw_voluntary: u64,
    /// Switches away when still runnable.
    pub sw_involuntary: u64,
    /// Wakeups, the first included.
    pub wakeups: u64,
    /// Migrations.
    pub migrations: u64,
    /// Lengths of uninterrupted runs, ns; every switch away ends one.
    pub runs: Vec<u64>,
    /// From each wakeup until it runs, ns.
    pub waits: Vec<u64>,
    /// When it ended, ns.
    pub exit_ns: Option<u64>,
}

/// What the events say of everybody.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Count {
    /// Of the machine. Loops are no events: [`Counts::total_count`] stays 0, and so do the CPU times.
    pub counts: Counts,
    /// By name.
    pub tasks: BTreeMap<Name, Counted>,
}

/// Who is on a CPU, and what happened there last.
#[derive(Default)]
struct Cpu {
    running: Option<(Name, i64)>,
    woken: Option<(Name, i64)>,
    tick: Option<i64>,
}

struct Counting<'a> {
    names: &'a [String],
    cpus: BTreeMap<u16, Cpu>,
    waiting: BTreeMap<Name, i64>,
    count: Count,
}

/// Counts `rows`, which name tasks by their place in `names` and end at `end` (ns).
pub fn count(names: &[String], rows: &[Row], end: u64) -> Count {
    let mut counting = Counting {
        names,
        cpus: BTreeMap::new(),
        waiting: BTreeMap::new(),
        count: Count::default(),
    };
    counting.count.counts.t_end_ns = end;
    for row in rows {
        counting.row(row);
    }
    counting.finish(end as i64)
}

impl Counting<'_> {
    fn row(&mut self, row: &Row) {
        match row.event {
            Event::Switch { prev, left, next } => self.switch(row, (prev, left), next),
            Event::Wakeup { task, cpu } | Event::WakeupNew { task, cpu } => {
                self.count.counts.wakeups += 1;
                self.task(task).wakeups += 1;
                self.waiting.insert(task, row.t);
                self.cpus.entry(cpu).or_default().woken = Some((task, row.t));
            }
            Event::Migrate { task, .. } => {
                self.count.counts.migrations += 1;
                self.task(task).migrations += 1;
            }
            Event::Exit { task } => self.task(task).exit_ns = u64::try_from(row.t).ok(),
            Event::Tick | Event::Hrtick => {
                let counts = &mut self.count.counts;
                match row.event {
                    Event::Tick => counts.ticks += 1,
                    _ => counts.hrticks += 1,
                }
                self.cpus.entry(row.cpu).or_default().tick = Some(row.t);
            }
            Event::Waking { .. } | Event::Fork { .. } | Event::Runtime { .. } => {}
        }
    }

    fn switch(&mut self, row: &Row, (prev, left): (Name, Left), next: Name) {
        self.count.counts.context_switches += 1;
        let before = self
            .cpus
            .entry(row.cpu)
            .or_default()
            .running
            .replace((next, row.t));
        if let Some((who, since)) = before {
            self.ran(who, since, row.t, true);
        }
        if !self.is_idle(prev) {
            self.leaves(row, (prev, left), next);
        }
        if let Some(woken) = self.waiting.remove(&next) {
            self.task(next).waits.push((row.t - woken).max(0) as u64);
        }
    }

    fn leaves(&mut self, row: &Row, (prev, left): (Name, Left), next: Name) {
        let cpu = &self.cpus[&row.cpu];
        let recent = |at: i64| row.t - at <= WINDOW;
        let woken = cpu.woken.filter(|(who, at)| {
            *who == next && recent(*at) && cpu.tick.is_none_or(|tick| tick <= *at)
        });
        let tick = cpu.tick.filter(|at| recent(*at));
        let counts = &mut self.count.counts;
        match left {
            Left::Gone => counts.voluntary += 1,
            Left::Runnable => {
                counts.involuntary += 1;
                match (woken, tick) {
                    (Some(_), _) => counts.wakeup_preemptions += 1,
                    (None, Some(_)) => counts.tick_preemptions += 1,
                    (None, None) => counts.other_involuntary += 1,
                }
            }
        }
        let task = self.task(prev);
        match left {
            Left::Gone => task.sw_voluntary += 1,
            Left::Runnable => task.sw_involuntary += 1,
        }
    }

    /// `who` was on a CPU; `whole` if that ended with a switch.
    fn ran(&mut self, who: Name, since: i64, until: i64, whole: bool) {
        let ns = (until - since).max(0) as u64;
        if self.is_idle(who) {
            self.count.counts.idle_ns += ns;
            return;
        }
        let task = self.task(who);
        task.cpu_ns += ns;
        if whole {
            task.runs.push(ns);
        }
    }

    fn finish(mut self, end: i64) -> Count {
        let running: Vec<_> = self.cpus.values().filter_map(|cpu| cpu.running).collect();
        for (who, since) in running {
            self.ran(who, since, end, false);
        }
        self.count
    }

    fn task(&mut self, name: Name) -> &mut Counted {
        self.count.tasks.entry(name).or_default()
    }

    fn is_idle(&self, name: Name) -> bool {
        self.names[name.index()] == "idle"
    }
}

impl Spread {
    /// The distribution of `values`; none if there are none. Percentiles are by the rank nearest to p·(n−1), of two
    /// equally near the higher one: what the recordings' own percentiles are.
    pub fn of(values: &[u64]) -> Option<Spread> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let n = sorted.len();
        let at = |percent: usize| sorted[(percent * (n - 1) * 2 + 100) / 200];
        Some(Spread {
            min,
            p10: at(10),
            p50: at(50),
            p90: at(90),
            p99: at(99),
            max,
            mean: sorted.iter().map(|v| *v as f64).sum::<f64>() / n as f64,
            n: n as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_at_the_nearest_rank_the_higher_of_two() {
        assert_eq!(Spread::of(&[]), None);
        let of = |n: u64| Spread::of(&(0..n).rev().collect::<Vec<_>>()).expect("some");
        let s = of(26);
        assert_eq!(
            [s.min, s.p10, s.p50, s.p90, s.p99, s.max],
            [0, 3, 13, 23, 25, 25]
        );
        assert!((s.mean - 12.5).abs() < 1e-9);
        assert_eq!([of(1).p50, of(52).p99], [0, 50]);
    }

    const IDLE: Name = Name(0);
    const A: Name = Name(1);
    const B: Name = Name(2);

    fn switch(t: i64, prev: Name, left: Left, next: Name) -> Row {
        let event = Event::Switch { prev, left, next };
        Row { t, cpu: 0, event }
    }

    fn wakeup(t: i64, task: Name) -> Row {
        let event = Event::Wakeup { task, cpu: 0 };
        Row { t, cpu: 0, event }
    }

    fn of(rows: &[Row], end: u64) -> Count {
        let names = ["idle", "a", "b"].map(String::from);
        count(&names, rows, end)
    }

    #[test]
    fn a_preemption_belongs_to_the_wakeup_unless_a_tick_came_between() {
        let tick = |t| Row {
            t,
            cpu: 0,
            event: Event::Tick,
        };
        let preempts = |rows: &[Row], at: i64| {
            let mut all = vec![switch(0, IDLE, Left::Runnable, A)];
            all.extend(rows);
            all.push(switch(at, A, Left::Runnable, B));
            let c = of(&all, 1_000_000).counts;
            (
                c.wakeup_preemptions,
                c.tick_preemptions,
                c.other_involuntary,
            )
        };
        assert_eq!(preempts(&[wakeup(100_000, B)], 160_000), (1, 0, 0));
        assert_eq!(preempts(&[wakeup(100_000, B)], 160_001), (0, 0, 1));
        assert_eq!(
            preempts(&[wakeup(100_000, B), tick(101_000)], 110_000),
            (0, 1, 0)
        );
        assert_eq!(
            preempts(&[tick(99_000), wakeup(100_000, B)], 110_000),
            (1, 0, 0)
        );
        assert_eq!(
            preempts(&[tick(99_000), wakeup(100_000, A)], 110_000),
            (0, 1, 0)
        );
    }

    #[test]
    fn time_goes_to_who_runs_and_the_last_run_is_time_but_no_run() {
        let rows = [
            wakeup(5, A),
            switch(10, IDLE, Left::Runnable, A),
            switch(40, A, Left::Gone, IDLE),
            wakeup(60, A),
            switch(65, IDLE, Left::Runnable, A),
        ];
        let count = of(&rows, 100);
        let a = &count.tasks[&A];
        assert_eq!((a.cpu_ns, a.sw_voluntary, a.sw_involuntary), (65, 1, 0));
        assert_eq!(
            (a.runs.as_slice(), a.waits.as_slice()),
            ([30].as_slice(), [5, 5].as_slice())
        );
        assert_eq!(
            (count.counts.idle_ns, count.counts.context_switches),
            (25, 3)
        );
    }
}
