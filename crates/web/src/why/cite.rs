//! Where a rule comes from: the commit in force that set it, or the release that everything starts from. Pure.

use crate::text::{Msg, fill};
use schedlab_engine::config::Config;
use schedlab_engine::sched::features::Feature;

/// A rule and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cited {
    /// What the rule says.
    pub(super) words: String,
    /// The commit or file.
    pub(super) source: String,
}

/// Where the rule called `rule` comes from; `function` is where the kernel has it.
pub(super) fn rule(config: &Config, rule: &str, function: &str) -> Cited {
    match config.source_of_rule(rule) {
        Some(delta) => Cited {
            words: fill(
                Msg::CiteCommit,
                &[("commit", &delta.id.to_string()), ("what", delta.what)],
            ),
            source: format!("{function} · {}", delta.commits),
        },
        None => base(config.release_of_rule(rule), function),
    }
}

/// What is as it was in the release `kernel`.
pub(super) fn base(kernel: &str, function: &str) -> Cited {
    Cited {
        words: fill(Msg::CiteBase, &[("kernel", kernel)]),
        source: function.to_string(),
    }
}

/// What `feature` does, if it is switched so that it matters here.
pub(super) fn feature(feature: Feature) -> Cited {
    let info = feature.info();
    Cited {
        words: fill(
            Msg::CiteFeature,
            &[("name", info.name), ("what", info.what)],
        ),
        source: info.cite.to_string(),
    }
}
