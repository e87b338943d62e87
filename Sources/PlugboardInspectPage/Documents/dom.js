"use strict";
// Elements and texts. What servers have sent reaches the page only through text nodes and the attributes set here:
// nothing in these files parses HTML.

/** An element with properties (`class`, `on…` listeners, attributes) and children: elements, texts, or null. */
function element(tag, properties, ...children) {
  const made = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("aria-")) made.setAttribute(name, String(value));
    else if (value === false) continue;
    else if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) made.style.setProperty(key, text);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined) made.append(child instanceof Node ? child : String(child));
  }
  return made;
}

const find = (id) => document.getElementById(id);

/** Text of a recorded value: files of others have values of any type, and their conversion may throw. */
function textOf(value, otherwise = "") {
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : otherwise;
}

/** A number of a recorded value; NaN for other types. */
const numberOf = (value) => (typeof value === "number" || typeof value === "string" ? Number(value) : NaN);

/** The objects of a recorded list; none for other types. */
function listOf(value) {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}

/** Milliseconds as a text. */
function timeText(milliseconds) {
  if (!(milliseconds >= 0)) return "–";
  if (milliseconds === 0) return "0 ms";
  if (milliseconds < 10) return `${milliseconds.toFixed(milliseconds < 1 ? 3 : 1)} ms`;
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 59995) return `${(milliseconds / 1000).toFixed(2)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function sizeText(bytes) {
  if (!(bytes >= 0)) return "unknown";
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1 << 20 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1048576).toFixed(1)} MiB`;
}

const countText = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/**
 * At most `limit` children at once, and a button for more, so that no message makes the page slow.
 *
 * @param place The element that has the button, if it is not the parent of the children. It is returned.
 */
function portions(parent, items, limit, make, place = parent) {
  let shown = 0;
  const more = element("button", { type: "button", class: "more", onclick: () => show(true) });
  place.append(more);
  function show(isAsked) {
    const first = shown;
    const end = Math.min(shown + limit, items.length);
    const part = document.createDocumentFragment();
    for (; shown < end; shown++) part.append(make(items[shown], shown));
    const added = part.children[0];
    if (place === parent) more.before(part);
    else parent.append(part);
    more.textContent = `Show more (${(items.length - shown).toLocaleString("en")} left)`;
    if (shown < items.length) return;
    more.remove();
    // The focus goes to what the button has shown last.
    if (!isAsked || first === shown) return;
    const next = added ?? parent;
    next.tabIndex = -1;
    next.focus({ preventScroll: true });
  }
  show(false);
  return place;
}

/** A long text in parts. */
function longText(parent, text, limit = 65536) {
  const parts = [];
  for (let start = 0; start < text.length; start += limit) parts.push(text.slice(start, start + limit));
  return portions(parent, parts, 1, (part) => document.createTextNode(part));
}

let noticeTimer = 0;
function notify(text) {
  find("notice").textContent = text;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => (find("notice").textContent = ""), 6000);
}

/** Hands a file to the browser for saving. */
function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** @param note A sentence about the text, which is shown when it is copied. */
async function copy(text, what, note = "") {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Files have no clipboard in some browsers.
    const area = element("textarea", { class: "offscreen" });
    area.value = text;
    document.body.append(area);
    const focused = document.activeElement;
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    focused?.focus();
    if (!isCopied) {
      notify(`${what} could not be copied: the browser does not allow it.`);
      return;
    }
  }
  notify([`${what} copied.`, note].filter(Boolean).join(" "));
}
