// Starts the page's own wasm module a second time, in this worker (crates/web/src/boot.rs).
// What fails in a promise would not reach the page by itself, so it is thrown once more.
addEventListener("unhandledrejection", ({ reason }) => {
  throw reason;
});
addEventListener("message", async ({ data: { glue, module } }) => {
  const { default: init } = await import(glue);
  await init({ module_or_path: module });
}, { once: true });
