//! How the page starts a worker out of the module it is itself made of.
//!
//! The page hands the worker the address of its own glue script and its already compiled module, so nothing is
//! downloaded or compiled twice. A message posted before the Rust side of the worker listens would be lost, therefore
//! [`EngineWorker`] keeps messages until the worker has said that it is ready. What the messages mean is not known here.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;
use web_sys::{
    DedicatedWorkerGlobalScope, ErrorEvent, MessageEvent, Worker, WorkerOptions, WorkerType,
};

/// The first message of every worker: it listens from now on.
const READY: &str = "schedlab-ready";

/// A copied file of four lines: waits for the glue's address and the module, and starts them.
const BOOT_SCRIPT: &str = "worker-boot.js";

#[wasm_bindgen]
extern "C" {
    /// The address of the glue script this module was started by.
    #[wasm_bindgen(thread_local_v2, js_namespace = ["import", "meta"], js_name = url)]
    static GLUE_URL: String;
}

/// The worker's own global scope, or nothing on the page.
pub(crate) fn worker_scope() -> Option<DedicatedWorkerGlobalScope> {
    js_sys::global().dyn_into().ok()
}

/// Worker side: answers every message with `handle` from now on, and lets the page know.
pub(crate) fn listen(
    scope: &DedicatedWorkerGlobalScope,
    mut handle: impl FnMut(JsValue) + 'static,
) {
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        handle(event.data());
    });
    scope.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // The worker listens for as long as it lives.
    on_message.forget();
    scope
        .post_message(&READY.into())
        .expect("a string can be posted");
}

/// Page side: a running worker. Dropping it ends the worker, whatever it is doing.
pub(crate) struct EngineWorker {
    worker: Worker,
    outbox: Rc<Outbox>,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
    _on_error: Closure<dyn FnMut(ErrorEvent)>,
}

impl EngineWorker {
    /// Starts a worker. `on_message` gets what it posts; `on_error` gets the words of an error that nobody caught in it:
    /// after one of those the worker's memory is not to be trusted, so drop it and start another.
    pub(crate) fn spawn(
        on_message: impl Fn(JsValue) + 'static,
        on_error: impl Fn(String) + 'static,
    ) -> Result<Self, JsValue> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let glue_url = GLUE_URL.with(Clone::clone);
        let worker = Worker::new_with_options(&beside(&glue_url, BOOT_SCRIPT), &options)?;
        let outbox = Rc::new(Outbox::new(worker.clone()));

        let ready = Rc::clone(&outbox);
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let data = event.data();
            if data.as_string().as_deref() == Some(READY) {
                ready.open();
            } else {
                on_message(data);
            }
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));

        let on_error = Closure::<dyn FnMut(ErrorEvent)>::new(move |event: ErrorEvent| {
            on_error(event.message());
        });
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));

        worker.post_message(&start_message(&glue_url)?)?;
        Ok(Self {
            worker,
            outbox,
            _on_message: on_message,
            _on_error: on_error,
        })
    }

    /// Sends a message, or keeps it until the worker listens. Buffers named in `transfer` move instead of being copied.
    pub(crate) fn post(&self, message: JsValue, transfer: Array) {
        self.outbox.post(message, transfer);
    }
}

impl Drop for EngineWorker {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.terminate();
    }
}

/// Messages on their way to a worker, held back until it listens.
struct Outbox {
    worker: Worker,
    /// `None` once the worker listens.
    held: RefCell<Option<Vec<(JsValue, Array)>>>,
}

impl Outbox {
    fn new(worker: Worker) -> Self {
        Self {
            worker,
            held: RefCell::new(Some(Vec::new())),
        }
    }

    fn post(&self, message: JsValue, transfer: Array) {
        if let Some(held) = self.held.borrow_mut().as_mut() {
            held.push((message, transfer));
        } else {
            self.send(&message, &transfer);
        }
    }

    fn open(&self) {
        let held = self.held.borrow_mut().take().unwrap_or_default();
        for (message, transfer) in held {
            self.send(&message, &transfer);
        }
    }

    fn send(&self, message: &JsValue, transfer: &Array) {
        self.worker
            .post_message_with_transfer(message, transfer)
            .expect("messages are made of plain data, and a buffer is transferred once");
    }
}

/// What `worker-boot.js` waits for.
fn start_message(glue_url: &str) -> Result<JsValue, JsValue> {
    let message = Object::new();
    Reflect::set(&message, &"glue".into(), &glue_url.into())?;
    Reflect::set(&message, &"module".into(), &wasm_bindgen::module())?;
    Ok(message.into())
}

/// The address of `name` in the folder of `url`.
fn beside(url: &str, name: &str) -> String {
    let folder = url
        .rfind('/')
        .map_or("", |slash| url.get(..=slash).unwrap_or(""));
    format!("{folder}{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_boot_script_is_looked_for_beside_the_glue() {
        assert_eq!(
            beside("http://host/a/b/glue-1.js", BOOT_SCRIPT),
            "http://host/a/b/worker-boot.js"
        );
        assert_eq!(beside("glue.js", BOOT_SCRIPT), "worker-boot.js");
    }
}

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests {
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

    wasm_bindgen_test_configure!(run_in_browser);

    #[wasm_bindgen_test]
    fn a_page_is_no_worker() {
        assert!(super::worker_scope().is_none());
    }
}
