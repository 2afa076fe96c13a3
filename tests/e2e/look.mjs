// Runs in the page: what a careful eye would object to. Each function answers with a list of complaints.

/** Everything of the page that is seen, as text and as things to press. */
export function complaints() {
  const root = document.querySelector("dialog[open]") ?? document.body;
  const name = (element) => {
    const classes = [...element.classList].map((c) => `.${c}`).join("");
    const words = (element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 40);
    return `${element.localName}${element.id ? `#${element.id}` : classes} “${words}”`;
  };
  const seen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !element.closest(".sr-only, [aria-hidden=true] svg");
  const scrolls = (style, axis) => ["auto", "scroll"].includes(style[`overflow${axis}`]);

  /** What of `rect` its boxes let through, and the box that cuts it although it does not scroll. */
  function shownPart(element, rect) {
    let { left, top, right, bottom } = rect;
    let cutBy;
    for (let box = element; box && box !== document.documentElement; box = box.parentElement) {
      const style = getComputedStyle(box);
      const r = box.getBoundingClientRect();
      const slack = 1.5;
      if (style.overflowX !== "visible") {
        const cut = left < r.left - slack || right > r.right + slack;
        if (cut && !scrolls(style, "X") && !excused(box, style)) cutBy ??= box;
        [left, right] = [Math.max(left, r.left), Math.min(right, r.right)];
      }
      if (style.overflowY !== "visible") {
        const cut = top < r.top - slack || bottom > r.bottom + slack;
        if (cut && !scrolls(style, "Y")) cutBy ??= box;
        [top, bottom] = [Math.max(top, r.top), Math.min(bottom, r.bottom)];
      }
      if (style.position === "fixed") break;
    }
    return { left, top, right, bottom, cutBy };
  }

  /** A text may end in dots where the whole of it is one press or one look away. */
  const excused = (box, style) => style.textOverflow === "ellipsis" && box.closest("[aria-expanded], [title]") !== null;

  const found = [];
  const texts = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const element = node.parentElement;
    if (!node.textContent.trim() || element.matches("script, style, noscript, option, textarea, canvas") || !seen(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const whole of range.getClientRects()) {
      const rect = shownPart(element, whole);
      if (rect.cutBy) found.push(`cut off by ${name(rect.cutBy)}: ${name(element)}`);
      if (rect.right - rect.left < 1 || rect.bottom - rect.top < 1) continue;
      if (rect.left < -1 || rect.right > innerWidth + 1) found.push(`beyond the page's edge: ${name(element)}`);
      texts.push({ element, rect });
    }
  }

  // Words on words. What lies under something solid (a sheet, a bar that stays while the rest scrolls) is no fault.
  const solid = (element) =>
    element.matches("canvas, img") || !/^rgba\(.*, 0(\.\d+)?\)$|^transparent$/.test(getComputedStyle(element).backgroundColor);
  const onTop = ({ element, rect }) => {
    const x = (rect.left + rect.right) / 2;
    // Of what hangs over the edge of the window, the part in it is judged.
    const y = rect.top < innerHeight && rect.bottom > 0 ? (Math.max(rect.top, 0) + Math.min(rect.bottom, innerHeight)) / 2 : rect.top;
    // A bar that stays leaves by the top with its first line, and the rest passes under that out of sight.
    if (rect.bottom <= 0 && element.closest(".bar")) return false;
    if (x < 0 || y < 0 || x > innerWidth || y > innerHeight) return true;
    // What is scrolled out of a box of its own is not seen.
    for (let box = element.parentElement; box; box = box.parentElement) {
      const { top, bottom } = box.getBoundingClientRect();
      if (/auto|scroll/.test(getComputedStyle(box).overflowY) && (y < top || y > bottom)) return false;
    }
    const stack = document.elementsFromPoint(x, y);
    const above = stack.slice(0, stack.indexOf(element));
    if (above.some((other) => !element.contains(other) && !other.contains(element) && solid(other))) return false;
    return true;
  };
  const shown = texts.filter(onTop);
  for (let i = 0; i < shown.length; i += 1) {
    for (let j = i + 1; j < shown.length; j += 1) {
      const [a, b] = [shown[i], shown[j]];
      if (a.element === b.element) continue;
      const wide = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left);
      const high = Math.min(a.rect.bottom, b.rect.bottom) - Math.max(a.rect.top, b.rect.top);
      // Lines set close touch with their empty parts, never by a third of a line.
      if (wide > 1 && high > Math.min(a.rect.bottom - a.rect.top, b.rect.bottom - b.rect.top) / 3) found.push(`on each other: ${name(a.element)} and ${name(b.element)}`);
    }
  }

  // Fields whose value does not fit.
  for (const field of root.querySelectorAll("input[type=text], input[type=search]")) {
    if (seen(field) && field.value && field.scrollWidth > field.clientWidth + 1) found.push(`too narrow for its value: ${name(field)} ${field.value}`);
  }

  // Things to press.
  const targets = "button, input, select, summary, textarea, a[href], [tabindex='0']";
  for (const target of root.querySelectorAll(targets)) {
    if (!seen(target) && !target.matches(".switch input")) continue;
    if (!target.checkVisibility({ visibilityProperty: true })) continue;
    const r = (target.closest("label.check") ?? target).getBoundingClientRect();
    if (r.width < 23.5 || r.height < 23.5) found.push(`${Math.round(r.width)} × ${Math.round(r.height)} px is too small: ${name(target)}`);
  }

  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push(`the page is ${scrollWidth - innerWidth} px too wide`);
  // Side by side, the setup and the stage scroll, and the document does not.
  const { scrollHeight } = document.documentElement;
  if (innerWidth >= 1100 && scrollHeight > innerHeight) found.push(`the page is ${scrollHeight - innerHeight} px too long`);
  return [...new Set(found)];
}
