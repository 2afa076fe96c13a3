//! Lazy requests to reschedule: `preempt` set to lazy.

use super::*;
use crate::sched::decision::PreemptWhy;
use crate::sched::rq::Skipping;
use crate::sched::tunables::PreemptModel;

fn world(column: &str, model: PreemptModel) -> World {
    let mut w = World::new(column);
    w.s.tunables.preempt = model;
    w
}

/// What is pending: nothing, lazily, now.
fn pending(w: &World) -> &'static str {
    match (w.s.rq[0].need_resched, w.s.resched_pending(CPU)) {
        (false, _) => "-",
        (true, false) => "lazy",
        (true, true) => "now",
    }
}

/// eevdf/I1: the task stays in the kernel, where the request finds it at the next tick.
#[test]
fn i1_the_next_tick_makes_a_lazy_request_one_that_counts() {
    for (model, flags) in [
        (PreemptModel::Lazy, ["lazy", "now", "now"]),
        (PreemptModel::Full, ["now", "now", "now"]),
    ] {
        let mut w = world("7.0", model);
        for _ in 0..2 {
            let task = w.sleeper(0, None);
            w.s.activate_task(task, true);
        }
        w.schedule();
        let got = [4, 8, 12].map(|ms| {
            w.now = ms * MS;
            w.tick();
            pending(&w)
        });
        assert_eq!(got, flags, "I1");
        w.schedule();
        assert_eq!(pending(&w), "-");
    }
}

/// A second wakeup is still asked about, and `schedule()` reads the clock anew, as the recordings of 7.3 show: the
/// running task is charged a second time.
#[test]
fn a_lazy_request_is_not_pending_for_others_and_skips_no_clock() {
    for (model, why, skip) in [
        (PreemptModel::Lazy, PreemptWhy::ShortSlice, Skipping::No),
        (
            PreemptModel::Full,
            PreemptWhy::AlreadyPending,
            Skipping::Asked,
        ),
    ] {
        let mut w = world("7.1", model);
        let t = w.fill(&[(0, 0, 20 * MS as i64, Some(20 * MS))], true);
        let [p, other] = [8, 4].map(|slice| w.sleeper(0, Some(slice * MS)));
        w.after(MS);
        assert_eq!(w.wake(p).why, PreemptWhy::ShortSlice);
        assert_eq!(w.wake(other).why, why, "{model:?}");
        assert_eq!(w.s.rq[0].clock_skip, skip, "{model:?}");
        w.now += 2_000;
        assert_ne!(w.schedule(), Some(t[0]));
        let charged = MS
            + if model == PreemptModel::Lazy {
                2_000
            } else {
                0
            };
        assert_eq!(w.vruntime(t[0]), charged as i64, "{model:?}");
    }
}

#[test]
fn an_idle_cpu_is_asked_at_once() {
    let mut w = world("7.3", PreemptModel::Lazy);
    let task = w.sleeper(0, None);
    assert_eq!(w.wake(task).why, PreemptWhy::IdleCpu);
    assert_eq!(pending(&w), "now");
}
