//! The sched features: each as a switch, with what it does, where it comes from, and why it cannot be switched if so.

use super::{BlockProps, absent_head, block_head, found};
use crate::dom::html;
use crate::model::Change;
use crate::part::{Item, Rove};
use crate::text::{Msg, fill};
use schedlab_engine::config::text::switch_text;
use schedlab_engine::sched::features::{Effect, Feature};
use schedlab_engine::sched::profile::{Base, DeltaId, Kernel, Profile, Set};
use yew::prelude::*;

/// The features.
#[component]
pub(super) fn FeaturesBlock(props: &BlockProps) -> Html {
    let kernel = props.config.kernel_of_deltas();
    let shown = |f: &&Feature| {
        let info = f.info();
        found(
            &props.query,
            &[
                info.name,
                info.alias.map_or("", |a| a.name()),
                info.what,
                info.cite,
            ],
        )
    };
    let base = props.config.kernel.base;
    // What this kernel's story has nothing to do with is left out.
    let belongs = |f: &&Feature| {
        kernel.exists.has(**f) || base.instead_of(**f).is_some() || brought_by(base, **f).is_some()
    };
    let (there, missing): (Vec<Feature>, Vec<Feature>) = Feature::ALL
        .iter()
        .filter(belongs)
        .filter(shown)
        .copied()
        .partition(|f| kernel.exists.has(*f));
    if there.is_empty() && missing.is_empty() {
        return Html::default();
    }
    let changes = props.config.canonical().features.len();
    // What the kernel has comes first; the order within is that of the kernel's file.
    let list = |of: Vec<Feature>| {
        html! { <Rove><ul>{ for of.into_iter().map(|f| line(f, &kernel, props)) }</ul></Rove> }
    };
    html! {
        <section class="block">
            { block_head(Msg::FeaturesTitle, changes, Html::default()) }
            { list(there) }
            if !missing.is_empty() {
                { absent_head(props) }
                { list(missing) }
            }
        </section>
    }
}

fn line(feature: Feature, kernel: &Kernel, props: &BlockProps) -> Html {
    let info = feature.info();
    let name = props.config.feature_name(feature);
    let exists = kernel.exists.has(feature);
    let default = kernel.features.has(feature);
    let on = exists
        && props
            .config
            .features
            .get(&feature)
            .copied()
            .unwrap_or(default);
    let on_switch = props.on_change.reform(move |on| {
        Change::own(move |c| {
            c.features.insert(feature, on);
            *c = c.canonical();
        })
    });
    let reason = reason(feature, exists, props.config.kernel);
    html! {
        <Item key={name} id={format!("feature-{name}")} {name} what={info.what} {on}
            changed={exists && on != default} absent={!exists} default_words={switch_text(default)} {on_switch}>
            <p>{ info.what }</p>
            if let Some(reason) = reason {
                <p class="note warn">{ reason }</p>
            }
            <p class="source">{ info.cite }</p>
        </Item>
    }
}

/// Why the switch does nothing, if it does nothing.
fn reason(feature: Feature, exists: bool, kernel: &'static Profile) -> Option<String> {
    if let (true, Effect::Inert(why)) = (exists, kernel.base.effect(feature)) {
        return Some(fill(Msg::FeaturesInert, &[("why", why)]));
    }
    let base = kernel.base;
    let missing = || {
        missing(
            kernel.name,
            (brought_by(base, feature), base.instead_of(feature)),
        )
    };
    (!exists).then(missing)
}

/// Why `kernel` has no such switch: it comes with a commit, or something else holds always.
pub(super) fn missing(
    kernel: &str,
    (comes_with, instead): (Option<DeltaId>, Option<&str>),
) -> String {
    match (comes_with, instead) {
        (Some(delta), _) => {
            let delta = delta.delta().map_or_else(
                || delta.to_string(),
                |d| format!("{} ({})", d.id, d.name.replace('_', " ")),
            );
            fill(
                Msg::FeaturesMissingBut,
                &[("kernel", kernel), ("delta", &delta)],
            )
        }
        (None, Some(why)) => fill(Msg::FeaturesWired, &[("kernel", kernel), ("why", why)]),
        (None, None) => fill(Msg::FeaturesMissing, &[("kernel", kernel)]),
    }
}

/// The commit to `base` that makes `feature` exist.
fn brought_by(base: Base, feature: Feature) -> Option<DeltaId> {
    base.first_with(&|set| matches!(set, Set::Feature(f, _) if *f == feature))
}
