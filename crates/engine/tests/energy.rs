//! Energy-aware placement in whole runs: what it keeps where, and when it gives way.

use schedlab_engine::config::Scenario;
use schedlab_engine::fragment;
use schedlab_engine::machine::CpuId;
use schedlab_engine::observe::metrics::{Metrics, Report};
use schedlab_engine::sched::decision::PlacementWhy as Why;
use schedlab_engine::sim::Sim;
use schedlab_engine::time::Instant;

/// The machine of the kernel's documentation with those tasks, for a second.
fn run(kernel: &str, aware: &str, tasks: &str) -> (Report, Sim) {
    let link = format!("m=little-big-4&k={kernel}&t=energy_aware:{aware}&dur=1s&w={tasks}");
    let (config, warnings) = fragment::parse(&link);
    assert_eq!(warnings, [], "{link}");
    let scenario = Scenario::try_from(&config).expect("a sound configuration");
    let mut sim = Sim::new(&scenario);
    let mut metrics = Metrics::new(sim.cast());
    sim.run_until(Instant::FAR, &mut metrics);
    (metrics.report(sim.totals()), sim)
}

/// Wakeups that went by energy.
fn by_energy((report, _): &(Report, Sim)) -> u64 {
    let counted = report.global.selections.iter();
    let of = |why: &Why| matches!(why, Why::EnergyBest | Why::EnergyPrev);
    counted.filter(|(why, _)| of(why)).map(|(_, n)| *n).sum()
}

/// Thousandths of all work that the two little CPUs did, by the time it took.
fn little((_, sim): &(Report, Sim)) -> u64 {
    let work = [0, 1, 2, 3].map(|cpu| sim.accounts(CpuId(cpu))[0]);
    (work[0] + work[1]) * 1000 / work.iter().sum::<u64>()
}

/// Three tasks that use a tenth of a big CPU each: the little ones do for them, and cost a fraction.
#[test]
fn small_tasks_gather_on_the_little_cpus() {
    const SMALL: &str = "(task+small*3+forever(run+1ms;sleep+9ms))";
    for kernel in ["6.6", "6.12", "6.18", "7.1", "7.3"] {
        let (aware, plain) = (run(kernel, "on", SMALL), run(kernel, "off", SMALL));
        assert!(by_energy(&aware) > 100, "{kernel}");
        assert_eq!(by_energy(&plain), 0, "{kernel}");
        assert!(little(&aware) > 900, "{kernel}: {}", little(&aware));
        assert!(little(&aware) > little(&plain), "{kernel}");
    }
}

/// A hog makes its CPU too busy for that: all go by capacity again.
#[test]
fn a_cpu_that_is_too_busy_ends_it() {
    const WITH_HOG: &str = "(task+hog+run+forever;task+small*3+forever(run+1ms;sleep+9ms))";
    let report = run("6.12", "on", WITH_HOG);
    // Until the hog has been seen to use more than four fifths.
    assert!(by_energy(&report) < 60, "{}", by_energy(&report));
}
