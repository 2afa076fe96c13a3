//! cyclictest beside hackbench on the RB5, April 2026: a short version of `schedlab reproduce 2026`, and what the explanation
//! of it says.

use schedlab_engine::config::Scenario;
use schedlab_engine::experiments::{Experiment, LatencyTable, Samples, Stat};
use schedlab_engine::fragment;
use schedlab_engine::observe::{Event, Observer};
use schedlab_engine::sched::decision::PreemptWhy;
use schedlab_engine::sim::Sim;
use schedlab_engine::task::TaskId;
use schedlab_engine::time::Instant;

/// As long as a test may take; the published runs took 63 s.
const SHORT: &str = "dur=3s";

/// What cyclictest measured, and which exits its wakeups took.
#[derive(Default)]
struct Watch {
    cyclictest: Option<TaskId>,
    template: u32,
    samples: Vec<u64>,
    exits: Vec<PreemptWhy>,
}

impl Observer for Watch {
    fn record(&mut self, _: Instant, event: &Event) {
        match *event {
            Event::Fork {
                child, template, ..
            } if template.0 == self.template => self.cyclictest = Some(child),
            Event::Wakeup { task, preempt, .. } if Some(task) == self.cyclictest => {
                self.exits.push(preempt.why);
            }
            Event::Mark {
                took: Some(took), ..
            } => self.samples.push(took.0),
            _ => {}
        }
    }
}

impl Watch {
    fn took(&self, why: PreemptWhy) -> usize {
        self.exits.iter().filter(|exit| **exit == why).count()
    }
}

fn table() -> &'static LatencyTable {
    let experiment = Experiment::by_name("2026").expect("an experiment");
    &experiment.latencies[0]
}

/// The run of a column of the table, with something changed.
fn run(column: usize, change: &str) -> (Samples, Watch) {
    let table = table();
    let link = fragment::overlay(table.link, table.columns[column].link);
    let link = fragment::overlay(&fragment::overlay(&link, SHORT), change);
    let (config, warnings) = fragment::parse(&link);
    assert_eq!(warnings, [], "{link}");
    let scenario = Scenario::try_from(&config).expect("sound");
    let templates = &scenario.world.templates;
    let at = templates.iter().position(|t| &*t.role == table.role);
    let mut watch = Watch {
        template: at.expect("cyclictest") as u32,
        ..Watch::default()
    };
    Sim::new(&scenario).run_until(Instant::FAR, &mut watch);
    (Samples::new(core::mem::take(&mut watch.samples)), watch)
}

/// What a run misses, or shows by chance: medians lie apart by where cyclictest is at home, at P90 nobody waits, and of a
/// thousand samples ten are beyond P99, too few to tell the first two columns apart. A claim that is not among them has to
/// hold.
const MISSES: [&str; 4] = [
    "Equal(PerMille(500), 50)",
    "Order(PerMille(900))",
    "Order(PerMille(990))",
    "Above(PerMille(990), 1, 0)",
];

const P99: Stat = Stat::PerMille(990);

fn p99(samples: &Samples) -> f64 {
    samples.figure(P99).expect("samples")
}

/// The claims of the published table that a run of that length does not show, by what they say.
#[test]
fn a_short_run_shows_what_the_table_claims() {
    let table = table();
    let runs: Vec<(Samples, Watch)> = (0..3).map(|column| run(column, "")).collect();
    let samples: Vec<Samples> = runs.iter().map(|(samples, _)| samples.clone()).collect();
    let misses: Vec<String> = table
        .claims
        .iter()
        .filter(|claim| table.judge(**claim, &samples) != Some(true))
        .map(|claim| format!("{claim:?}"))
        .collect();
    let unexpected: Vec<&String> = misses
        .iter()
        .filter(|m| !MISSES.contains(&m.as_str()))
        .collect();
    assert!(unexpected.is_empty(), "{unexpected:?}");
    // Without the patch the buddy of the busy group keeps the CPU, with it hardly ever.
    let buddy = |column: usize| runs[column].1.took(PreemptWhy::BuddyFirst);
    assert!(buddy(0) > 30 && buddy(1) > 30 && buddy(2) < 5);
    // With default slices protection and buddy stand in the way, with a shorter slice only the buddy does.
    let protected = |column: usize| runs[column].1.took(PreemptWhy::CurrProtected);
    assert!(protected(0) > 3);
    assert_eq!([protected(1), protected(2)], [0, 0]);
}

/// Two groups are what makes the difference: a task that sleeps makes its group the buddy of the root queue. In one group
/// with hackbench, tasks are compared with each other, no sleep leaves a buddy, and the patch has nothing to do.
#[test]
fn in_one_group_there_is_no_buddy_and_the_patch_changes_nothing() {
    const ONE: &str = "w=hackbench(groups=2,loops=16000000,via=pipes,as=thread,slice=20ms,in=test-A);\
        cyclictest(interval=2777us,slice=8ms,in=test-A)";
    let (without, watch) = run(1, ONE);
    let (with, _) = run(2, ONE);
    assert_eq!(watch.took(PreemptWhy::BuddyFirst), 0);
    assert_eq!(without, with, "to the nanosecond");
    let (two, _) = run(1, "");
    assert!(
        p99(&two) > 5.0 * p99(&without),
        "{} {}",
        p99(&two),
        p99(&without)
    );
}

/// Without `PICK_BUDDY` the kernel before the patch does what the patch is for.
#[test]
fn without_buddies_the_old_kernel_is_as_good_as_the_patched_one() {
    let (honours, _) = run(1, "");
    let (ignores, watch) = run(1, "f=NO_PICK_BUDDY");
    assert_eq!(watch.took(PreemptWhy::BuddyFirst), 0);
    assert!(p99(&honours) > 5.0 * p99(&ignores));
    assert_eq!(ignores.above(3_000_000), 0);
}
