//! The encoding keeps every value and survives every array; snapshots grow by updates.

use super::*;

fn switch(at_ns: u64, task: Option<u32>) -> Switch {
    Switch {
        at_ns,
        task,
        pick: if task.is_some() {
            PickWhy::LastBuddy
        } else {
            PickWhy::Idle
        },
        prev_end: EndWhy::Tick,
        waiting: 65_535,
    }
}

fn wakeup(at_ns: u64) -> Wakeup {
    Wakeup {
        at_ns,
        task: 3,
        waker: None,
        from_cpu: 1,
        to_cpu: 65_535,
        prev_cpu: 0,
        sync: true,
        preempts: false,
        preempt: PreemptWhy::ChildRunsFirst,
        placement: PlacementWhy::Pinned,
    }
}

fn migration(at_ns: u64) -> Migration {
    Migration {
        at_ns,
        task: 9,
        from_cpu: 2,
        to_cpu: 1,
        why: MigrateWhy::Affinity,
    }
}

fn task(comm: &str, kind: &str) -> TaskInfo {
    TaskInfo {
        comm: comm.into(),
        kind: kind.into(),
        group: "group 7".into(),
    }
}

fn update() -> Update {
    let mut lane = LaneChunk::default();
    lane.push(switch(0, None));
    lane.push(switch(u64::MAX - 1, Some(2)));
    let mut trace = TraceDelta {
        lanes: vec![lane, LaneChunk::default()],
        end_ns: u64::MAX,
        full: true,
        ..TraceDelta::default()
    };
    trace.wakeups.push(wakeup(5));
    trace.migrations.push(migration(6));
    Update {
        run: 4,
        side: RunSide::B,
        seq: 0,
        done: true,
        now_ns: 1 << 40,
        progress: 0.5,
        topology: vec![
            CpuPlace {
                node: 1,
                package: 2,
                llc: 3,
                core: 4,
            },
            CpuPlace::default(),
        ],
        new_tasks: vec![
            task("send-1", "sender"),
            task("empfänger", "receiver"),
            task("", "sender"),
        ],
        tiles: Tiles {
            counts: true,
            messages: u64::MAX,
            measured_ns: 12,
            latency_p99_ns: 1.5,
            hash: 77,
            ..Tiles::default()
        },
        series: Series {
            bin_ns: 1_000,
            messages: vec![1.0, 2.0],
            latency_bin_ns: 2_000,
            latency_p50_ns: vec![3.0],
            latency_p99_ns: vec![5.0],
            busy: vec![0.1, 0.2, 0.3, 0.4],
            waiting: vec![1.0, 2.0, 3.0, 4.0],
        },
        latency: Histogram {
            edges_ns: vec![1.0, 2.0, 4.0],
            counts: vec![10.0, 20.0],
        },
        accounts_ns: [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
        parts: vec![Part {
            name: "hog 1".to_string(),
            tasks: 1,
            cpu_ns: 1 << 40,
            p50_ns: 1.5,
            ..Part::default()
        }],
        trace,
    }
}

#[test]
fn an_update_survives_the_journey() {
    assert_eq!(decode(&encode(&update())), Ok(update()));
    assert_eq!(decode(&encode(&Update::default())), Ok(Update::default()));
}

#[test]
fn packed_columns_give_back_what_was_pushed() {
    let update = update();
    assert_eq!(update.trace.lanes[0].switch(0), switch(0, None));
    assert_eq!(
        update.trace.lanes[0].switch(1),
        switch(u64::MAX - 1, Some(2))
    );
    assert_eq!(update.trace.wakeups.get(0), wakeup(5));
    assert_eq!(update.trace.migrations.get(0), migration(6));
}

#[test]
fn every_reason_fits_its_bits() {
    let mut wakeups = Wakeups::default();
    for &preempt in PreemptWhy::ALL {
        wakeups.push(Wakeup {
            preempt,
            preempts: true,
            ..wakeup(1)
        });
        let got = wakeups.get(wakeups.len() - 1);
        assert_eq!((got.preempt, got.preempts), (preempt, true));
    }
    for &placement in PlacementWhy::ALL {
        wakeups.push(Wakeup {
            placement,
            sync: false,
            ..wakeup(1)
        });
        let got = wakeups.get(wakeups.len() - 1);
        assert_eq!((got.placement, got.sync), (placement, false));
    }
}

#[test]
fn a_cut_update_is_an_error_wherever_it_is_cut() {
    let words = encode(&update());
    for end in 0..words.len() {
        assert!(decode(&words[..end]).is_err(), "{end} words were enough");
    }
    assert_eq!(
        decode(&[words, vec![0]].concat()),
        Err(DecodeError::Invalid)
    );
}

#[test]
fn a_damaged_update_never_panics() {
    let words = encode(&update());
    for at in 0..words.len() {
        for value in [0, 1, 2, 0x7fff_ffff, u32::MAX] {
            let mut damaged = words.clone();
            damaged[at] = value;
            if let Ok(update) = decode(&damaged) {
                let _ = Snapshot::advance(None, update);
            }
        }
    }
}

#[test]
fn other_messages_and_other_versions_are_named() {
    let mut words = encode(&update());
    words[1] = 99;
    assert_eq!(decode(&words), Err(DecodeError::OtherVersion(99)));
    words[0] = 0;
    assert_eq!(decode(&words), Err(DecodeError::NotOurs));
    assert_eq!(decode(&[]), Err(DecodeError::Truncated));
}

#[test]
fn a_snapshot_grows_and_shares_what_it_had() {
    let first = Snapshot::advance(None, update());
    let mut more = update();
    more.seq = 1;
    more.topology.clear();
    more.trace.lanes[0] = LaneChunk::default();
    more.trace.lanes[1].push(switch(9, Some(1)));
    let second = Snapshot::advance(Some(&first), more);
    assert_eq!((second.cpus(), second.tasks.len()), (2, 6));
    assert_eq!(
        (second.trace.lanes[0].len(), second.trace.lanes[1].len()),
        (2, 1)
    );
    assert!(std::rc::Rc::ptr_eq(
        &first.trace.lanes[0].chunks[0],
        &second.trace.lanes[0].chunks[0]
    ));
    let afresh = Snapshot::advance(Some(&second), update());
    assert_eq!(afresh, first);
}

#[test]
fn a_lane_finds_switches_over_chunks() {
    let mut trace = Trace::new(1);
    for times in [[10, 20], [20, 40]] {
        let mut lane = LaneChunk::default();
        for at in times {
            lane.push(switch(at, Some(at as u32)));
        }
        trace = trace.with(TraceDelta {
            lanes: vec![lane],
            end_ns: 50,
            ..TraceDelta::default()
        });
    }
    let lane = &trace.lanes[0];
    assert_eq!(lane.len(), 4);
    let at = [9, 10, 19, 20, 39, 40, 99].map(|ns| lane.index_at(ns));
    assert_eq!(
        at,
        [None, Some(0), Some(0), Some(2), Some(2), Some(3), Some(3)]
    );
    assert_eq!(
        lane.slice(2, trace.end_ns).map(|slice| slice.end_ns),
        Some(40)
    );
    let last = lane.slice(3, trace.end_ns).expect("there are four");
    assert_eq!((last.end_ns, last.end), (50, None));
    assert_eq!(lane.slice(4, trace.end_ns), None);
    for first in 0..=5 {
        let walked: Vec<u64> = lane.walk(first).map(|switch| switch.at_ns).collect();
        assert_eq!(walked, [10, 20, 20, 40][first.min(4)..]);
    }
    assert_eq!(Lane::default().walk(0).count(), 0);
}

#[test]
fn what_happened_in_a_stretch_of_time_is_found_over_chunks() {
    let mut trace = Trace::new(0);
    for times in [[10, 20], [20, 40]] {
        let mut delta = TraceDelta::default();
        for at in times {
            delta.wakeups.push(wakeup(at));
            delta.migrations.push(migration(at));
        }
        trace = trace.with(delta);
    }
    let found: Vec<u64> = trace
        .wakeups_in(20, 40)
        .map(|wakeup| wakeup.at_ns)
        .collect();
    assert_eq!(found, [20, 20, 40]);
    assert_eq!(trace.wakeups_count(20, 40), 3);
    assert_eq!(trace.migrations_in(0, 19).count(), 1);
    assert_eq!(trace.wakeups_in(30, 20).count(), 0, "backwards is nothing");
}
