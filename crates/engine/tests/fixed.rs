//! The fixed experiments have their known hashes: what benchmarks measure is what they say.

use schedlab_engine::config::Scenario;
use schedlab_engine::config::fixed::{FIXED, PICKS};
use schedlab_engine::fragment;
use schedlab_engine::observe::Hash;
use schedlab_engine::sim::Sim;
use schedlab_engine::time::Instant;

#[test]
fn fixed_experiments_have_their_known_hashes() {
    let mut changed = Vec::new();
    let picks = PICKS.iter().flat_map(|(short, long)| [short, long]);
    for fixed in FIXED.iter().chain(picks) {
        let (config, warnings) = fragment::parse(fixed.link);
        assert_eq!(warnings, [], "{}", fixed.name);
        let scenario = Scenario::try_from(&config).expect("a fixed experiment is sound");
        let mut hash = Hash::default();
        Sim::new(&scenario).run_until(Instant::FAR, &mut hash);
        if hash.get() != fixed.hash {
            changed.push(format!("{}: {:#018x}", fixed.name, hash.get()));
        }
    }
    assert!(
        changed.is_empty(),
        "results changed: put the new hashes into config/fixed.rs, and say why in the commit: {changed:?}"
    );
}
