// Starts the page's own wasm module a second time, in this worker (crates/web/src/boot.rs).
addEventListener("message", async ({ data: { glue, module } }) => {
  const { default: init } = await import(glue);
  await init({ module_or_path: module });
}, { once: true });
