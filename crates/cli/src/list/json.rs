//! The same lists for programs.

use super::{LANGUAGE, feature_default, kernels_with, levels_of};
use crate::args::List;
use schedlab_engine::config::{Config, Field};
use schedlab_engine::machine::Machine;
use schedlab_engine::machine::catalog::{CATALOG, Fact};
use schedlab_engine::machine::sd_flags::SdFlags;
use schedlab_engine::sched::features::{Alias, Effect, Feature};
use schedlab_engine::sched::outline::OUTLINES;
use schedlab_engine::sched::profile::{DELTAS, Delta, PROFILES};
use schedlab_engine::sched::tunables::Tunable;
use schedlab_engine::workload::WorkloadKind;
use schedlab_engine::workload::lang::Word;
use serde_json::{Value, json};

fn language_json() -> Value {
    let word = |w: &Word| json!({ "word": w.word, "form": w.form, "what": w.what });
    let place =
        |(place, words): (&str, &[Word])| (place.to_string(), words.iter().map(word).collect());
    Value::Object(LANGUAGE.into_iter().map(place).collect())
}

/// The field for a list; commits have an older name there.
pub(super) fn key(name: &'static str) -> &'static str {
    if name == "commits" { "deltas" } else { name }
}

pub(super) fn as_json(list: List, config: &Config) -> Value {
    match list {
        List::Language => language_json(),
        List::Machines => CATALOG.iter().map(machine_json).collect(),
        List::Kernels => PROFILES
            .iter()
            .map(|p| {
                let in_it = DELTAS.iter().filter(|d| p.deltas.has(d.id));
                let deltas: Vec<String> = in_it.map(|d| d.id.to_string()).collect();
                let outlines: Vec<&str> = p.outlines().map(|part| part.name).collect();
                json!({
                    "name": p.name, "released": p.released, "hz": p.hz, "what": p.what, "deltas": deltas,
                    "outlines": outlines,
                })
            })
            .collect(),
        List::Outlines => OUTLINES
            .iter()
            .map(|o| json!({ "name": o.name, "what": o.what, "cite": o.cite, "kernels": kernels_with(o) }))
            .collect(),
        List::Deltas => DELTAS.iter().map(|d| delta_json(d, config)).collect(),
        List::Features => Feature::ALL.iter().map(|f| feature_json(*f, config)).collect(),
        List::Tunables => Tunable::ALL.iter().map(|t| tunable_json(*t, config)).collect(),
        List::Flags => SdFlags::ALL
            .iter()
            .map(|(flag, _, what)| {
                let name = config.flag_name(*flag);
                let instead = config.kernel_of_deltas().instead_of_flag(*flag);
                json!({
                    "name": name, "what": what, "levels": levels_of(config, *flag),
                    "effective": instead.is_none(), "inert_because": instead,
                })
            })
            .collect(),
        List::Workloads => WorkloadKind::ALL.iter().map(|k| workload_json(*k)).collect(),
        List::Keys => Field::ALL
            .iter()
            .map(|f| json!({ "key": f.key(), "aliases": f.aliases(), "example": f.form(), "what": f.what() }))
            .collect(),
    }
}

fn machine_json(machine: &Machine) -> Value {
    let fact = |f: &Fact| {
        let mark = format!("{:?}", f.mark).to_lowercase();
        json!({ "what": f.what, "mark": mark, "source": f.source })
    };
    let facts: Vec<Value> = machine.facts.iter().map(fact).collect();
    json!({ "name": machine.name, "title": machine.title, "cpus": machine.layout.cpus, "facts": facts })
}

/// Is it felt, and if not, why not?
const fn effect_fields(effect: Effect) -> (bool, Option<&'static str>) {
    match effect {
        Effect::Effective => (true, None),
        Effect::Inert(why) => (false, Some(why)),
    }
}

fn delta_json(delta: &Delta, config: &Config) -> Value {
    let needs: Vec<String> = delta.needs.iter().map(ToString::to_string).collect();
    let (effective, inert) = effect_fields(delta.effect);
    json!({
        "id": delta.id.to_string(), "name": delta.name, "commits": delta.commits, "date": delta.date,
        "what": delta.what, "needs": needs, "default": config.kernel.deltas.has(delta.id),
        "effective": effective, "inert_because": inert,
    })
}

fn feature_json(feature: Feature, config: &Config) -> Value {
    let info = feature.info();
    let (effective, inert) = effect_fields(config.kernel.base.effect(feature));
    json!({
        "name": info.name, "alias": info.alias.map(Alias::name), "name_here": config.feature_name(feature),
        "what": info.what, "without": feature.without(),
        "cite": info.cite, "effective": effective, "inert_because": inert, "default": feature_default(config, feature),
    })
}

fn tunable_json(tunable: Tunable, config: &Config) -> Value {
    let info = tunable.info();
    let (effective, inert) = effect_fields(info.effect);
    json!({
        "name": info.name, "sysctl": info.sysctl, "what": info.what, "min": info.range.0,
        "max": info.range.1, "scaled": info.scaled, "default": config.default_tunable(tunable),
        "effective": effective, "inert_because": inert,
    })
}

fn workload_json(kind: WorkloadKind) -> Value {
    let params: Vec<Value> = kind
        .params()
        .iter()
        .map(|p| {
            json!({
                "name": p.name, "unit": format!("{:?}", p.unit).to_lowercase(), "default": p.default,
                "min": p.min, "max": p.max, "choices": p.choices, "what": p.what,
            })
        })
        .collect();
    json!({ "name": kind.name(), "what": kind.what(), "params": params })
}
