//! Which room may know which: the arrows of ARCHITECTURE.md, as tables.
//!
//! A room may always use itself. Tests may use everything.

use super::paths::{PathUse, module_of, paths};
use super::{File, Finding, code};

/// What a room may name: paths from a root, each with all that is below it.
struct Arrows {
    /// Files, by the start of their path.
    from: &'static str,
    to: &'static [&'static str],
}

/// CPU numbers and sets of CPUs, which half of the rooms use and the door of `machine` hands out.
const CPUS: &str = "CPUs";
const CPU_PATHS: [&str; 3] = [
    "crate::machine::cpumask",
    "crate::machine::CpuId",
    "crate::machine::CpuMask",
];

/// The engine's rooms; the first row that fits a file counts.
const ENGINE: [Arrows; 17] = [
    Arrows {
        from: "lib",
        to: &["crate"],
    },
    Arrows {
        from: "time",
        to: &[],
    },
    Arrows {
        from: "rng",
        to: &[],
    },
    Arrows {
        from: "words",
        to: &[],
    },
    Arrows {
        from: "order",
        to: &[],
    },
    Arrows {
        from: "experiments",
        to: &[],
    },
    Arrows {
        from: "machine/cpumask",
        to: &[],
    },
    Arrows {
        from: "event_queue",
        to: &["crate::time", CPUS],
    },
    Arrows {
        from: "machine",
        to: &["crate::time"],
    },
    Arrows {
        from: "task",
        to: &["crate::time", CPUS],
    },
    Arrows {
        from: "workload",
        to: &[
            "crate::order",
            "crate::time",
            "crate::rng",
            "crate::task",
            "crate::words",
            CPUS,
        ],
    },
    Arrows {
        from: "sched",
        to: &["crate::time", "crate::task", "crate::machine"],
    },
    Arrows {
        from: "replay",
        to: &[
            "crate::time",
            "crate::task",
            "crate::machine",
            "crate::sched",
        ],
    },
    Arrows {
        from: "config",
        to: &[
            "crate::order",
            "crate::time",
            "crate::rng",
            "crate::words",
            "crate::task",
            "crate::machine",
            "crate::workload",
            "crate::sched::profile",
            "crate::sched::features",
            "crate::sched::tunables",
            "crate::sched::rules",
        ],
    },
    Arrows {
        from: "fragment",
        to: &[
            "crate::order",
            "crate::config",
            "crate::words",
            // The names that a link may use.
            "crate::time",
            "crate::task",
            "crate::machine",
            "crate::workload",
            "crate::sched::profile",
            "crate::sched::features",
            "crate::sched::tunables",
            "crate::sched::rules",
        ],
    },
    Arrows {
        from: "observe",
        to: &[
            "crate::time",
            "crate::order",
            "crate::task",
            "crate::sched::decision",
            // Numbers and words that an event carries; nothing of what they stand for.
            "crate::machine::topology::Distance",
            "crate::workload::ipc::ChannelId",
            "crate::workload::program::MarkId",
            "crate::workload::program::TemplateId",
            "crate::sched::rq::GroupId",
            "crate::sched::bandwidth::QuotaStat",
            CPUS,
        ],
    },
    Arrows {
        from: "sim",
        to: &["crate"],
    },
];

/// `observe/explain` alone asks the simulation and the policy once more.
const EXPLAIN: Arrows = Arrows {
    from: "observe/explain",
    to: &[
        "crate::time",
        "crate::task",
        "crate::machine",
        "crate::sched",
        "crate::observe",
        "crate::sim",
    ],
};

/// What other crates may not name, by the start of a file's path.
const FORBIDDEN: [Arrows; 7] = [
    Arrows {
        from: "crates/formats/src/",
        to: &[
            "schedlab_engine::sim",
            "schedlab_engine::rng",
            "schedlab_engine::event_queue",
        ],
    },
    Arrows {
        from: "crates/web/src/view",
        to: &[
            "schedlab_engine::sim",
            "schedlab_engine::sched",
            "crate::worker",
        ],
    },
    Arrows {
        from: "crates/web/src/panel",
        to: &["schedlab_engine::sim", "crate::worker"],
    },
    Arrows {
        from: "crates/web/src/lesson",
        to: &["schedlab_engine::sim", "crate::worker"],
    },
    Arrows {
        from: "crates/web/src/worker",
        to: &["yew", "crate::view", "crate::panel"],
    },
    Arrows {
        from: "crates/web/src/model",
        to: &["yew", "web_sys", "schedlab_engine::sim"],
    },
    Arrows {
        from: "crates/web/src/url",
        to: &["yew", "web_sys", "schedlab_engine::sim"],
    },
];

const ENGINE_SRC: &str = "crates/engine/src/";

pub(super) fn check(files: &[File]) -> Vec<Finding> {
    files
        .iter()
        .filter(|file| file.is("rs") && !code::is_test_file(&file.path))
        .flat_map(|file| match file.path.strip_prefix(ENGINE_SRC) {
            Some(inside) => engine(file, inside),
            None => others(file),
        })
        .collect()
}

fn engine(file: &File, inside: &str) -> Vec<Finding> {
    let Some(arrows) = room(inside) else {
        let what = "no room of the engine: add it to ARCHITECTURE.md and to tidy/arrows.rs, with its arrows";
        return vec![Finding::new(file, 1, what)];
    };
    let home = format!("crate::{}", arrows.from.replace('/', "::"));
    uses(file, &["crate"])
        .into_iter()
        .filter(|used| {
            let allowed = |target: &str| match target {
                CPUS => CPU_PATHS.iter().any(|path| is_below(&used.segments, path)),
                target => is_below(&used.segments, target),
            };
            !allowed(&home) && !arrows.to.iter().any(|target| allowed(target))
        })
        .map(|used| {
            let what = format!("{} may not name {}", arrows.from, used.segments.join("::"));
            Finding::new(file, used.line, what)
        })
        .collect()
}

fn room(inside: &str) -> Option<&'static Arrows> {
    static EXPLAIN_ROOM: Arrows = EXPLAIN;
    static ROOMS: [Arrows; 17] = ENGINE;
    let fits = |room: &&Arrows| {
        inside
            .strip_prefix(room.from)
            .is_some_and(|rest| rest.starts_with('/') || rest == ".rs")
    };
    std::iter::once(&EXPLAIN_ROOM).chain(&ROOMS).find(fits)
}

fn others(file: &File) -> Vec<Finding> {
    let rows = FORBIDDEN
        .iter()
        .filter(|row| file.path.starts_with(row.from));
    rows.flat_map(|row| {
        let roots: Vec<&str> = row
            .to
            .iter()
            .filter_map(|to| to.split("::").next())
            .collect();
        let bad = move |used: &PathUse| row.to.iter().any(|to| is_below(&used.segments, to));
        uses(file, &roots).into_iter().filter(bad).map(|used| {
            Finding::new(
                file,
                used.line,
                format!("{} may not name {}", row.from, used.segments.join("::")),
            )
        })
    })
    .collect()
}

fn uses(file: &File, roots: &[&str]) -> Vec<PathUse> {
    let module = module_of(&file.path).unwrap_or_default();
    paths(&code::product(&file.text), &module, roots)
}

/// Whether a path is `target` or something below it.
fn is_below(segments: &[String], target: &str) -> bool {
    let mut segments = segments.iter();
    target
        .split("::")
        .all(|part| segments.next().is_some_and(|segment| segment == part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> usize {
        check(&[File::new(path, text)]).len()
    }

    #[test]
    fn an_arrow_that_is_not_drawn_is_found() {
        let sched = "crates/engine/src/sched/cfs.rs";
        assert_eq!(
            findings(
                sched,
                "use crate::{time::Nanos, sched::rq::Rq, machine::CpuId};"
            ),
            0
        );
        assert_eq!(
            findings(sched, "use crate::{time::Nanos, observe::Event};"),
            1
        );
        assert_eq!(
            findings(
                sched,
                "fn f() { crate::sim::run(); super::super::rng::draw() }"
            ),
            2
        );
        assert_eq!(
            findings(
                sched,
                "// crate::sim\n#[cfg(test)]\nmod tests { use crate::sim::Sim; }"
            ),
            0
        );
    }

    #[test]
    fn leaves_know_nobody_and_a_task_knows_masks_only() {
        assert_eq!(
            findings("crates/engine/src/time.rs", "use crate::task::Task;"),
            1
        );
        assert_eq!(
            findings(
                "crates/engine/src/machine/cpumask.rs",
                "use super::cost::Cost;"
            ),
            1
        );
        assert_eq!(
            findings(
                "crates/engine/src/task.rs",
                "use crate::machine::{CpuMask, Cost};"
            ),
            1
        );
    }

    #[test]
    fn only_explain_asks_again() {
        let text = "use crate::sim::Sim;";
        assert_eq!(findings("crates/engine/src/observe/explain.rs", text), 0);
        assert_eq!(findings("crates/engine/src/observe/trace.rs", text), 1);
    }

    #[test]
    fn a_new_room_has_to_be_drawn() {
        assert_eq!(findings("crates/engine/src/attic.rs", ""), 1);
        assert_eq!(
            findings("crates/engine/src/lib.rs", "pub use crate::sim::Sim;"),
            0
        );
    }

    #[test]
    fn the_page_keeps_its_rooms_apart() {
        assert_eq!(
            findings(
                "crates/web/src/view/chart.rs",
                "use schedlab_engine::sim::Sim;"
            ),
            1
        );
        assert_eq!(
            findings("crates/web/src/view/chart.rs", "use crate::model::View;"),
            0
        );
        assert_eq!(
            findings("crates/web/src/model.rs", "use yew::prelude::*;"),
            1
        );
        assert_eq!(
            findings("crates/web/src/url/mod.rs", "use web_sys::window;"),
            1
        );
        assert_eq!(
            findings(
                "crates/formats/src/csv.rs",
                "use schedlab_engine::sim::Sim;"
            ),
            1
        );
    }
}
