//! The worker's side: takes requests, runs the engine, posts replies. For now it only echoes.

use wasm_bindgen::JsValue;
use web_sys::DedicatedWorkerGlobalScope;

use crate::boot;

/// Starts to answer.
pub(crate) fn start(scope: &DedicatedWorkerGlobalScope) {
    let out = scope.clone();
    boot::listen(scope, move |message| {
        let text = message.as_string().unwrap_or_default();
        let reply = JsValue::from(format!("{text}, answered the worker"));
        out.post_message(&reply).expect("a string can be posted");
    });
}
