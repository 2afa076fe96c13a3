//! Who runs for how long, tick by tick.

use super::*;
use alloc::format;
use alloc::string::String;

/// Hogs as they run: name and ms, for so many runs.
fn runs(w: &mut World, names: &[(&str, TaskId)], count: usize) -> String {
    let tick = w.s.hz.period().0;
    let name = |task: TaskId| {
        let known = names.iter().find(|(_, t)| *t == task);
        known.map_or("?", |(name, _)| name)
    };
    let mut told = Vec::new();
    let mut running = w.schedule().expect("somebody is there");
    let mut since = w.now;
    while told.len() < count {
        w.now += tick;
        if !w.tick() {
            continue;
        }
        let next = w.schedule().expect("nobody sleeps");
        if next != running {
            told.push(format!("{}:{}", name(running), (w.now - since) / MS));
            (running, since) = (next, w.now);
        }
    }
    told.join(" ")
}

type Hog<'a> = (&'a str, i64, Option<u64>);

fn hogs(column: &str, hz: u32, hogs: &[Hog<'_>], count: usize) -> String {
    let mut w = World::at_hz(column, hz);
    let mut names = Vec::new();
    for &(name, nice, slice) in hogs {
        names.push((name, w.sleeper(nice, slice)));
    }
    for (_, task) in &names {
        w.s.activate_task(*task, true);
    }
    runs(&mut w, &names, count)
}

#[test]
fn e1_to_e7_slices_end_at_ticks() {
    let two = [("A", 0, None), ("B", 0, None)];
    let three = [("A", 0, None), ("B", 0, None), ("C", 0, None)];
    let nice = [("A", 0, None), ("B", 5, None)];
    let tip = "tip-2026-04";
    let threes = "A:3 B:3 A:3 B:3 A:3 B:3";
    assert_eq!(hogs("6.12", 1000, &two, 6), threes, "E1");
    assert_eq!(hogs(tip, 1000, &two, 6), threes, "E2");
    assert_eq!(hogs(tip, 250, &two, 6), "A:4 B:4 A:4 B:4 A:4 B:4", "E3");
    assert_eq!(hogs(tip, 250, &three, 6), "A:4 B:4 C:4 A:4 B:4 C:4", "E5");
    // By the table of inverse weights 3 ms of nice 5 are 2 ns more than three times 1 ms: a fourth tick ends the slice.
    // The example was worked out by the formula, by which they are the same.
    let e6 = "A:3 B:4 A:12 B:4 A:12 B:4 A:12 B:4";
    assert_eq!(hogs("6.6", 1000, &nice, 8), e6, "E6");
    let e7 = "A:3 B:3 A:7 B:3 A:9 B:3 A:9 B:3";
    assert_eq!(hogs(tip, 1000, &nice, 8), e7, "E7");
}

/// Somebody looks at the very moment at which the slice, or what is protected of it, is over.
#[test]
fn e4_slices_that_end_to_the_nanosecond() {
    let mut w = World::new("tip-2026-04");
    let names = ["A", "B"].map(|name| (name, w.sleeper(0, None)));
    for (_, task) in &names {
        w.s.activate_task(*task, true);
    }
    let mut running = w.schedule().expect("A");
    let (mut since, mut told) = (w.now, Vec::new());
    while told.len() < 6 {
        let own = w.own(running);
        let end = own.deadline.min(own.vprot.max(w.vruntime(running) + 1));
        w.now += (end - w.vruntime(running)) as u64;
        assert!(w.tick(), "a slice is over");
        let next = w.schedule().expect("nobody sleeps");
        if next != running {
            told.push((running == names[0].1, w.now - since));
            (running, since) = (next, w.now);
        }
    }
    let e4 = [true, false, true, false, true, false].map(|a| (a, 2_800_000));
    assert_eq!(told, e4, "E4");
}

#[test]
fn e11_a_long_run_divides_the_cpu_by_weight() {
    let told = hogs("tip-2026-04", 1000, &[("A", 0, None), ("B", 5, None)], 400);
    let (mut a, mut all) = (0, 0);
    for run in told.split(' ') {
        let (name, ms) = run.split_once(':').expect("a run");
        let ms: u64 = ms.parse().expect("ms");
        all += ms;
        a += if name == "A" { ms } else { 0 };
    }
    assert_eq!((1000 * a + all / 2) / all, 753, "E11");
}

#[test]
fn e8_to_e10_slices_of_their_own() {
    let two = [("A", 0, Some(20 * MS)), ("B", 0, Some(4 * MS))];
    let e8 = "B:4 A:20 B:17 A:20 B:20 A:20 B:20 A:20";
    assert_eq!(hogs("6.12", 1000, &two, 8), e8, "E8");
    let e9 = "B:4 A:4 B:4 A:4 B:4 A:4 B:4 A:4";
    assert_eq!(hogs("tip-2026-04", 1000, &two, 8), e9, "E9");
    let three = [
        ("A", 0, Some(8 * MS)),
        ("B", 0, Some(8 * MS)),
        ("C", 0, Some(2 * MS)),
    ];
    let e10 = "C:2 A:2 B:2 C:2 A:2 B:2 C:2 A:2 B:2 C:2";
    assert_eq!(hogs("tip-2026-04", 1000, &three, 10), e10, "E10");
}

#[test]
fn e12_two_groups_take_turns() {
    for column in ["6.12", "tip-2026-04"] {
        let mut w = World::new(column);
        let [ga, gb] = [0, 1].map(|_| w.s.new_group(GroupId::default(), 1024));
        let names = [("a1", ga), ("a2", ga), ("a3", ga), ("b1", gb)]
            .map(|(name, group)| (name, w.task_of(Policy::Normal, 0, group)));
        for (_, task) in &names {
            w.s.activate_task(*task, true);
        }
        let e12 = "a1:4 b1:4 a2:4 b1:4 a3:4 b1:4 a1:4 b1:4 a2:4 b1:4";
        assert_eq!(runs(&mut w, &names, 10), e12, "E12 {column}");
    }
}
