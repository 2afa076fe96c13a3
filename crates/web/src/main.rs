//! One wasm module in two roles: on the page it draws, in a worker it simulates.
//!
//! The role is read from the kind of global scope the module wakes up in. Nothing is decided here beyond that.

mod app;
mod boot;
mod worker;

fn main() {
    console_error_panic_hook::set_once();
    match boot::worker_scope() {
        Some(scope) => worker::start(&scope),
        None => {
            yew::Renderer::<app::App>::new().render();
        }
    }
}
