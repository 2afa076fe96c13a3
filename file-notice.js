// A classic script, because a page opened from a file may run no module: says what to do instead.
if (location.protocol === "file:") {
  document.getElementById("boot-notice").textContent =
    "Schedlab cannot run from a file: browsers load WebAssembly only from a web server. Any static one will do.";
}
