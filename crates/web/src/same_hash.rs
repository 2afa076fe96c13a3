//! The engine in the browser gives the hashes that the native engine gave.
//!
//! The native list comes from `schedlab hash` through an environment variable that `cargo xtask test` sets when it
//! builds this test. Without it there is nothing to compare, and the test fails rather than passing for that.

use schedlab_engine::config::Scenario;
use schedlab_engine::fragment;
use schedlab_engine::observe::Hash;
use schedlab_engine::sim::Sim;
use schedlab_engine::time::Instant;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// How many random experiments are compared.
const EXPERIMENTS: usize = 50;

/// Runs what a link says and gives its hash and events as `schedlab hash` prints them.
fn hash_line(link: &str) -> String {
    // A link of random commits may warn that one has no effect; it must still say the same experiment.
    let (config, _) = fragment::parse(link);
    assert_eq!(fragment::print(&config), link);
    let scenario = Scenario::try_from(&config).expect("the native program ran it");
    let mut hash = Hash::default();
    let progress = Sim::new(&scenario).run_until(Instant::FAR, &mut hash);
    format!("{:016x} {:>6} {link}", hash.get(), progress.events)
}

#[wasm_bindgen_test]
fn fifty_random_experiments_hash_as_they_do_natively() {
    let Some(native) = option_env!("SCHEDLAB_NATIVE_HASHES") else {
        panic!("run by `cargo xtask test`, which hands over the native hashes");
    };
    assert_eq!(native.lines().count(), EXPERIMENTS);
    for line in native.lines() {
        let link = line
            .split_whitespace()
            .last()
            .expect("a link ends the line");
        assert_eq!(hash_line(link), line);
    }
}
