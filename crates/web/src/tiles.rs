//! The numbers of the runs, side by side, with how far B is from A.

use crate::dom::{classes, html};
use crate::format::{self, Quantity};
use crate::model::{Model, Side};
use crate::protocol::{Account, Snapshot};
use crate::text::{Msg, fill, text};
use crate::view::picture::Runs;
use std::rc::Rc;
use yew::prelude::*;

/// What the tiles show.
pub(crate) struct Tiles {
    /// The numbers of A, and of B if there is a B.
    pub(crate) runs: Runs,
    /// Is there a B?
    pub(crate) comparing: bool,
    /// Are they those of an earlier setup?
    pub(crate) stale: (bool, bool),
}

impl Tiles {
    /// The tiles of `model`.
    pub(crate) fn of(model: &Model) -> Self {
        let (a, b) = (model.run(Side::A), model.run(Side::B));
        let comparing = model.setup.b.is_some();
        Self {
            runs: Runs {
                a: a.snapshot.clone(),
                b: b.snapshot.clone().filter(|_| comparing),
            },
            comparing,
            stale: (a.is_stale(), b.is_stale()),
        }
    }
}

/// One measure: what it is called, its number, and how it is written.
struct Measure {
    name: Msg,
    of: fn(&Snapshot) -> f64,
    show: fn(f64) -> Quantity,
}

const MEASURES: &[Measure] = &[
    Measure {
        name: Msg::TileThroughput,
        of: |s| s.throughput(),
        show: |v| format::count(v, text(Msg::TileMessagesUnit)),
    },
    Measure {
        name: Msg::TileP50,
        of: |s| s.tiles.latency_p50_ns,
        show: format::span,
    },
    Measure {
        name: Msg::TileP99,
        of: |s| s.tiles.latency_p99_ns,
        show: format::span,
    },
    Measure {
        name: Msg::TileSwitches,
        of: |s| rate(s, s.tiles.switches),
        show: |v| format::count(v, "/s"),
    },
    Measure {
        name: Msg::TilePreemptions,
        of: |s| rate(s, s.tiles.preempted_by_wakeup + s.tiles.preempted_by_tick),
        show: |v| format::count(v, "/s"),
    },
    Measure {
        name: Msg::TileMigrations,
        of: |s| rate(s, s.tiles.migrations),
        show: |v| format::count(v, "/s"),
    },
    Measure {
        name: Msg::TileWasted,
        of: wasted_share,
        show: format::percent,
    },
];

/// What stands first where nothing is sent: how much of the CPUs' time tasks had, as the picture of accounts has it.
const USED: Measure = Measure {
    name: Msg::TileUsed,
    of: used_share,
    show: format::percent,
};

/// Is it known that no workload counts messages?
pub(crate) fn silent(runs: &Runs) -> bool {
    !runs.is_empty() && runs.iter().all(|(_, run)| !run.tiles.counts)
}

fn used_share(s: &Snapshot) -> f64 {
    s.accounts_ns[Account::Work as usize] / s.accounts_ns.iter().sum::<f64>()
}

fn rate(s: &Snapshot, count: u64) -> f64 {
    count as f64 / (s.now_ns as f64 / 1e9)
}

fn wasted_share(s: &Snapshot) -> f64 {
    s.tiles.wasted_ns as f64 / (s.now_ns as f64 * s.cpus() as f64)
}

/// The tiles.
pub(crate) fn tile_row(props: &Tiles) -> Html {
    html! {
        <section class="tiles" id="tiles" tabindex="-1" aria-label={text(Msg::TilesLabel)}>
            <h2 class="sr-only">{ text(Msg::TilesLabel) }</h2>
            { for MEASURES.iter().map(|m| tile(instead(m, &props.runs), props)) }
        </section>
    }
}

/// The measure, or what is shown in its place where it would always be 0.
fn instead<'a>(measure: &'a Measure, runs: &Runs) -> &'a Measure {
    if measure.name == Msg::TileThroughput && silent(runs) {
        &USED
    } else {
        measure
    }
}

fn tile(measure: &Measure, props: &Tiles) -> Html {
    let value = |s: &Option<Rc<Snapshot>>| {
        s.as_ref()
            .map(|s| (measure.of)(s))
            .filter(|v| v.is_finite())
    };
    let Runs { a: of_a, b: of_b } = &props.runs;
    let (a, b) = (value(of_a), value(of_b));
    let max = |s: &Option<Rc<Snapshot>>| {
        let s = s.as_ref().filter(|_| measure.name == Msg::TileP99)?;
        let max = s.tiles.latency_max_ns;
        max.is_finite().then(|| format::span(max))
    };
    let stale = |on: bool| on.then_some("stale");
    let body = if props.comparing {
        html! {
            <>
                <dl class="pair">
                    <dt class="side-a">{ "A" }</dt><dd class={classes!(stale(props.stale.0))}>{ number(measure, a, max(of_a)) }</dd>
                    <dt class="side-b">{ "B" }</dt><dd class={classes!(stale(props.stale.1))}>{ number(measure, b, max(of_b)) }</dd>
                </dl>
                <p class={classes!("delta", stale(props.stale.0 || props.stale.1))}>{ delta(a, b) }</p>
            </>
        }
    } else {
        html! { <p class={classes!("value", stale(props.stale.0))}>{ number(measure, a, max(of_a)) }</p> }
    };
    html! { <div class="card tile"><h3>{ text(measure.name) }</h3>{ body }</div> }
}

fn number(measure: &Measure, value: Option<f64>, more: Option<Quantity>) -> Html {
    let Some(value) = value else {
        return html! { format::NOTHING };
    };
    let (number, rest) = written((measure.show)(value), more);
    html! { <>{ number }<small>{ rest }</small></> }
}

/// A number and what stands smaller behind it: its unit, and the second value; a unit that both have is written once.
fn written(first: Quantity, second: Option<Quantity>) -> (String, String) {
    let Some(second) = second else {
        return (first.number, format!("\u{202f}{}", first.unit));
    };
    let own = if first.unit == second.unit {
        String::new()
    } else {
        format!("\u{202f}{}", first.unit)
    };
    (first.number, format!("{own} / {}", second.text()))
}

/// How far B is from A; an arrow says which way for those to whom colours say nothing.
fn delta(a: Option<f64>, b: Option<f64>) -> Html {
    let (Some(a), Some(b)) = (a, b) else {
        return html! { "\u{a0}" };
    };
    let Some(change) = format::change(a, b) else {
        return html! { "\u{a0}" };
    };
    if change.starts_with('±') {
        return html! { text(Msg::TileSame) };
    }
    let arrow = if b > a { "▲" } else { "▼" };
    html! { <><span aria-hidden="true">{ arrow }{ " " }</span><b>{ fill(Msg::TileDelta, &[("delta", &change)]) }</b></> }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::Demo;

    #[test]
    fn a_workload_without_messages_has_no_throughput_of_0() {
        let mut talks = Demo::small(Side::A).snapshot();
        let runs = |run: &Snapshot| Runs {
            a: Some(Rc::new(run.clone())),
            b: None,
        };
        let first = |runs: &Runs| instead(&MEASURES[0], runs).name;
        assert_eq!(first(&Runs::default()), Msg::TileThroughput);
        assert_eq!(first(&runs(&talks)), Msg::TileThroughput);
        talks.tiles.counts = false;
        assert_eq!(first(&runs(&talks)), Msg::TileUsed);
        let share = used_share(&talks);
        assert!(share > 0.0 && share < 1.0, "{share}");
    }

    #[test]
    fn a_unit_that_both_have_is_written_once() {
        let written = |first: f64, second: f64| {
            let (number, rest) = written(format::span(first), Some(format::span(second)));
            format!("{number}{rest}").replace('\u{202f}', " ")
        };
        assert_eq!(written(29.2e6, 65.1e6), "29.2 / 65.1 ms");
        assert_eq!(written(950e3, 1.2e6), "950 µs / 1.20 ms");
    }
}
