// What can be done with an exchange.

class Actions {
  constructor(exchanges, canSend) {
    this.exchanges = exchanges;
    this.canSend = canSend;
  }

  buttons(exchange) {
    const actions = [
      ["Copy as curl", () => copy(curlLine(exchange.entries[0].request), "The command line")],
      ["Save HAR", () => saveHAR(this.exchanges, [exchange.index], `exchange-${exchange.id || exchange.index + 1}.har`)],
      ["Make a mock", () => {
        save("mock.json", "application/json", `${JSON.stringify(mockRules(exchange.entries), null, 2)}\n`);
        notify("mock.json is a file of rules for the plugin mock.");
      }],
    ];
    if (this.canSend && exchange.id) actions.push(["Send again", (button) => this.sendAgain(exchange, button)]);
    return actions.map(([title, act]) =>
      element("button", { type: "button", onclick: (event) => act(event.currentTarget) }, title));
  }

  async sendAgain(exchange, button) {
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

function saveHAR(exchanges, indices, name) {
  save(name, "application/json", JSON.stringify(exchanges.har(indices)));
}

/** A request as a command line of curl, for sh. */
function curlLine(request) {
  const words = ["curl"];
  const data = request?.postData;
  const text = typeof data?.text === "string" && data._encoding !== "base64" ? data.text : null;
  const method = String(request?.method ?? "GET");
  if (method === "HEAD") words.push("-I");
  else if (method !== (text === null ? "GET" : "POST")) words.push("-X", method);
  for (const field of request?.headers ?? []) {
    // HTTP/2's own fields, which browsers write to HAR, are none that a request can have.
    if (String(field.name).startsWith(":")) continue;
    words.push("-H", field.value === "" ? `${field.name};` : `${field.name}: ${field.value}`);
  }
  if (text !== null) words.push("--data-raw", text);
  words.push("-g", "--url", String(request?.url ?? ""));
  return words.map((word) => (/^[A-Za-z0-9_./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(" ");
}

/** Rules for the plugin mock: each URL of the exchange gives its responses in their order. */
function mockRules(entries) {
  const rules = new Map();
  for (const { request, response } of entries) {
    if (!request || !response) continue;
    // What is not recorded stands for any text.
    const url = String(request.url ?? "").replaceAll("…", "*");
    const key = `${request.method} ${url}`;
    if (!rules.has(key)) rules.set(key, { name: key.slice(0, 200), request: { method: request.method, url }, responses: [] });
    rules.get(key).responses.push(mockResponse(response));
  }
  return { rules: [...rules.values()] };
}

const CONNECTION_FIELDS = new Set(["connection", "content-length", "content-encoding", "transfer-encoding", "keep-alive"]);

function mockResponse(response) {
  if (!response.status) return { fail: "transport.reset" };
  const fields = {};
  for (const { name, value } of response.headers ?? []) {
    if (!CONNECTION_FIELDS.has(String(name).toLowerCase()) && !String(value).includes("…")) fields[name] = value;
  }
  const made = { status: response.status, fields };
  const content = response.content ?? {};
  if (typeof content.text === "string") made[content.encoding === "base64" ? "base64" : "text"] = content.text;
  return made;
}
