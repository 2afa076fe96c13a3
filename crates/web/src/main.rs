//! The program of the one wasm module; everything is in the library.

fn main() {
    schedlab_web::start();
}
