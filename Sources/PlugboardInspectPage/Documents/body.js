// Bodies: JSON as a tree, images as images, text as text, and bytes as hexadecimal digits.

/** The bytes of a body that HAR has as text or in Base64. */
function bytesOf(text, isBase64) {
  if (!isBase64) return new TextEncoder().encode(text);
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new TextEncoder().encode(text);
  }
}

/** @param content HAR's content or postData; its encoding stands in `encoding` or `_encoding`. */
function bodyView(content, name) {
  if (!content || typeof content.text !== "string" || (!content.text && !content._cut)) {
    const isMissing = numberOf(content?._cut) > 0 || numberOf(content?.size) > 0;
    return element("p", { class: "quiet" }, isMissing ? "The body is not recorded." : "No body.");
  }
  const isBase64 = (content.encoding ?? content._encoding) === "base64";
  const type = textOf(content.mimeType);
  const ways = [];
  const parsed = isBase64 ? undefined : parse(content.text);
  if (parsed !== undefined) ways.push(["Tree", () => tree(parsed.value)]);
  if (/^image\//i.test(type)) ways.push(["Image", () => image(content, isBase64, type, name)]);
  if (!isBase64) ways.push(["Text", () => longText(element("pre", { class: "text" }), content.text)]);
  ways.push(["Hex", () => hex(bytesOf(content.text, isBase64))]);

  const box = element("div", { class: "content" });
  const buttons = ways.map(([title, make]) =>
    element("button", { type: "button", onclick: () => choose(title, make) }, title));
  function choose(title, make) {
    for (const button of buttons) button.setAttribute("aria-pressed", button.textContent === title);
    box.replaceChildren(make());
  }
  choose(...ways[0]);
  const cut = numberOf(content._cut) > 0 ? `, of which ${sizeText(numberOf(content._cut))} are not recorded` : "";
  const size = sizeText(numberOf(content.size ?? content.text.length));
  return element(
    "div", { class: "body" },
    element(
      "div", { class: "ways", role: "group", "aria-label": "How the body is shown" }, buttons,
      element("span", { class: "quiet" }, `${type && type !== "x-unknown" ? type : "no type"}, ${size}${cut}`)),
    box);
}

/** The value of a text that begins as JSON's objects and arrays do; undefined for others. */
function parse(text) {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The tree of a JSON value. Branches are made when they are opened, so that no depth or size is made at once. */
function tree(value) {
  const root = element("div", { class: "tree" });
  root.append(branch(null, value, true));
  return root;
}

function branch(name, value, isOpen) {
  const label = name === null ? null : element("span", { class: "key" }, `${String(name).slice(0, 500)}: `);
  if (value === null || typeof value !== "object") {
    const kind = value === null ? "null" : typeof value;
    const text = typeof value === "string" ? JSON.stringify(value) : String(value);
    return element("div", { class: "leaf" }, label, longText(element("span", { class: kind }), text, 5000));
  }
  const isArray = Array.isArray(value);
  const keys = isArray ? null : Object.keys(value);
  const count = isArray ? value.length : keys.length;
  const title = isArray ? `[${count}]` : `{${count}}`;
  const details = element("details", null, element("summary", null, label, element("span", { class: "quiet" }, title)));
  const fill = () => {
    if (details.childElementCount > 1) return;
    const items = isArray ? Array.from({ length: count }, (_, index) => index) : keys;
    details.append(portions(element("div", { class: "branch" }), items, 200, (key) => branch(key, value[key], false)));
  };
  details.addEventListener("toggle", () => details.open && fill());
  if (isOpen) {
    fill();
    details.open = true;
  }
  return details;
}

/** An image of bytes; a browser runs no script in one. */
function image(content, isBase64, type, name) {
  const url = URL.createObjectURL(new Blob([bytesOf(content.text, isBase64)], { type }));
  const failed = element("p", { class: "quiet", hidden: true }, "The browser cannot show this image.");
  const picture = element("img", {
    src: url, alt: `The body of the ${name}`,
    onload: () => {
      failed.textContent = `${picture.naturalWidth} × ${picture.naturalHeight}`;
      failed.hidden = false;
      URL.revokeObjectURL(url);
    },
    onerror: () => {
      failed.hidden = false;
      picture.remove();
      URL.revokeObjectURL(url);
    },
  });
  return element("div", { class: "image" }, picture, failed);
}

function hex(bytes) {
  const lines = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, index) => index * 16);
  return portions(element("div", { class: "hex" }), lines, 256, (start) => {
    const line = bytes.subarray(start, start + 16);
    const digits = Array.from(line, (byte) => byte.toString(16).padStart(2, "0"));
    const text = Array.from(line, (byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : "·")).join("");
    return element(
      "div", null, element("span", { class: "quiet" }, start.toString(16).padStart(8, "0")), "  ",
      digits.join(" ").padEnd(47), "  ", text);
  });
}
