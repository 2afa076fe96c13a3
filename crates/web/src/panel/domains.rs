//! The flags of the scheduling domains, by level: a table of boxes.

use super::{BlockProps, block_head, found};
use crate::model::Change;
use crate::text::{Msg, fill, text};
use schedlab_engine::config::Config;
use schedlab_engine::machine::Machine;
use schedlab_engine::machine::sd_flags::{Level, SdFlags};
use schedlab_engine::machine::topology::Unit;
use schedlab_engine::sched::profile::Kernel;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// The flags.
#[component]
pub(super) fn DomainsBlock(props: &BlockProps) -> Html {
    let config = &props.config;
    let levels = levels(config.machine);
    let rows: Vec<_> = SdFlags::ALL
        .iter()
        .filter(|(_, name, what)| found(&props.query, &[name, what]))
        .collect();
    if rows.is_empty() {
        return Html::default();
    }
    let changes = config.canonical().sd_flags.len();
    let kernel = config.kernel_of_deltas();
    let table = kernel.rules.domains;
    let row = |(flag, name, what): &&(SdFlags, &'static str, &'static str)| {
        html! {
            <tr key={*name}>
                <th scope="row" title={*what}>{ name }</th>
                { for levels.iter().map(|level| cell(*level, *flag, name, &kernel, props)) }
            </tr>
        }
    };
    html! {
        <section class="block">
            { block_head(Msg::DomainsTitle, changes, Html::default()) }
            if levels.is_empty() {
                <p class="note">{ text(Msg::DomainsNone) }</p>
            } else {
                <table class="flag-table">
                    <thead>
                        <tr>
                            <th scope="col">{ text(Msg::DomainsFlag) }</th>
                            { for levels.iter().map(|l| html! { <th scope="col">{ l.name_in(table) }</th> }) }
                        </tr>
                    </thead>
                    <tbody>{ for rows.iter().map(row) }</tbody>
                </table>
            }
        </section>
    }
}

fn cell(
    level: Level,
    flag: SdFlags,
    name: &'static str,
    kernel: &Kernel,
    props: &BlockProps,
) -> Html {
    let default = kernel
        .domains
        .iter()
        .any(|d| d.level == level && d.flags.has(flag));
    let on = props
        .config
        .sd_flags
        .get(&(level, flag))
        .copied()
        .unwrap_or(default);
    let onchange = props.on_change.reform(move |event: Event| {
        let on = event.target_unchecked_into::<HtmlInputElement>().checked();
        Change::own(move |c: &mut Config| {
            c.sd_flags.insert((level, flag), on);
            *c = c.canonical();
        })
    });
    let label = fill(
        Msg::DomainsCell,
        &[
            ("flag", name),
            ("level", level.name_in(kernel.rules.domains)),
        ],
    );
    html! {
        <td class={(on != default).then_some("changed")}>
            <label class="check"><input type="checkbox" checked={on} aria-label={label} {onchange} /></label>
        </td>
    }
}

/// The levels that `machine` has: those that hold more CPUs than the one below.
fn levels(machine: &Machine) -> Vec<Level> {
    let Ok(topology) = machine.topology() else {
        return Vec::new();
    };
    let largest = |unit| {
        topology
            .spans(unit)
            .iter()
            .map(schedlab_engine::machine::CpuMask::weight)
            .max()
            .unwrap_or(1)
    };
    let sizes = [
        (Level::Sibling, largest(Unit::Core)),
        (Level::Mc, largest(Unit::Llc)),
        (Level::Cpu, largest(Unit::Node)),
        (Level::Node, usize::from(machine.layout.cpus)),
    ];
    let mut below = 1;
    let mut levels = Vec::new();
    for (level, size) in sizes {
        if size > below {
            levels.push(level);
        }
        below = below.max(size);
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_of_the_specification() {
        let of = |name: &str| -> Vec<&str> {
            let machine = Machine::by_name(name).expect("in the catalog");
            levels(machine).iter().map(|l| l.name()).collect()
        };
        assert_eq!(of("tigerton-4x4"), ["MC", "CPU"]);
        assert_eq!(of("nehalem-ep-2x4x2"), ["SIBLING", "MC", "NODE"]);
        assert!(of("classroom-1").is_empty());
    }
}
