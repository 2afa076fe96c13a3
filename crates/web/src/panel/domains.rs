//! The flags of the scheduling domains, by level: a table of boxes.

use super::{BlockProps, block_head, found};
use crate::dom::html;
use crate::model::Change;
use crate::part::Rove;
use crate::text::{Msg, fill, text};
use schedlab_engine::config::Config;
use schedlab_engine::machine::Machine;
use schedlab_engine::machine::sched_domain::Domains;
use schedlab_engine::machine::sd_flags::{Level, SdFlags};
use schedlab_engine::machine::topology::Unit;
use schedlab_engine::sched::profile::Kernel;
use web_sys::HtmlInputElement;
use yew::prelude::*;

/// A row of the table: the flag, its name, what it does.
type Flag = (SdFlags, &'static str, &'static str);

/// The flags.
#[component]
pub(super) fn DomainsBlock(props: &BlockProps) -> Html {
    let config = &props.config;
    let levels = levels(config);
    let kernel = config.kernel_of_deltas();
    let table = kernel.rules.domains;
    // What the kernel has comes first.
    let (there, absent): (Vec<&Flag>, Vec<&Flag>) = SdFlags::ALL
        .iter()
        .filter(|(flag, name, what)| found(&props.query, &[name, flag.name_in(table), what]))
        .partition(|(flag, ..)| kernel.instead_of_flag(*flag).is_none());
    let rows: Vec<Html> = there
        .into_iter()
        .chain(absent)
        .map(|(flag, _, what)| row(*flag, what, &levels, &kernel, props))
        .collect();
    if rows.is_empty() {
        return Html::default();
    }
    let changes = config.canonical().sd_flags.len();
    html! {
        <section class="block">
            { block_head(Msg::DomainsTitle, changes, Html::default()) }
            if levels.is_empty() {
                <p class="note">{ text(Msg::DomainsNone) }</p>
            } else {
                <Rove><table class="flag-table">
                    <thead>
                        <tr>
                            <th scope="col">{ text(Msg::DomainsFlag) }</th>
                            { for levels.iter().map(|l| html! { <th scope="col">{ l.name_in(table) }</th> }) }
                        </tr>
                    </thead>
                    { for rows }
                </table></Rove>
            }
        </section>
    }
}

/// A flag: a box for each level, and under them what it does, or why it is not there.
fn row(
    flag: SdFlags,
    what: &'static str,
    levels: &[Level],
    kernel: &Kernel,
    props: &BlockProps,
) -> Html {
    let name = flag.name_in(kernel.rules.domains);
    let release = props.config.kernel.name;
    let absent = kernel
        .instead_of_flag(flag)
        .map(|why| fill(Msg::FeaturesWired, &[("kernel", release), ("why", why)]));
    html! {
        <tbody key={name} class={absent.is_some().then_some("absent")}>
            <tr>
                <th scope="row">{ name }</th>
                { for levels.iter().map(|level| cell(*level, flag, kernel, props)) }
            </tr>
            <tr><td colspan={(levels.len() + 1).to_string()}>{ absent.unwrap_or_else(|| what.to_string()) }</td></tr>
        </tbody>
    }
}

fn cell(level: Level, flag: SdFlags, kernel: &Kernel, props: &BlockProps) -> Html {
    let there = kernel.instead_of_flag(flag).is_none();
    let default = kernel
        .domains
        .iter()
        .any(|d| there && d.level == level && d.flags.has(flag));
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
            ("flag", flag.name_in(kernel.rules.domains)),
            ("level", level.name_in(kernel.rules.domains)),
        ],
    );
    html! {
        <td class={(on != default).then_some("changed")}>
            <label class="check"><input type="checkbox" checked={on} disabled={!there} aria-label={label}
                {onchange} /></label>
        </td>
    }
}

/// The levels of the domains that this machine has under this kernel, and those with a changed flag. A level that
/// holds no more CPUs than the one below is pruned, unless a flag keeps it.
fn levels(config: &Config) -> Vec<Level> {
    let kernel = config.kernel_in_force();
    let mut levels = sizes(config.machine);
    if let Ok(topology) = config.machine.topology() {
        let table = (kernel.rules.domains, kernel.rules.cpu_power);
        let domains = Domains::new(&topology, &kernel.domains, table);
        for cpu in &topology.all() {
            levels.extend(domains.of(cpu).map(|domain| domain.sd.spec.level));
        }
    }
    levels.extend(config.sd_flags.keys().map(|(level, _)| *level));
    Level::ALL
        .into_iter()
        .filter(|level| levels.contains(level))
        .collect()
}

/// The levels of `machine` that hold more CPUs than the one below.
fn sizes(machine: &Machine) -> Vec<Level> {
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
    use schedlab_engine::fragment;

    fn levels_of(link: &str) -> Vec<&'static str> {
        let (config, _) = fragment::parse(link);
        let levels = levels(&config);
        levels.iter().map(|l| config.level_name(*l)).collect()
    }

    #[test]
    fn levels_are_those_of_the_machine_under_the_kernel() {
        assert_eq!(levels_of("m=tigerton-4x4"), ["MC", "CPU"]);
        assert_eq!(levels_of("m=tigerton-4x4&k=6.6"), ["MC", "DIE"]);
        assert_eq!(levels_of("m=tigerton-4x4&k=6.12"), ["MC", "PKG"]);
        assert_eq!(levels_of("m=nehalem-ep-2x4x2"), ["SIBLING", "MC", "NODE"]);
        assert_eq!(levels_of("m=nehalem-ep-2x4x2&k=6.5"), ["SMT", "MC", "NUMA"]);
        assert!(levels_of("m=classroom-1").is_empty());
        // SD_PREFER_LOCAL keeps a level that adds no CPU (cfs.md §15).
        assert_eq!(levels_of("m=tigerton-4x4&d=D20"), ["MC", "CPU", "NODE"]);
    }
}
