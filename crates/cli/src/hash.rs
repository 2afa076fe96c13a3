//! `schedlab hash`: the hashes of random experiments, which are the same wherever they are run.

use crate::failure::Failure;
use crate::interrupt;
use schedlab_engine::config::{Scenario, random};
use schedlab_engine::fragment;
use schedlab_engine::observe::Hash;
use schedlab_engine::sim::Sim;
use schedlab_engine::time::Instant;
use std::io::Write;

/// Prints a line for each: hash, events, fragment.
pub(crate) fn hash(count: u32, seed: u64, out: &mut dyn Write) -> Result<(), Failure> {
    interrupt::listen();
    for number in 0..count {
        if interrupt::asked() {
            interrupt::tell(|| format!("hash: {number} of {count} experiments were run"));
            break;
        }
        let config = random::nth(seed, number);
        let scenario = Scenario::try_from(&config).map_err(|problems| {
            Failure::Run(vec![format!("random experiment {number}: {problems}")])
        })?;
        let mut sim = Sim::new(&scenario);
        let mut hash = Hash::default();
        let progress = sim.run_until(Instant::FAR, &mut hash);
        let link = fragment::print(&config);
        writeln!(out, "{:016x} {:>6} {link}", hash.get(), progress.events)?;
    }
    Ok(())
}
