// Rules for the plugin mock of an exchange.

function saveMock({ entries, group }) {
  const { rules, notes } = mockRules(entries, group);
  if (!rules.length) {
    notify("No rule can be made: a rule needs a status from 200 to 599, or a failure.");
    return;
  }
  save("mock.json", "application/json", `${JSON.stringify({ rules }, null, 2)}\n`);
  notify(["mock.json is a file of rules for the plugin mock.", ...notes].join(" "));
}

/** Each URL of the exchange gives its responses in their order; `notes` are sentences about what the rules lack. */
function mockRules(entries, group = {}) {
  const rules = new Map();
  const notes = new Set();
  entries.forEach(({ request, response, _error }, index) => {
    const method = textOf(request?.method);
    // What is not recorded stands for any text.
    const url = textOf(request?.url).replaceAll("…", "*");
    const failure = index === entries.length - 1 ? group?.failure : null;
    const made = numberOf(response?.status) ? mockResponse(response, notes) : { fail: failureCode(failure, _error) };
    if (!TOKEN.test(method) || !url || !made) return;
    const key = `${method} ${url}`;
    if (!rules.has(key)) rules.set(key, { name: key.slice(0, 200), request: { method, url }, responses: [] });
    rules.get(key).responses.push(made);
  });
  return { rules: [...rules.values()], notes: [...notes] };
}

/** The code of a failure, which stands before the reason in an entry's `_error`. */
function failureCode(failure, error) {
  const isCode = (code) => /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$/.test(code);
  return [textOf(failure), textOf(error).split(":")[0]].find(isCode) ?? "transport.reset";
}

/** Fields about the bytes on the network, which HAR does not contain. */
const CONNECTION_FIELDS = new Set(["connection", "content-length", "content-encoding", "transfer-encoding", "keep-alive"]);

/** Undefined for a status that no rule can have. */
function mockResponse(response, notes) {
  const status = numberOf(response.status);
  if (!(Number.isInteger(status) && status >= 200 && status <= 599)) {
    notes.add(`Status ${textOf(response.status)} is left out: a rule has one from 200 to 599.`);
    return undefined;
  }
  const made = { status, fields: mockFields(response.headers, notes) };
  const content = response.content ?? {};
  const isBase64 = content.encoding === "base64";
  if (typeof content.text === "string" && (!isBase64 || isValidBase64(content.text))) {
    made[isBase64 ? "base64" : "text"] = content.text;
  } else if (numberOf(content.size) > 0 || content.text) {
    notes.add("A body is missing, because it is not recorded.");
  }
  if (numberOf(content._cut) > 0 || content._isWhole === false) notes.add("A body is not whole, because it is not recorded as a whole.");
  return made;
}

function mockFields(headers, notes) {
  const fields = new Map();
  for (const field of listOf(headers)) {
    const name = textOf(field.name);
    const key = name.toLowerCase();
    if (!TOKEN.test(name) || CONNECTION_FIELDS.has(key)) continue;
    // Browsers write several values in one field, each in a line.
    for (const value of textOf(field.value).split("\n")) {
      if (/[\0-\x08\x0a-\x1f\x7f…]/.test(value)) continue;
      const known = fields.get(key);
      if (!known) fields.set(key, [name, value]);
      // RFC 9110 §5.3: values of a repeated field are joined, but not those of Set-Cookie.
      else if (key === "set-cookie") notes.add("Only the first field Set-Cookie is kept.");
      else known[1] += `, ${value}`;
    }
  }
  return Object.fromEntries(fields.values());
}

function isValidBase64(text) {
  try {
    atob(text);
    return true;
  } catch {
    return false;
  }
}
