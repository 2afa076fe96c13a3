//! The worker's side: takes requests, runs the engine, posts replies.

use crate::boot;
use crate::protocol::{Reply, Request};
use schedlab_engine::config::Scenario;
use schedlab_engine::fragment;
use web_sys::DedicatedWorkerGlobalScope;

/// Starts to answer.
pub(crate) fn start(scope: &DedicatedWorkerGlobalScope) {
    let out = scope.clone();
    boot::listen(scope, move |message| {
        let Ok(request) = serde_wasm_bindgen::from_value::<Request>(message) else {
            return;
        };
        if let Some(reply) = answer(&request) {
            let reply = serde_wasm_bindgen::to_value(&reply).expect("a reply is plain data");
            out.post_message(&reply).expect("plain data can be posted");
        }
    });
}

fn answer(request: &Request) -> Option<Reply> {
    let Request::Run { run, config, .. } = request else {
        return None;
    };
    let (config, _) = fragment::parse(config);
    let problems = Scenario::try_from(&config).err()?;
    let problems = problems.0.iter().map(ToString::to_string).collect();
    Some(Reply::Rejected {
        run: *run,
        problems,
    })
}
