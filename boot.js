// Starts the page. A file instead of Trunk's inline script, which the page's content security policy would refuse.
try {
  const { glue, wasm } = document.querySelector("script[data-glue]").dataset;
  const { default: init } = await import(new URL(glue, document.baseURI).href);
  await init({ module_or_path: new URL(wasm, document.baseURI) });
} catch (error) {
  // The page removes the notice when it draws itself; if it is still there, nothing else can tell what went wrong.
  const notice = document.getElementById("boot-notice");
  if (notice) notice.textContent = `Schedlab could not start: it needs WebAssembly. The browser says: ${error}`;
  throw error;
}
