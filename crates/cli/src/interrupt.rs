//! Ctrl-C: asks the run to stop, so that what there is so far can be reported.

use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on Ctrl-C asks; a second one ends the program at once. To be called where a run starts: what waits for
/// input before that ends as every program does.
pub(crate) fn listen() {
    // A second handler is refused, and not needed. Without a handler Ctrl-C ends the program as it always did.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(crate::failure::INTERRUPTED));
        }
    });
}

/// Says how far it came, if Ctrl-C has ended it early.
pub(crate) fn tell(done: impl FnOnce() -> String) {
    if asked() {
        crate::failure::say("stopped by Ctrl-C", &done());
    }
}

/// Has Ctrl-C been pressed?
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
