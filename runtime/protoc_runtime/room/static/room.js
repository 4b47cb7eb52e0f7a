// The review room: one row at a time, every step sent at once, nothing kept in the browser.

import { $, ask, many, short } from "./dom.js";
import { drawEmpty, drawRow, drawTop, on, part, state } from "./draw.js";
import { reveal, selected } from "./text.js";

// --- asking ---------------------------------------------------------------------------------------------------------

let last = Promise.resolve();

/** Do one thing after another: who types ahead loses no step. */
function inTurn(act) {
  last = last.then(act, act);
}

async function send(wanted) {
  try {
    const answer = await ask(wanted);
    if (answer.desk) state.desk = answer.desk;
    if (answer.row) state.row = answer.row;
    $("alarm").hidden = true;
    return answer;
  } catch (fault) {
    tell(fault.message, fault.lost);
    return null;
  }
}

function tell(words, alarm = false) {
  if (alarm) {
    $("alarm").textContent = words;
    $("alarm").hidden = false;
  } else {
    $("status").textContent = "";
    requestAnimationFrame(() => { $("status").textContent = words; });
  }
}

const step = (wanted) => send({ part: state.part, row: state.at, ...wanted });

// --- where we are ---------------------------------------------------------------------------------------------------

async function start() {
  try {
    state.desk = await ask();
  } catch (fault) {
    tell(fault.message, true);
    return;
  }
  await settle();
}

/** Show what is due: the name, the open stage, or that there is nothing to do now. */
async function settle() {
  drawTop();
  const open = state.desk.parts.find((each) => each.state === "open");
  const named = Boolean(state.desk.name);
  $("entry").hidden = named || !open;
  $("work").hidden = true;
  $("rest").hidden = true;
  if (open && !named) {
    $("name").focus();
  } else if (open) {
    await go(open.name, Math.max(0, open.rows.findIndex((each) => !each.done)));
  } else {
    rest();
  }
}

function rest() {
  const waiting = state.desk.parts.find((each) => each.state === "waiting");
  $("rest").hidden = false;
  $("rest-title").textContent = waiting ? "Saved. The next stage waits" : "Everything is saved and locked";
  $("rest-words").textContent = waiting
    ? `“${waiting.name}” opens when every other rater has saved what comes before it. Reload this page then.`
    : "Thank you. You may close this page. Choose a stage above to read again what you have saved.";
  $("rest-title").focus();
}

async function go(name, at, focus = true) {
  state.part = name;
  state.at = at;
  state.passage = null;
  document.body.classList.remove("has-passage");
  if (part().rows.length === 0) {
    state.row = null;
    drawEmpty();
    return;
  }
  if (await step({ act: "show" })) {
    $("rest").hidden = true;
    $("entry").hidden = true;
    $("work").hidden = false;
    drawRow();
    $("note").value = state.row.answer.note;
    $("note-box").open = Boolean(state.row.answer.note);
    tell("");
    if (focus) {
      $("row-title").focus({ preventScroll: true });
      window.scrollTo({ top: 0 });
    }
  }
}

async function move(by) {
  const at = state.at + by;
  if (part() && at >= 0 && at < part().rows.length) await go(state.part, at);
}

// --- doing ----------------------------------------------------------------------------------------------------------

/** The passage that is selected now, and of which row. */
function passage() {
  const { row } = state;
  const found = row && row.text ? selected($("text"), row.sees[row.text]) || state.passage : null;
  return found ? { ...found, row: row.key } : null;
}

async function answer(at, chosen) {
  const { row } = state;
  if (!row || at >= row.labels.length || part().state === "locked") return;
  const { label } = row.labels[at];
  if (!row.text) {
    if (await step({ act: "label", label })) {
      drawRow();
      $(`label${at}`).focus();
      tell(`Labelled ${label}.`);
    }
    return;
  }
  if (!chosen || chosen.row !== row.key) {
    tell("Select a passage of the text first.");
    return;
  }
  if (await step({ act: "mark", start: chosen.start, end: chosen.end, label })) {
    state.passage = null;
    redraw(chosen);
    tell(`Marked “${short(chosen.quote)}” as ${label}. ${many(state.row.answer.marks.length, "mark")}.`);
  }
}

/** Draw the row anew and leave the caret behind the passage, where a keyboard goes on. */
function redraw(chosen) {
  const inText = document.activeElement === $("text");
  const top = $("text").scrollTop;
  drawRow();
  $("text").scrollTop = top;
  const selection = document.getSelection();
  if (inText && chosen) {
    const where = window.scrollY;
    reveal($("text"), state.row.sees[state.row.text], chosen);
    selection.collapseToEnd();
    window.scrollTo({ top: where });
  } else {
    selection.removeAllRanges();
  }
}

async function unmark(mark) {
  if (await step({ act: "unmark", start: mark.start, end: mark.end, label: mark.label })) {
    redraw(null);
    $("marks-title").tabIndex = -1;
    $("marks-title").focus();
    tell(`Removed the mark “${short(mark.quote)}”.`);
  }
}

async function undo() {
  if (state.row && part().state === "open" && await step({ act: "undo" })) {
    redraw(null);
    tell(`Undone. ${state.row.text ? many(state.row.answer.marks.length, "mark") : state.row.answer.label || "No label"}.`);
  }
}

async function done() {
  if (!state.row || part().state === "locked") return;
  if (state.row.text && !state.row.done && !await step({ act: "done" })) return;
  if (!state.row.done) {
    tell("Choose a label first.");
    return;
  }
  const rows = part().rows;
  const order = [...rows.keys()].map((n) => (state.at + 1 + n) % rows.length);
  const next = order.find((at) => !rows[at].done);
  if (next === undefined) {
    drawRow();
    $("lock").focus();
    tell(`Every row is done. “Save and lock ${state.part}” is open now.`);
  } else {
    await go(state.part, next);
  }
}

async function keep() {
  if (await step({ act: "note", note: $("note").value })) {
    drawRow();
    tell("Note kept.");
  }
}

/** What a part comes to: "20 texts with 64 marks, 3 of them without one", or "32 rows: 19 accepted, 13 rejected". */
function summed({ marks, rows }) {
  if (!marks) {
    const counts = new Map();
    for (const { label } of rows) counts.set(label, (counts.get(label) || 0) + 1);
    return `${many(rows.length, "row")}: ${[...counts].map(([label, count]) => `${count} ${label}`).join(", ") || "none"}.`;
  }
  const all = rows.reduce((sum, each) => sum + each.marks, 0);
  const bare = rows.filter((each) => !each.marks).length;
  return `${many(rows.length, "text")} with ${many(all, "mark")}${bare && all ? `; ${bare} without any` : ""}.`;
}

function confirmLock() {
  $("confirm-title").textContent = `Save and lock ${part().name}?`;
  $("confirm-told").textContent = summed(part());
  $("confirm").showModal();
  $("confirm-no").focus();
}

async function lock() {
  $("confirm").close();
  if (await send({ act: "lock", part: state.part })) {
    state.part = null;
    await settle();
  }
}

// --- the page -------------------------------------------------------------------------------------------------------

function choose(at) {
  const chosen = passage();
  inTurn(() => answer(at, chosen));
}

/** The place of the label that has a number, beyond all where none has. */
const numbered = (number) => {
  const at = state.row.labels.findIndex((each) => each.number === number);
  return at < 0 ? state.row.labels.length : at;
};

function onKey(event) {
  const typing = event.target.closest("input:not([type=radio]), textarea, dialog");
  const inText = event.target === $("text");
  if (typing || event.altKey || $("work").hidden || !state.row) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
    event.preventDefault();
    inTurn(undo);
  }
  if (event.ctrlKey || event.metaKey) return;
  const acts = { n: () => move(1), p: () => move(-1), u: undo, t: () => $("text").focus() };
  if (/^[1-9]$/.test(event.key)) choose(numbered(Number(event.key)));
  else if (event.key in acts) inTurn(acts[event.key]);
  else if (event.key === "Enter" && (inText || !event.target.closest("button, summary, a"))) inTurn(done);
  else return;
  event.preventDefault();
}

function listen() {
  const text = $("text");
  for (const kind of ["beforeinput", "paste", "cut", "drop", "dragstart"]) {
    text.addEventListener(kind, (event) => event.preventDefault());  // it is read and marked, never written
  }
  document.addEventListener("selectionchange", () => {
    if (state.row && state.row.text && !text.hidden) {
      const found = selected(text, state.row.sees[state.row.text]);
      if (found || document.activeElement === text) state.passage = found;
      document.body.classList.toggle("has-passage", Boolean(state.passage));
    }
  });
  document.addEventListener("keydown", onKey);
  $("previous").addEventListener("click", () => inTurn(() => move(-1)));
  $("next").addEventListener("click", () => inTurn(() => move(1)));
  $("undo").addEventListener("click", () => inTurn(undo));
  $("done").addEventListener("click", () => inTurn(done));
  $("note-save").addEventListener("click", () => inTurn(keep));
  $("lock").addEventListener("click", confirmLock);
  $("confirm-no").addEventListener("click", () => $("confirm").close());
  $("confirm-yes").addEventListener("click", () => inTurn(lock));
  $("rename").addEventListener("click", () => {
    $("entry").hidden = false;
    $("work").hidden = $("rest").hidden = true;
    $("name").value = state.desk.name;
    $("name").select();
  });
  $("entry-form").addEventListener("submit", (event) => {
    event.preventDefault();
    inTurn(async () => {
      if (await send({ act: "name", name: $("name").value })) await settle();
    });
  });
  const wide = matchMedia("(min-width: 62rem)");
  const fit = () => { $("rows-box").open = wide.matches; };
  wide.addEventListener("change", fit);
  fit();
}

Object.assign(on, {
  go: (name, at) => inTurn(() => go(name, at)),
  choose,
  unmark: (mark) => inTurn(() => unmark(mark)),
});
listen();
inTurn(start);
