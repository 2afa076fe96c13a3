//! Links as a whole: what is read, what is written, what is said about the rest.

use super::*;
use crate::config::random;
use crate::machine::sd_flags::{Level, SdFlags};
use crate::sched::features::Feature;
use crate::sched::profile::{DeltaId, DeltaProblem, Profile};
use crate::sched::tunables::Tunable;
use crate::time::{Hz, Nanos};
use crate::workload::{WorkloadKind, lang};
use alloc::string::ToString;

/// The link is read without a warning, and written like this.
fn check(link: &str, canonical: &str) -> Config {
    let (config, warnings) = parse(link);
    assert_eq!(warnings, [], "{link}");
    assert_eq!(print(&config), canonical, "{link}");
    config
}

/// The words of every warning about `link`.
fn words(link: &str) -> Vec<String> {
    parse(link).1.iter().map(ToString::to_string).collect()
}

#[test]
fn every_part_of_the_grammar_is_read_and_written() {
    let link = "v=1&m=q6600&k=2.6.32&d=-D23,D24&f=NEXT_BUDDY,NO_LAST_BUDDY&t=wakeup_granularity:8ms,\
                migration_cost:-1&sd=-BALANCE_NEWIDLE,-MC:WAKE_AFFINE&w=hackbench(groups=2,via=pipes);\
                hogs(nice=5,cpu=0)&seed=7&dur=1.5s&hz=250&phase=250us&skew_tick=off&nohz=on&events=1000";
    let config = check(link, link);
    assert_eq!(config.machine.name, "q6600");
    assert!(config.deltas.has(DeltaId(24)) && !config.deltas.has(DeltaId(23)));
    let buddies = [Feature::NextBuddy, Feature::LastBuddy].map(|f| config.features.get(&f));
    assert_eq!(buddies, [Some(&true), Some(&false)]);
    assert_eq!(
        config.tunables.get(&Tunable::WakeupGranularity),
        Some(&8_000_000)
    );
    assert_eq!(config.tunables.get(&Tunable::MigrationCost), Some(&-1));
    assert_eq!(
        config.sd_flags.get(&(Level::Mc, SdFlags::WAKE_AFFINE)),
        Some(&false)
    );
    assert_eq!(config.workloads[0].get("via"), Some(1));
    assert_eq!(config.workloads[1].get("cpu"), Some(0));
    assert_eq!((config.seed, config.hz), (7, Some(Hz(250))));
    assert_eq!(config.duration, Some(Nanos(1_500_000_000)));
    assert_eq!((config.skew_tick, config.nohz), (Some(false), true));
    assert_eq!(config.max_events, 1000);
}

#[test]
fn only_what_differs_is_written() {
    check("", "v=1");
    check(
        "v=1&m=tigerton-4x4&k=2.6.32-rc1&w=hackbench(loops=50)",
        "v=1",
    );
    check("w=hackbench(loops=100,groups=10)", "v=1&w=hackbench");
    check("f=NO_NEXT_BUDDY,START_DEBIT", "v=1");
    check("t=wakeup_granularity:5ms", "v=1");
    check(
        "m=q6600&t=wakeup_granularity:5ms",
        "v=1&m=q6600&t=wakeup_granularity:5ms",
    );
    check(
        "hz=1000&skew_tick=on&phase=0&nohz=off&d=D13&dur=none&seed=1",
        "v=1",
    );
    check("w=none", "v=1&w=none");
}

#[test]
fn a_flag_is_switched_at_one_level_or_at_all() {
    check("sd=-BALANCE_NEWIDLE", "v=1&sd=-BALANCE_NEWIDLE");
    check("sd=NO_SD_BALANCE_NEWIDLE", "v=1&sd=-BALANCE_NEWIDLE");
    check(
        "sd=-BALANCE_NEWIDLE,MC:BALANCE_NEWIDLE",
        "v=1&sd=-SIBLING:BALANCE_NEWIDLE,-CPU:BALANCE_NEWIDLE,-NODE:BALANCE_NEWIDLE,-ALLNODES:BALANCE_NEWIDLE",
    );
    check("sd=BALANCE_WAKE", "v=1&sd=BALANCE_WAKE");
    check("sd=mc:-wake_affine", "v=1&sd=-MC:WAKE_AFFINE");
}

/// Names that kernels changed: each is understood, and written as the kernel has it that was chosen.
#[test]
fn names_are_written_as_the_chosen_kernel_has_them() {
    check(
        "k=6.1&f=NO_WAKEUP_PREEMPT,NO_NONTASK_POWER",
        "v=1&k=6.1&f=NO_WAKEUP_PREEMPTION,NO_NONTASK_CAPACITY",
    );
    check(
        "k=7.3&f=NO_WAKEUP_PREEMPT",
        "v=1&k=7.3&f=NO_WAKEUP_PREEMPTION",
    );
    check("f=NO_WAKEUP_PREEMPTION", "v=1&f=NO_WAKEUP_PREEMPT");
    check(
        "k=2.6.31&f=NO_FAIR_SLEEPERS,NO_LB_SHARES_UPDATE",
        "v=1&k=2.6.31&f=NO_NEW_FAIR_SLEEPERS,NO_LB_WAKEUP_UPDATE",
    );
    check(
        "k=2.6.31&d=D04&f=NO_NEW_FAIR_SLEEPERS",
        "v=1&k=2.6.31&d=D04&f=NO_FAIR_SLEEPERS",
    );
    check(
        "k=6.5&sd=-SIBLING:SHARE_CPUPOWER,-CPU:WAKE_AFFINE",
        "v=1&k=6.5&sd=-DIE:WAKE_AFFINE,-SHARE_CPUCAPACITY",
    );
    check(
        "k=2.6.31&sd=-DIE:WAKE_AFFINE,-SMT:SD_SHARE_CPUCAPACITY",
        "v=1&k=2.6.31&sd=-CPU:WAKE_AFFINE,-SHARE_CPUPOWER",
    );
}

/// The flags of each release (include/linux/sched.h, include/linux/sched/sd_flags.h).
#[test]
fn each_kernel_has_its_domain_flags() {
    let lacks = |link: &str| -> Vec<&str> {
        let kernel = parse(link).0.kernel_of_deltas();
        let absent = SdFlags::ALL
            .iter()
            .filter(|(f, ..)| kernel.instead_of_flag(*f).is_some());
        absent.map(|(_, name, _)| *name).collect()
    };
    let old = ["BALANCE_WAKE", "PREFER_LOCAL", "PREFER_SIBLING"];
    assert_eq!(lacks("k=2.6.31"), old);
    for link in ["k=2.6.32-rc1", "k=2.6.32", "k=3.2final", "k=mikie2"] {
        assert_eq!(lacks(link), ["WAKE_BALANCE"], "{link}");
    }
    for link in ["k=6.1", "k=6.1y", "k=6.5"] {
        let gone = [
            "LOAD_BALANCE",
            "WAKE_BALANCE",
            "PREFER_LOCAL",
            "POWERSAVINGS_BALANCE",
        ];
        assert_eq!(lacks(link), gone, "{link}");
    }
    let (mut config, _) = parse("sd=PREFER_LOCAL");
    assert!(!config.sd_flags.is_empty());
    config.set_kernel(Profile::by_name("6.1").expect("a known profile"));
    assert!(config.sd_flags.is_empty(), "dropped with the old kernel");
}

#[test]
fn names_are_taken_as_people_write_them() {
    check("M=Q6600&K=v2.6.31", "v=1&m=q6600&k=2.6.31");
    check(
        "machine=q6600&kernel=2.6.31&workload=hogs",
        "v=1&m=q6600&k=2.6.31&w=hogs",
    );
    check("d=-de69a80b,92f6a5e", "v=1&d=-D13,D21");
    check("d=-clear_both,consume_on_try", "v=1&d=-D13,D21");
    check("d=-d13&d=+D21", "v=1&d=-D13,D21");
    check(
        "f=next_buddy,NO_WAKEUP_PREEMPTION",
        "v=1&f=NO_WAKEUP_PREEMPT,NEXT_BUDDY",
    );
    check(
        "t=kernel.sched_latency_ns:7_000_000",
        "v=1&t=sched_latency:7ms",
    );
    check("t=sched_latency_ns=7000000", "v=1&t=sched_latency:7ms");
    check("t=child_runs_first:yes", "v=1&t=child_runs_first:on");
    check(
        "w=tcp_rr( client = 0 , server = any )",
        "v=1&w=tcp_rr(client=0)",
    );
}

#[test]
fn what_programs_do_to_links_is_undone() {
    let plain =
        "v=1&m=q6600&d=-D13,D20&t=wakeup_granularity:8ms&w=hackbench(groups=2);hogs(nice=5)";
    let escape = |text: &str, what: &[char]| -> String {
        let one = |c| {
            if what.contains(&c) {
                format!("%{:02X}", c as u32)
            } else {
                c.to_string()
            }
        };
        text.chars().map(one).collect()
    };
    let (config, _) = parse(plain);
    let same = |link: &str| assert_eq!(parse(link), (config.clone(), Vec::new()), "{link}");
    same(&format!("#{plain}"));
    same(&format!("https://example.org/lab/#{plain}"));
    same(&escape(plain, &['(', ')', ',', ';', ':']));
    same(&escape(plain, &['&', '=', '(', ')', ',', ';', ':', '-']));
    same(&escape(&escape(plain, &['(', ')', '=']), &['%']));
    same(&plain.replace('&', "&amp;"));
    same(
        &plain
            .replace(',', ",+")
            .replace('(', "(+")
            .replace("8ms", "8+ms"),
    );
    same(&plain.replace('&', "\r\n"));
    same(&format!("  {plain}&&\n"));
}

#[test]
fn a_warning_names_the_part_the_text_the_place_and_the_nearest_name() {
    let link = "m=q6600&t=wakeup_granulrity:8ms";
    let (config, warnings) = parse(link);
    assert!(config.tunables.is_empty());
    let [warning] = warnings.as_slice() else {
        panic!("one warning, not {warnings:?}");
    };
    assert_eq!(warning.field, Some(Field::Tunables));
    assert_eq!(link.get(warning.range.clone()), Some("wakeup_granulrity"));
    assert_eq!(warning.line_column(link), (1, 11));
    assert_eq!(warning.nearest.as_deref(), Some("wakeup_granularity"));
    assert_eq!(
        warning.to_string(),
        "t: \"wakeup_granulrity\" is no tunable; ignored. Did you mean wakeup_granularity?"
    );
}

/// Links and the one warning that each gives.
const WORDS: &[(&str, &str)] = &[
    (
        "v=2",
        "v: \"2\" is a newer version of links than this one; used version 1",
    ),
    (
        "m=tigerton",
        "m: \"tigerton\" is no machine; used tigerton-4x4",
    ),
    (
        "m=q660",
        "m: \"q660\" is no machine; used tigerton-4x4. Did you mean q6600?",
    ),
    (
        "k=2.6.33",
        "k: \"2.6.33\" is no kernel; used 2.6.32-rc1. Did you mean 2.6.32?",
    ),
    ("kk=1", "\"kk\" is no part of a link; ignored"),
    (
        "seeed=1",
        "\"seeed\" is no part of a link; ignored. Did you mean seed?",
    ),
    ("bar=1", "\"bar\" is no part of a link; ignored"),
    (
        "nonsense",
        "\"nonsense\" is not of the form key=value; ignored",
    ),
    (
        "m=",
        "m: \"m=\" says nothing: its value is missing; used tigerton-4x4",
    ),
    (
        "m=q6600&m=classroom-1",
        "m: \"classroom-1\" was said before, differently; used classroom-1",
    ),
    ("seed=5&seed=x", "seed: \"x\" is not a whole number; used 5"),
    (
        "skew_tick=off&skew_tick=x",
        "skew_tick: \"x\" is not on or off; used off",
    ),
    ("nohz=on&nohz=x", "nohz: \"x\" is not on or off; used on"),
    ("g=A;B(in=A,in=C)", "g: \"C\" is no group; used A"),
    (
        "g=A;B;C(in=A,in=B)",
        "g: \"B\" was said before, differently; used B",
    ),
    (
        "g=A(weight=300,shares=512)",
        "g: \"512\" was said before, differently; used 512",
    ),
    (
        "k=6.1&g=A(quota=20ms,quota=30ms)",
        "g: \"30ms\" was said before, differently; used 30ms",
    ),
    (
        "k=6.1&g=A(quota=20ms,quota=x)",
        "g: \"x\" is not a time such as 8ms, 750us or 1.5s; used 20ms",
    ),
    (
        "g=A(cpus=3,cpus=999)",
        "g: \"999\" is not a list of CPUs such as 0-3,8; used 3",
    ),
    (
        "g=A;B&w=hogs(in=A,in=B)",
        "w: \"in=B\" was said before, differently; used B",
    ),
    ("g=A&w=hogs(in=A,in=B)", "w: \"B\" is no group; used A"),
    (
        "w=hackbench(via=pipes,via=x)",
        "w: \"x\" is no choice here; used pipes",
    ),
    (
        "w=hogs(cpu=999)",
        "w: \"999\" is not within -1 \u{2026} 15; used 15",
    ),
    (
        "m=classroom-1&w=hogs(cpu=256)",
        "w: \"256\" is not within -1 \u{2026} 0; used 0",
    ),
    (
        "w=hogs;(task+a+cpus+0-999+run+1ms)",
        "w: \"0-999\" is no list of CPUs such as 0-3,8: 999 is above 255; these tasks do not run",
    ),
    (
        "sd=BALANCE_NEWIDLE,-BALANCE_NEWIDLE",
        "sd: \"-BALANCE_NEWIDLE\" was said before, differently; used -BALANCE_NEWIDLE",
    ),
    (
        "sd=MC:BALANCE_NEWIDLE,-BALANCE_NEWIDLE",
        "sd: \"-BALANCE_NEWIDLE\" was said before, differently; used -BALANCE_NEWIDLE",
    ),
    (
        "f=NEXT_BUDY",
        "f: \"NEXT_BUDY\" is no feature; ignored. Did you mean NEXT_BUDDY?",
    ),
    (
        "k=2.6.31&f=NEXT_BUDDY",
        "f: \"NEXT_BUDDY\" does not exist in this 2.6.31 (it comes with D05); ignored",
    ),
    (
        "f=HRTICK,NO_HRTICK",
        "f: \"NO_HRTICK\" was said before, differently; used NO_HRTICK",
    ),
    (
        "t=sched_latency:fast",
        "t: \"fast\" is not a time such as 8ms, 750us or 1.5s; ignored",
    ),
    (
        "t=sched_latency:1ns",
        "t: \"1ns\" is not within 100us \u{2026} 1s; used 100us",
    ),
    (
        "t=sched_latency:8.0000001ms",
        "t: \"8.0000001ms\" is finer than a nanosecond; used 8ms",
    ),
    (
        "t=sched_latency",
        "t: \"sched_latency\" is not a tunable with its value such as wakeup_granularity:8ms; ignored",
    ),
    ("d=D99", "d: \"D99\" is no commit of these kernels; ignored"),
    (
        "sd=MC:BALANCE_NEWIDEL",
        "sd: \"BALANCE_NEWIDEL\" is no domain flag; ignored. Did you mean BALANCE_NEWIDLE?",
    ),
    (
        "sd=MCC:BALANCE_NEWIDLE",
        "sd: \"MCC\" is no domain level; ignored. Did you mean MC?",
    ),
    (
        "w=hackbnech",
        "w: \"hackbnech\" is no workload; the default runs instead: hackbench(loops=50). Did you mean hackbench?",
    ),
    (
        "w=hogs;sleepr",
        "w: \"sleepr\" is no workload; ignored. Did you mean sleeper?",
    ),
    (
        "w=",
        "w: \"w=\" says nothing: its value is missing; the default runs instead: hackbench(loops=50)",
    ),
    (
        "k=",
        "k: \"k=\" says nothing: its value is missing; used 2.6.32-rc1",
    ),
    (
        "k=6.1&sd=WAKE_BALANCE",
        "sd: \"WAKE_BALANCE\" does not exist in this 6.1 (gone since 2.6.32: nothing pulls passively); ignored",
    ),
    (
        "k=6.5&sd=-LOAD_BALANCE",
        "sd: \"-LOAD_BALANCE\" does not exist in this 6.5 (gone since 5.8: every domain balances); ignored",
    ),
    (
        "k=2.6.31&sd=MC:PREFER_LOCAL",
        "sd: \"MC:PREFER_LOCAL\" does not exist in this 2.6.31 (it comes with D10, on D07: nothing is counted); ignored",
    ),
    (
        "k=6.1&sd=ASYM_PACKING",
        "sd: \"ASYM_PACKING\" cannot be set here: no machine here ranks its CPUs; ignored",
    ),
    (
        "w=hackbench(groups=10",
        "w: \"hackbench(groups=10\" lacks its closing parenthesis; used hackbench(groups=10)",
    ),
    (
        "w=hogs(count=3)x",
        "w: \"x\" follows a closing parenthesis; ignored",
    ),
    (
        "w=hogs(count=0)",
        "w: \"0\" is not within 1 \u{2026} 4096; used 1",
    ),
    (
        "w=hogs(cuont=2)",
        "w: \"cuont\" is no parameter of this workload; ignored. Did you mean count?",
    ),
    (
        "w=hackbench(via=pipe)",
        "w: \"pipe\" is no choice here; used sockets. Did you mean pipes?",
    ),
    (
        "w=hogs(count=3)sleeper",
        "w: \"sleeper\" has no semicolon before it; used ;sleeper",
    ),
    (
        "k=6.1&g=A(quota=0)",
        "g: \"0\" is not within 1ms \u{2026} 3600s; used 1ms",
    ),
    (
        "k=6.1&g=A(quota=1s,period=2s)",
        "g: \"2s\" is not within 1ms \u{2026} 1s; used 1s",
    ),
    (
        "k=6.1&g=A(period=10ms)",
        "g: \"10ms\" cannot be set here: the group has no quota; ignored",
    ),
    (
        "g=None(weight=300)",
        "g: \"None\" cannot be set here: it takes back what came before; ignored",
    ),
    (
        "f=NEXT_BUDDY=off",
        "f: \"NEXT_BUDDY=off\" is no feature; ignored. Did you mean NO_NEXT_BUDDY?",
    ),
    (
        "f=!NEXT_BUDDY",
        "f: \"!NEXT_BUDDY\" is no feature; ignored. Did you mean NO_NEXT_BUDDY?",
    ),
    (
        "f=NONEXT_BUDDY",
        "f: \"NONEXT_BUDDY\" is no feature; ignored. Did you mean NO_NEXT_BUDDY?",
    ),
    (
        "f=NONEXT_BUDY",
        "f: \"NONEXT_BUDY\" is no feature; ignored. Did you mean NO_NEXT_BUDDY?",
    ),
    (
        "f=-NEXT_BUDY",
        "f: \"-NEXT_BUDY\" is no feature; ignored. Did you mean NO_NEXT_BUDDY?",
    ),
    (
        "f=NEXT_BUDDY=on",
        "f: \"NEXT_BUDDY=on\" is no feature; ignored. Did you mean NEXT_BUDDY?",
    ),
    (
        "sd=!MC:BALANCE_NEWIDLE",
        "sd: \"!MC:BALANCE_NEWIDLE\" is no domain flag; ignored. Did you mean -MC:BALANCE_NEWIDLE?",
    ),
    (
        "sd=NOBALANCE_NEWIDLE",
        "sd: \"NOBALANCE_NEWIDLE\" is no domain flag; ignored. Did you mean -BALANCE_NEWIDLE?",
    ),
    (
        "d=D13=off",
        "d: \"D13=off\" is no commit of these kernels; ignored. Did you mean -D13?",
    ),
    (
        "d=-gentel",
        "d: \"-gentel\" is no commit of these kernels; ignored. Did you mean -gentle?",
    ),
    (
        "dur=0.5ns",
        "dur: \"0.5ns\" is not within 1us \u{2026} 3600s; used 1us",
    ),
    (
        "k=66",
        "k: \"66\" is no kernel; used 2.6.32-rc1. Did you mean 6.6?",
    ),
    ("nohz=maybe", "nohz: \"maybe\" is not on or off; ignored"),
    (
        "phase=1s",
        "phase: \"1s\" is not within 0ns \u{2026} 999.999us; used 999.999us",
    ),
    (
        "dur=1h",
        "dur: \"1h\" is not a time such as 8ms, 750us or 1.5s; ignored",
    ),
    (
        "seed=-1",
        "seed: \"-1\" is not within 0 \u{2026} 18446744073709551615; used 0",
    ),
];

/// The same of settings that are said several times, where the nearest value would still be one of several.
const REPEATED: &[(&str, &str)] = &[
    (
        "w=(task+a+run+1ms);(task+b+rn+1ms)",
        "w: \"rn\" stands where a trait of the task or what it does is expected; these tasks do not run. Did you mean run?",
    ),
    (
        "hz=250&hz=9",
        "hz: \"9\" is not within 10 \u{2026} 10000; used 10",
    ),
    ("m=zz&m=q6600", "m: \"zz\" is no machine; used q6600"),
    (
        "t=sched_latency:x,sched_latency:8ms",
        "t: \"x\" is not a time such as 8ms, 750us or 1.5s; used 8ms",
    ),
    (
        "w=hogs(count=3,count=0)",
        "w: \"0\" is not within 1 \u{2026} 4096; used 1",
    ),
    (
        "w=hackbench(via=x,via=pipes)",
        "w: \"x\" is no choice here; used pipes",
    ),
    (
        "k=6.1&k=9.x",
        "k: \"9.x\" is no kernel; used 6.1. Did you mean 7.3?",
    ),
];

/// An unknown parameter drops only itself, an unknown workload only itself, and a wrong sign between two is none.
#[test]
fn what_is_valid_of_a_mix_goes_on() {
    let of = |link: &str| (print(&parse(link).0), words(link));
    let lops = "w: \"lops\" is no parameter of this workload; ignored. Did you mean loops?";
    let joint = |sign: &str| format!("w: \"{sign}hogs\" has no semicolon before it; used ;hogs");
    let both = "v=1&w=hackbench;hogs(count=3)";
    for sign in ["+", ",", " ", "+, ", ""] {
        let link = format!("w=hackbench(groups=10,lops=50){sign}hogs(count=3)");
        assert_eq!(
            of(&link),
            (both.into(), alloc::vec![lops.into(), joint(sign)])
        );
    }
    assert_eq!(
        of("w=hackbench+hogs(count=3)"),
        (both.into(), alloc::vec![joint("+")])
    );
    assert_eq!(
        of("w=hackbench;hgs(count=9);hogs(count=3)"),
        (
            both.into(),
            alloc::vec!["w: \"hgs\" is no workload; ignored. Did you mean hogs?".into()]
        )
    );
    assert_eq!(
        of("w=hackbench;hogs(count=3);(task+a+rn+1ms)"),
        (
            both.into(),
            alloc::vec![
                "w: \"rn\" stands where a trait of the task or what it does is expected; these tasks do not run. Did you mean run?".into()
            ]
        )
    );
    check(
        "w=hackbench (groups=2) ; hogs ( count = 3 )",
        "v=1&w=hackbench(groups=2);hogs(count=3)",
    );
}

/// What was used instead, where that is the nearest valid value, mends the link.
#[test]
fn the_nearest_value_mends_the_link() {
    for (link, _) in WORDS {
        let (config, warnings) = parse(link);
        let [warning] = warnings.as_slice() else {
            panic!("{link}: {warnings:?}");
        };
        let Some(nearest) = warning.mended() else {
            continue;
        };
        let mut mended = link.to_string();
        mended.replace_range(warning.range.clone(), nearest);
        let (again, left) = parse(&mended);
        assert!(left.is_empty(), "{mended}: {left:?}");
        if warning.used == Used::Value(nearest.clone()) {
            assert_eq!(again, config, "{mended}");
        }
    }
}

#[test]
fn each_misunderstanding_has_its_words() {
    for (link, warning) in WORDS.iter().chain(REPEATED) {
        assert_eq!(words(link), [*warning], "{link}");
    }
}

/// Each of several tells what counts in the end, in lists, groups and workloads too; if none is understood, nothing is.
#[test]
fn every_warning_tells_what_counts() {
    for (link, used) in [
        ("skew_tick=maybe&skew_tick=2", ["ignored", "ignored"]),
        ("hz=9&hz=250", ["used 250. Did you mean 10?", "used 250"]),
        ("f=HRTICK,NO_HRTICK,HRTICK", ["used HRTICK", "used HRTICK"]),
        ("d=D13,-D13,D13", ["used D13", "used D13"]),
        (
            "t=sched_latency:1ns,sched_latency:8ms",
            ["used 8ms. Did you mean 100us?", "used 8ms"],
        ),
        (
            "sd=MC:BALANCE_NEWIDLE,-MC:BALANCE_NEWIDLE,MC:BALANCE_NEWIDLE",
            ["used MC:BALANCE_NEWIDLE", "used MC:BALANCE_NEWIDLE"],
        ),
        (
            "w=hogs(count=0,count=5)",
            ["used 5. Did you mean 1?", "used 5"],
        ),
        (
            "k=6.1&g=A(weight=0,weight=7)",
            ["used 7. Did you mean 1?", "used 7"],
        ),
    ] {
        let words = words(link);
        let told: Vec<&str> = words
            .iter()
            .filter_map(|w| Some(w.split_once("; ")?.1))
            .collect();
        assert_eq!(told, used, "{link}");
    }
    for link in [
        "k=6.1&k=v6.1",
        "f=HRTICK,hrtick",
        "w=hogs(count=0);none;hogs",
    ] {
        assert_eq!(words(link), [""; 0], "{link}");
    }
    check("f=No_LAST_BUDDY", "v=1&f=NO_LAST_BUDDY");
}

/// What was said first and is not taken back stays, whatever follows.
#[test]
fn the_last_that_is_understood_counts() {
    for (link, canonical) in [
        ("seed=5&seed=x", "v=1&seed=5"),
        ("hz=250&hz=none&hz=x", "v=1"),
        ("m=q6600&m=zz&m=", "v=1&m=q6600"),
        ("skew_tick=off&skew_tick=x", "v=1&skew_tick=off"),
        ("nohz=on&nohz=x", "v=1&nohz=on"),
        ("dur=5ms&dur=1h", "v=1&dur=5ms"),
        (
            "k=6.1&g=A(quota=20ms,burst=1ms,quota=x,burst=x,cpus=3,cpus=x)",
            "v=1&k=6.1&g=A(quota=20ms,burst=1ms,cpus=3)",
        ),
        ("g=A;B(in=A,in=C)", "v=1&g=A;B(in=A)"),
        ("g=A&w=hogs(in=A,in=B)", "v=1&g=A&w=hogs(in=A)"),
        ("w=hackbench(via=pipes,via=x)", "v=1&w=hackbench(via=pipes)"),
    ] {
        assert_eq!(print(&parse(link).0), canonical, "{link}");
    }
}

#[test]
fn a_part_without_its_key_is_found_by_its_name() {
    for (text, meant) in [
        ("cgroup_mode=smp&k=7.3", Some("t=cgroup_mode:smp&k=7.3")),
        ("sched_latency=8ms", Some("t=sched_latency:8ms")),
        ("HRTICK=1", Some("f=HRTICK")),
        ("hrtick=off", Some("f=NO_hrtick")),
        ("NO_NEXT_BUDDY", Some("f=NO_NEXT_BUDDY")),
        ("BALANCE_NEWIDLE=0", Some("sd=NO_BALANCE_NEWIDLE")),
        ("hogs(count=2)", Some("w=hogs(count=2)")),
        ("hackbench", Some("w=hackbench")),
        ("q6600", Some("m=q6600")),
        ("2.6.31", Some("k=2.6.31")),
        ("sched_latency", None),
        ("isolcpus=3", None),
        ("=", None),
        ("", None),
    ] {
        let found = part_meant(text);
        assert_eq!(found.as_deref(), meant, "{text}");
        assert_eq!(meant.map_or(0, |meant| words(meant).len()), 0, "{text}");
    }
}

/// Nothing is meant that is not there, if nothing is run instead.
#[test]
fn a_refusal_proposes_only_what_is_near() {
    let refusal = |link: &str| parse(link).1[0].refusal();
    assert_eq!(refusal("m=laptop"), "m: \"laptop\" is no machine");
    assert_eq!(refusal("k=banana"), "k: \"banana\" is no kernel");
    assert_eq!(
        refusal("k=2.6.33"),
        "k: \"2.6.33\" is no kernel. Did you mean 2.6.32?"
    );
    assert_eq!(
        refusal("w=hogs(count=3)x"),
        "w: \"x\" follows a closing parenthesis"
    );
    assert_eq!(
        refusal("w=hogs(count=3"),
        "w: \"hogs(count=3\" lacks its closing parenthesis. Did you mean hogs(count=3)?"
    );
}

#[test]
fn commits_warn_only_if_someone_changed_them() {
    let warnings = parse("d=D24,D21").1;
    let problem = DeltaProblem::NoEffect {
        delta: DeltaId(21),
        winner: Some(DeltaId(24)),
    };
    assert_eq!(
        warnings.len(),
        1,
        "D13 loses too, but nobody asked for it: {warnings:?}"
    );
    assert_eq!(warnings[0].fault, Fault::Delta(problem));
    assert_eq!(
        warnings[0].to_string(),
        "d: \"D21\" has no effect: D24 (mark_always) sets the same and comes later"
    );
    assert_eq!(
        words("k=2.6.31&d=D25"),
        ["d: \"D25\" has no meaning without D10 (prefer_local) or D20 (local_node_only)"]
    );
}

#[test]
fn a_slice_of_a_kernel_that_hears_of_none_is_kept_with_advice() {
    let asks = "w=(task+a+slice+3ms+run+forever)";
    let (config, warnings) = parse(&format!("k=6.6&{asks}"));
    assert_eq!(
        warnings[0].to_string(),
        "w: \"slice\" goes unheard: 6.6 gives all tasks the slice that it wants, whatever they ask for"
    );
    assert_eq!((warnings.len(), warnings[0].is_advice()), (1, true));
    assert!(config.slices_go_unheard());
    assert_eq!(words(&format!("k=6.12&{asks}")), [""; 0]);
    assert_eq!(words(&format!("k=6.12&d=-D52&{asks}")).len(), 1);
}

#[test]
fn what_is_printed_is_read_back() {
    for config in random::list(2009, 400) {
        let link = print(&config);
        let (read, warnings) = parse(&link);
        assert_eq!(read, config, "{link}");
        assert!(
            warnings.iter().all(Warning::is_advice),
            "{link}: {warnings:?}"
        );
        assert_eq!(print(&read), link);
    }
}

#[test]
fn an_overlay_with_the_difference_turns_one_link_into_the_other() {
    let configs = random::list(4, 60);
    for (a, b) in configs.iter().zip(configs.iter().skip(1)) {
        let text = overlay(&print(a), &difference(a, b));
        assert_eq!(&parse(&text).0, b, "{text}");
    }
    assert_eq!(difference(&configs[0], &configs[0]), "");
}

#[test]
fn huge_texts_are_read_in_part_and_in_no_time() {
    let many = "x=1&".repeat(1 << 20);
    let (config, warnings) = parse(&many);
    assert_eq!(config, Config::default());
    assert_eq!(warnings.len(), MAX_WARNINGS + 2);
    let cut = Fault::TooLong { limit: MAX_BYTES };
    assert_eq!(warnings[MAX_WARNINGS].fault, cut);
    assert!(matches!(warnings[MAX_WARNINGS + 1].fault, Fault::More { count } if count > 10_000));
    for filler in [
        "w=hogs;",
        "%",
        "%25",
        "(",
        "f=NEXT_BUDDY,",
        "\u{fffd}",
        "d=-",
        "9",
        "\n",
    ] {
        let _ = parse(&filler.repeat(200_000 / filler.len()));
    }
}

#[test]
fn what_cannot_be_seen_is_shown_as_an_escape_and_at_the_edges_not_at_all() {
    assert_eq!(
        words("m=q\u{1b}[2J"),
        ["m: \"q\\u{1b}[2J\" is no machine; used tigerton-4x4"]
    );
    assert_eq!(
        words("w=hogs%00"),
        [
            "w: \"hogs\\0\" is no workload; the default runs instead: hackbench(loops=50). Did you mean hogs?"
        ]
    );
    assert_eq!(
        words("k=2.6.31&k=2\u{202e}6"),
        ["k: \"2\\u{202e}6\" is no kernel; used 2.6.31. Did you mean 2.6.32?"]
    );
    check(
        "\u{feff}m=q6600\u{200b}&\u{feff}k=2.6.31",
        "v=1&m=q6600&k=2.6.31",
    );
}

/// Whatever a group, a task or a thing is called that may be called so, its link says it, and so does its file.
#[test]
fn every_name_is_read_back() {
    let words = lang::DECLARATIONS
        .iter()
        .chain(lang::TRAITS)
        .chain(lang::STATEMENTS);
    let fields = Field::ALL
        .iter()
        .flat_map(|f| f.aliases().iter().copied().chain([f.key()]));
    let names: Vec<&str> = words
        .map(|word| word.word)
        .chain(fields)
        .chain(WorkloadKind::ALL.iter().map(|kind| kind.name()))
        .chain([
            "none", "None", "any", "me", "each", "else", "until", "since", "expiry", "wake", "and",
            "of", "poll", "vs", "view", "on", "off", "NO_x", "no", "D13", "_", "a-", "a-2", "A",
            "amp", "weight", "quota",
        ])
        .collect();
    for name in names {
        let in_group = format!(
            "group {name} weight 300\ngroup lower in {name}\nworkload hogs(in={name})\ntask own in {name} run 1ms\n"
        );
        let thing = format!(
            "lock {name}\nqueue kept\ntask own space {name} session {name} as {name} \
             {{ lock {name}; mark {name}; unlock {name}; mark passed since {name} }}\n"
        );
        let row =
            format!("pipe {name} * 2\ntask own * 2 {{ send {name}.me 1B; recv {name}.next 1B }}\n");
        let queue = format!("queue {name}\ntask own {{ wake {name} 2; wait {name} }}\n");
        let tasks = format!("child {name} run 1ms\ntask own {{ fork {name} and wait }}\n");
        let team = format!(
            "team {name} * 2 {{ task own run 1ms }}\nbarrier gate of 2\ntask other barrier gate\n"
        );
        for text in [in_group, thing, row, queue, tasks, team] {
            let read = parse_file(&text);
            if name.eq_ignore_ascii_case("none") && text.starts_with("group") {
                assert!(!read.errors.is_empty(), "{text}");
                continue;
            }
            assert_eq!(read.errors, [], "{text}");
            let config = read.config.canonical();
            let link = print(&config);
            assert_eq!(parse(&link).0, config, "{link}");
            let file = print_file(&config);
            let again = parse_file(&file);
            assert_eq!(again.errors, [], "{file}");
            assert_eq!(again.config, config, "{file}");
        }
    }
}
