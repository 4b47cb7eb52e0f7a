// Drawing what the room has told: nothing here asks or changes anything.

import { $, make, many, short } from "./dom.js";
import { draw, reveal } from "./text.js";

/** What the page shows now: the desk, the part and place, the row, and the passage that was selected last. */
export const state = { desk: null, part: null, at: 0, row: null, passage: null };

/** What the controls do; set once by the page. */
export const on = { go: null, choose: null, unmark: null };

/** The part that is shown. */
export const part = () => state.desk.parts.find((each) => each.name === state.part);

const STATES = { open: "open", waiting: "later", locked: "locked" };

export function drawTop() {
  const { rater, name, parts } = state.desk;
  $("who").textContent = [rater, name].filter(Boolean).join(" · ");
  $("rename").hidden = !name || state.desk.complete;
  $("stages").replaceChildren(...parts.map((each) => {
    const current = each.name === state.part && !$("work").hidden;
    const button = make("button", { type: "button", disabled: each.state === "waiting" },
      make("span", { className: "stage-name" }, each.name), " ",
      make("span", { className: `badge ${each.state}` }, STATES[each.state]));
    if (current) button.setAttribute("aria-current", "step");
    button.addEventListener("click", () => on.go(each.name, 0));
    return make("li", {}, button);
  }));
}

export function drawEmpty() {
  $("work").hidden = false;
  drawTop();
  drawRows();
  $("row-title").textContent = "There is no row to judge";
  $("stage-says").textContent = part().says;
  $("hint").textContent = "Save the stage to go on.";
  $("text").hidden = true;
  $("fields").replaceChildren();
  for (const id of ["labels-box", "marks-box", "note-box", "undo", "done", "previous", "next"]) $(id).hidden = true;
  drawLock();
}

export function drawRow() {
  const { row } = state;
  const locked = part().state === "locked";
  drawTop();
  drawRows();
  $("stage-says").textContent = part().says;
  $("row-title").textContent = row.key;
  $("previous").hidden = $("next").hidden = part().rows.length < 2;
  $("previous").disabled = state.at === 0;
  $("next").disabled = state.at + 1 >= part().rows.length;
  $("hint").textContent = locked ? "Saved and locked." : row.text
    ? "Select a passage, then press the number of a label or choose it beside the text."
    : "Press the number of a label, then Enter for the next row.";
  $("text").hidden = !row.text;
  if (row.text) drawText();
  drawFields();
  drawLabels(locked);
  drawMarks(locked);
  $("note-box").hidden = locked && !row.answer.note;
  $("note").readOnly = locked;
  $("note-save").hidden = locked;
  $("undo").hidden = locked;
  $("undo").disabled = row.undo === 0;
  $("done").hidden = locked || part().rows.every((each) => each.done);
  $("done").textContent = row.text && !row.done ? "Done with this text" : "Next row";
  drawLock();
  drawKeys();
}

function drawText() {
  $("text").dataset.row = state.row.key;
  draw($("text"), state.row.sees[state.row.text] || "", state.row.answer.marks, hue);
}

/** The colour of a label: its number's, which is the same in every row. */
const colour = (number) => `hue${(number - 1) % 8}`;
const hue = (label) => colour((state.row.labels.find((each) => each.label === label) || { number: 1 }).number);

function drawRows() {
  const rows = part().rows;
  const done = rows.filter((each) => each.done).length;
  $("bar-words").textContent = `${done} of ${many(rows.length, "row")} done`;
  $("bar").max = Math.max(1, rows.length);
  $("bar").value = rows.length ? done : 1;
  $("rows").replaceChildren(...rows.map((each, at) => {
    const button = make("button", { type: "button", className: each.done ? "is-done" : "" }, each.key,
      make("span", { className: "so-far" },
        each.marks ? make("span", { className: "count" }, String(each.marks),
          make("span", { className: "unseen" }, each.marks === 1 ? " mark" : " marks")) : null,
        make("span", { className: "mark-done", "aria-hidden": "true" }, each.done ? "✓" : ""),
        make("span", { className: "unseen" }, each.done ? " (done)" : " (open)")));
    if (at === state.at) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => on.go(state.part, at));
    return make("li", {}, button);
  }));
}

/** What is seen beside the marked text; a passage that stands once in a longer text is shown in it. */
function drawFields() {
  const { row } = state;
  const known = row.choices.split(".")[0];
  const shown = Object.entries(row.sees).filter(([name]) => name !== row.text && name !== known);
  const passages = shown.map(([, value]) => value).filter((value) => typeof value === "string" && value.length > 2);
  $("fields").replaceChildren(...shown.flatMap(([name, value]) => [
    make("dt", {}, name), make("dd", { translate: false }, ...valued(value, passages)),
  ]));
  $("fields").hidden = shown.length === 0;
  for (const long of $("fields").querySelectorAll(".long")) {  // a passage in its text is brought into view
    const found = long.querySelector("mark");
    if (found) long.scrollTop = found.offsetTop - long.offsetTop - long.clientHeight / 3;
  }
}

function valued(value, passages) {
  if (value === null) return [make("span", { className: "quiet" }, "nothing")];
  if (Array.isArray(value)) {
    if (!value.length) return [make("span", { className: "quiet" }, "none")];
    return [make("ul", {}, ...value.map((item) => make("li", {}, ...valued(item, passages))))];
  }
  if (typeof value === "object") {
    return Object.entries(value).flatMap(([name, inner], at) => [
      at ? make("br") : null, make("span", { className: "name" }, `${name}: `), ...valued(inner, passages),
    ]).filter(Boolean);
  }
  const text = String(value);
  const once = (each) => each.length >= 12 && each.length < text.length && text.split(each).length === 2;
  const inside = passages.filter(once).sort((a, b) => b.length - a.length)[0];
  if (!inside) return [make("span", { className: text.length > 300 ? "long" : "value" }, ...ends(text))];
  const at = text.indexOf(inside);
  return [make("span", { className: text.length > 300 ? "long" : "value" }, text.slice(0, at),
    make("mark", { className: "hue5" }, inside), text.slice(at + inside.length))];
}

const SIGNS = { " ": "␣", "\n": "↵", "\r": "␍", "\t": "⇥", "\u00a0": "⍽" };

/** A text whose first and last white space has signs that are seen, the same as on a printed sheet. */
function ends(text) {
  const begins = text.length - text.trimStart().length;
  const stops = Math.max(begins, text.trimEnd().length);
  const space = (part) => (part
    ? make("span", { className: "space", title: "white space" }, [...part].map((one) => SIGNS[one] || one).join(""))
    : null);
  return [space(text.slice(0, begins)), text.slice(begins, stops), space(text.slice(stops))].filter(Boolean);
}

function drawLabels(locked) {
  const { row } = state;
  $("labels-box").hidden = false;
  $("labels-box").disabled = locked;
  $("labels-title").textContent = row.text ? "Mark the selection as" : "Your label";
  $("labels").replaceChildren(...row.labels.map((each, at) => (row.text ? button(each, at) : radio(each, at))));
}

const key = ({ number }) => (number < 10 ? make("kbd", { "aria-hidden": "true" }, String(number)) : null);

/** A label, which a narrow screen may break behind an underscore. */
function named(label) {
  const pieces = label.split("_").flatMap((piece, at) => (at ? ["_", make("wbr"), piece] : [piece]));
  return make("span", { className: "label-name" }, ...pieces);
}

function meaning(each, id) {
  return each.meaning ? make("span", { className: "meaning", id }, each.meaning) : null;
}

function button(each, at) {
  const made = make("button", { type: "button", className: `label ${colour(each.number)}` },
    key(each), named(each.label), meaning(each, `meaning${at}`));
  if (each.number < 10) made.setAttribute("aria-keyshortcuts", String(each.number));
  made.addEventListener("pointerdown", (event) => event.preventDefault());  // the selection stays
  made.addEventListener("click", () => on.choose(at));
  return made;
}

function radio(each, at) {
  const input = make("input", { type: "radio", name: "label", value: each.label, id: `label${at}` });
  input.checked = state.row.answer.label === each.label;
  input.addEventListener("change", () => on.choose(at));
  return make("label", { className: "label", htmlFor: `label${at}` }, input, key(each),
    named(each.label), meaning(each));
}

function drawMarks(locked) {
  const { row } = state;
  $("marks-box").hidden = !row.text;
  const marks = row.answer.marks;
  $("marks-title").textContent = marks.length ? many(marks.length, "mark") : "No mark yet";
  $("marks").replaceChildren(...marks.map((mark, at) => {
    const find = make("button", { type: "button", className: "find" },
      make("span", { className: `swatch ${hue(mark.label)}` }, mark.label), " ",
      make("q", { translate: false }, short(mark.quote)));
    find.addEventListener("click", () => reveal($("text"), row.sees[row.text], mark));
    const remove = make("button", { type: "button", className: "remove", hidden: locked,
      "aria-label": `Remove mark ${at + 1}, ${mark.label}: ${short(mark.quote, 40)}` }, "Remove");
    remove.addEventListener("click", () => on.unmark(mark));
    return make("li", {}, find, remove);
  }));
}

function drawLock() {
  const { rows, state: now, name } = part();
  const left = rows.filter((each) => !each.done).length;
  $("lock").hidden = now !== "open";
  $("lock").disabled = left > 0;
  $("lock").textContent = left ? `Save ${name}: ${many(left, "row")} left` : `Save and lock ${name}`;
  $("lock").classList.toggle("ready", left === 0);
}

function drawKeys() {
  const keys = [
    ["1–9", state.row.text ? "mark the selected passage" : "choose the label"],
    ["Shift + arrows", "select in the text"],
    ["Enter", "done with this row, and on to the next"],
    ["n, p", "next and previous row"],
    ["u, Ctrl + Z", "undo the last step on this row"],
    ["t", "into the text"],
  ];
  $("keys").replaceChildren(...keys.filter(([name]) => state.row.text || !["Shift + arrows", "t"].includes(name))
    .flatMap(([name, words]) => [make("dt", {}, make("kbd", {}, name)), make("dd", {}, words)]));
}
