// Small helpers around the page.

export const $ = (id) => document.getElementById(id);

/** An element with properties and children; text is always text, never markup. */
export function make(name, properties = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("aria-") || key === "role") element.setAttribute(key, value);
    else if (key === "data") Object.assign(element.dataset, value);
    else element[key] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Words for one thing or several. */
export const many = (count, one, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

/** A passage, short enough to be read out. */
export const short = (text, most = 80) => {
  const line = [...text.replace(/\s+/gu, " ")];
  return line.length <= most ? line.join("") : `${line.slice(0, most - 1).join("")}…`;
};

/** Ask the room; what is wrong is thrown as an Error with words for people. */
export async function ask(wanted) {
  const how = wanted
    ? { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wanted) }
    : {};
  let answer;
  try {
    answer = await fetch(wanted ? "/api/act" : "/api/desk", { ...how, cache: "no-store" });
  } catch {
    const gone = new Error("The room does not answer. What you did is kept; start it again and open the new link.");
    gone.lost = true;
    throw gone;
  }
  const body = await answer.json().catch(() => ({}));
  if (answer.ok) return body;
  const fault = new Error(body.fault || "The room refused this.");
  fault.lost = answer.status === 403;
  throw fault;
}
