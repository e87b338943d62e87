// What can be done with an exchange.

/** Methods that change nothing (RFC 9110 §9.2.1). */
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

class Actions {
  constructor(exchanges, canSend) {
    this.exchanges = exchanges;
    this.canSend = canSend;
  }

  buttons(exchange) {
    const actions = [
      ["Copy as curl", () => copyAsCurl(exchange.entries[0].request)],
      ["Save HAR", () => saveHAR(this.exchanges, [exchange.index], `exchange-${exchange.id || exchange.index + 1}.har`)],
      ["Make a mock", () => saveMock(exchange)],
    ];
    if (this.canSend && exchange.id) actions.push(["Send again", (button) => this.sendAgain(exchange, button)]);
    return actions.map(([title, act]) =>
      element("button", { type: "button", onclick: (event) => act(event.currentTarget) }, title));
  }

  async sendAgain(exchange, button) {
    const request = exchange.entries[0].request ?? {};
    const method = textOf(request.method);
    // A request that changes something, perhaps of a file that another person made, is shown before it is sent.
    if (!SAFE.has(method) && !(await isConfirmed(`${method} ${textOf(request.url)}`))) return;
    button.disabled = true;
    notify("Sending …");
    try {
      const response = await fetch("send", { method: "POST", body: JSON.stringify({ id: exchange.id }) });
      notify((await response.text()).slice(0, 500));
    } catch {
      notify("The server of this page has ended. Run plugboard inspect again.");
    }
    button.disabled = false;
  }
}

/** Whether the user agrees to send a request. */
function isConfirmed(line) {
  const dialog = find("confirm");
  dialog.returnValue = "";
  dialog.replaceChildren(
    element("h2", { id: "confirm-title" }, "Send this request again?"),
    element("p", null, line.slice(0, 2000)),
    element(
      "form", { method: "dialog" }, element("button", { value: "" }, "Cancel"), element("button", { value: "send" }, "Send")));
  return new Promise((resume) => {
    dialog.addEventListener("close", () => resume(dialog.returnValue === "send"), { once: true });
    dialog.showModal();
  });
}

function saveHAR(exchanges, indices, name) {
  save(name, "application/json", JSON.stringify(exchanges.har(indices)));
}

// MARK: curl

function copyAsCurl(request) {
  const { line, isWhole } = curlLine(request);
  copy(line, "The command line", isWhole ? "" : "It lacks the body, which is not recorded as text, or not whole.");
}

/** A token (RFC 9110 §5.6.2). */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** A request as a command line of curl, with the rules of Sources/PlugboardObserving/CurlLine.swift. */
function curlLine(request) {
  const data = request?.postData;
  const isText = typeof data?.text === "string" && (data._encoding ?? data.encoding) !== "base64" && !data._cut;
  const body = isText ? data.text : null;
  const method = textOf(request?.method, "GET");
  // A size of -1 says that it is not known whether there was one.
  const size = numberOf(request?.bodySize);
  const hasBody = Boolean(data?._cut || data?.text) || size > 0 || (size < 0 && !SAFE.has(method));
  const words = ["curl"];
  if (method === "HEAD") words.push("-I");
  else if (method !== (body === null ? "GET" : "POST")) words.push("-X", method);
  // HTTP/2's own fields, which browsers write to HAR, are not tokens; nor is `@file`, of which curl reads a file.
  const fields = listOf(request?.headers).map(({ name, value }) => [textOf(name), textOf(value)])
    .filter(([name, value]) => TOKEN.test(name) && !/[\0\r\n]/.test(value));
  for (const [name, value] of fields) words.push("-H", value === "" ? `${name};` : `${name}: ${value}`);
  if (body !== null) {
    if (!fields.some(([name]) => name.toLowerCase() === "content-type")) words.push("-H", "Content-Type:");
    words.push("--data-raw", body);
  }
  words.push("-g", "--url", textOf(request?.url));
  return { line: words.map(shellWord).join(" "), isWhole: body !== null || !hasBody };
}

/** A word of sh; one with control characters is written `$'…'`, which bash, zsh and ksh know. */
function shellWord(word) {
  if (/\p{Cc}/u.test(word)) return `$'${word.replace(/[\p{Cc}'\\]/gu, escaped)}'`;
  return /^[A-Za-z0-9_./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function escaped(character) {
  if (character === "\n") return "\\n";
  if (character === "'" || character === "\\") return `\\${character}`;
  // Octal digits, of which there are three at most: hexadecimal ones would take in what follows.
  return Array.from(new TextEncoder().encode(character), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
