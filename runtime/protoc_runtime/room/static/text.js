// Places in a text: the ledger counts code points, the page's script counts UTF-16 units.

/** The number of code points in a text. */
export function points(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** The place in UTF-16 units of a place in code points. */
export function units(text, place) {
  let at = 0;
  for (let n = 0; n < place; n += 1) at += text.codePointAt(at) > 0xffff ? 2 : 1;
  return at;
}

/** The text nodes below an element, in order. */
function nodes(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  return found;
}

/** How many UTF-16 units stand before a point of the page, inside of root. */
function before(root, node, offset) {
  const range = document.createRange();
  range.setStart(root, 0);
  range.setEnd(node, offset);
  return range.toString().length;
}

/** The selected passage inside of root as [start, end) in code points, without white space at its ends, or null. */
export function selected(root, text) {
  const selection = document.getSelection();
  if (!selection || selection.rangeCount === 0 || selection.isCollapsed) return null;
  const range = selection.getRangeAt(0);
  if (!root.contains(range.startContainer) || !root.contains(range.endContainer)) return null;
  let start = before(root, range.startContainer, range.startOffset);
  let end = before(root, range.endContainer, range.endOffset);
  while (start < end && /\s/u.test(text[start])) start += 1;
  while (end > start && /\s/u.test(text[end - 1])) end -= 1;
  if (start >= end) return null;
  return { start: points(text.slice(0, start)), end: points(text.slice(0, end)), quote: text.slice(start, end) };
}

/** Select a passage and bring it into view. */
export function reveal(root, text, mark) {
  const range = document.createRange();
  const ends = [units(text, mark.start), units(text, mark.end)];
  let at = 0;
  for (const node of nodes(root)) {
    const next = at + node.length;
    if (ends[0] >= at && ends[0] <= next) range.setStart(node, ends[0] - at);
    if (ends[1] >= at && ends[1] <= next) {
      range.setEnd(node, ends[1] - at);
      break;
    }
    at = next;
  }
  const selection = document.getSelection();
  root.focus({ preventScroll: true });
  selection.removeAllRanges();
  selection.addRange(range);
  (range.startContainer.parentElement || root).scrollIntoView({ block: "center" });
}

/** Fill root with the text, marked passages in their colours; the text itself is not changed by a single character. */
export function draw(root, text, marks, hue) {
  const spans = marks.map((mark, n) => ({ ...mark, n: n + 1, from: units(text, mark.start), to: units(text, mark.end) }));
  const ends = [...new Set([0, text.length, ...spans.flatMap((span) => [span.from, span.to])])].sort((a, b) => a - b);
  const parts = [];
  for (let i = 0; i + 1 < ends.length; i += 1) {
    const piece = document.createTextNode(text.slice(ends[i], ends[i + 1]));
    const over = spans.filter((span) => span.from <= ends[i] && ends[i + 1] <= span.to);
    parts.push(over.length ? marked(piece, over, ends[i], hue) : piece);
  }
  root.replaceChildren(...parts);
}

function marked(piece, over, at, hue) {
  const element = document.createElement("mark");
  element.className = `${hue(over[over.length - 1].label)}${over.length > 1 ? " several" : ""}`;
  const begins = over.filter((span) => span.from === at).map((span) => span.n);
  if (begins.length) element.dataset.n = begins.join(" ");
  element.title = over.map((span) => span.label).join(", ");
  element.append(piece);
  return element;
}
