//! What tasks amount to, side by side: CPU time, switches, wakeups and how long they waited to run.

use crate::dom::{classes, html};
use crate::format;
use crate::protocol::{Part, RunSide};
use crate::text::{Msg, text};
use crate::view::picture::{Runs, letter};
use yew::prelude::*;

/// Properties of [`Parts`].
#[derive(Properties, PartialEq)]
pub(crate) struct PartsProps {
    /// The runs.
    pub(crate) runs: Runs,
}

/// What is told of each row.
const HEAD: [Msg; 8] = [
    Msg::TasksCount,
    Msg::TasksCpu,
    Msg::TasksShare,
    Msg::TasksVoluntary,
    Msg::TasksInvoluntary,
    Msg::TasksWakeups,
    Msg::TasksP50,
    Msg::TasksP99,
];

/// The table.
#[component]
pub(crate) fn Parts(props: &PartsProps) -> Html {
    let compared = props.runs.compared();
    html! {
        <div class="card parts" id="tasks">
            <div class="card-head">
                <h2 id="tasks-title">{ text(Msg::TasksTitle) }</h2><span class="note">{ text(Msg::TasksAbout) }</span>
            </div>
            <div class="table-scroll" tabindex="0" role="region" aria-labelledby="tasks-title">
                <table class="data">
                    <thead><tr>
                        <td></td>
                        if compared {
                            <td></td>
                        }
                        { for HEAD.iter().map(|head| html! { <th scope="col" class="num">{ text(*head) }</th> }) }
                    </tr></thead>
                    <tbody>{ for names(&props.runs).into_iter().map(|name| rows(&props.runs, name)) }</tbody>
                </table>
            </div>
        </div>
    }
}

/// The names of all rows: those of A, then those that only B has.
fn names(runs: &Runs) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for part in runs.iter().flat_map(|(_, run)| &run.parts) {
        if !names.contains(&&*part.name) {
            names.push(&part.name);
        }
    }
    names
}

/// The rows called `name`: A's above B's.
fn rows(runs: &Runs, name: &str) -> Html {
    let of = |(side, run): (RunSide, &std::rc::Rc<crate::protocol::Snapshot>)| {
        let all: u64 = run.parts.iter().map(|part| part.cpu_ns).sum();
        let part = run.parts.iter().find(|part| part.name == name)?;
        Some((side, cells(part, all)))
    };
    let found: Vec<(RunSide, [String; 8])> = runs.iter().filter_map(of).collect();
    let span = found.len().to_string();
    let row = |(index, (side, cells)): (usize, &(RunSide, [String; 8]))| {
        let class = if *side == RunSide::A {
            "side-a"
        } else {
            "side-b"
        };
        html! {
            <tr>
                if index == 0 {
                    <th scope="rowgroup" rowspan={span.clone()}>{ name }</th>
                }
                if runs.compared() {
                    <td><b class={classes!(class)}>{ letter(*side) }</b></td>
                }
                { for cells.iter().map(|cell| html! { <td class="num">{ cell }</td> }) }
            </tr>
        }
    };
    html! { <>{ for found.iter().enumerate().map(row) }</> }
}

/// The numbers of one row, in a run in which all tasks together had `all` ns of CPU time.
fn cells(part: &Part, all: u64) -> [String; 8] {
    let count = |n: u64| format::count(n as f64, "").text();
    let wait = |ns: f64| format::span(ns).text();
    [
        part.tasks.to_string(),
        format::span(part.cpu_ns as f64).text(),
        format::percent(part.cpu_ns as f64 / all as f64).text(),
        count(part.voluntary),
        count(part.involuntary),
        count(part.wakeups),
        wait(part.p50_ns),
        wait(part.p99_ns),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_what_it_had_of_all_and_nothing_where_nothing_was() {
        let part = Part {
            name: "hog 1".to_string(),
            tasks: 1,
            cpu_ns: 250_000_000,
            involuntary: 125,
            p50_ns: f64::NAN,
            p99_ns: f64::NAN,
            ..Part::default()
        };
        let cells = cells(&part, 1_000_000_000).map(|cell| cell.replace('\u{202f}', " "));
        assert_eq!(cells, ["1", "250 ms", "25.0 %", "0", "125", "0", "–", "–"]);
        let none = super::cells(&Part::default(), 0);
        assert_eq!(none[2], "–", "a share of nothing");
    }
}
