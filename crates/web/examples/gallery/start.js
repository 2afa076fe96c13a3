// Starts the gallery.
import init from "./gallery.js";

await init();
