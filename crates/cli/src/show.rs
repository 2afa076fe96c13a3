//! `schedlab show`: an experiment as a scenario or a link, with the catalog's workloads written out if wanted.

use crate::args::Show;
use crate::failure::Failure;
use schedlab_engine::fragment;
use std::io::Write;

/// Prints it; what cannot be run can still be shown.
pub(crate) fn show(show: &Show, out: &mut dyn Write) -> Result<(), Failure> {
    let given = show.source.read()?;
    given.tell(false)?;
    let config = if show.program {
        given.scenario()?;
        given.config.written_out()
    } else {
        given.config
    };
    if show.link {
        return Ok(writeln!(out, "{}", fragment::print(&config))?);
    }
    Ok(write!(out, "{}", fragment::print_file(&config))?)
}
