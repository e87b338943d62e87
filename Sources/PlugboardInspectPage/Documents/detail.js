// One exchange: what it was, its messages, and the chain of plugins.

const PHASES = [
  ["blocked", "waiting"], ["dns", "name look-up"], ["connect", "connecting"], ["ssl", "TLS"], ["send", "sending"],
  ["wait", "server"], ["receive", "receiving"],
];

class Detail {
  constructor(exchanges, actions, closed) {
    this.exchanges = exchanges;
    this.actions = actions;
    this.closed = closed;
    this.box = find("detail");
    this.tab = "Overview";
    this.index = -1;
  }

  get isOpen() { return !this.box.hidden; }

  open(index) {
    if (index !== this.index) this.attempt = this.exchanges.entries[index].length - 1;
    this.index = index;
    this.box.hidden = false;
    document.body.classList.add("split");
    this.draw();
  }

  close() {
    this.box.hidden = true;
    this.index = -1;
    document.body.classList.remove("split");
    this.closed();
  }

  show(tab) {
    this.tab = tab;
    this.draw();
    this.box.querySelector('[aria-selected="true"]')?.focus();
  }

  /** Shows the tab that stands so many places from this one. */
  turn(steps) {
    const titles = Object.keys(this.tabs);
    this.show(titles[(titles.indexOf(this.tab) + steps + titles.length) % titles.length]);
  }

  get tabs() {
    return {
      Overview: () => this.overview(), Request: () => this.message("request"),
      Response: () => this.message("response"), Chain: () => chainView(this.exchange), HAR: () => this.raw(),
    };
  }

  get exchange() {
    const { exchanges, index } = this;
    return {
      index, entries: exchanges.entries[index], group: exchanges.groups[index], id: exchanges.ids[index],
      start: exchanges.starts[index], took: exchanges.times[index], status: exchanges.statuses[index],
      isFailed: (exchanges.flags[index] & FAILED) !== 0,
    };
  }

  /** Draws the exchange again if its record has changed, unless the focus is where it cannot be restored. */
  refresh() {
    if (!this.isOpen || (this.drawn === this.exchanges.entries[this.index] && this.flags === this.exchanges.flags[this.index])) return;
    const focused = document.activeElement;
    const isInside = focused !== this.box && this.box.contains(focused);
    if (isInside && !focused.id) return;
    this.draw();
    if (isInside) find(focused.id)?.focus();
  }

  draw() {
    const { exchange, tabs } = this;
    [this.drawn, this.flags] = [exchange.entries, this.exchanges.flags[this.index]];
    const request = exchange.entries[0].request ?? {};
    const titles = Object.keys(tabs);
    this.box.replaceChildren(
      element(
        "div", { class: "title" },
        element("button", { type: "button", "aria-label": "Back to the list", title: "Esc", onclick: () => this.close() }, "✕"),
        element(
          "h2", null, element("span", { class: `status ${statusClass(exchange.status, exchange.isFailed)}` },
            exchange.status || (exchange.isFailed ? "failed" : "under way")), " ",
          `${textOf(request.method).slice(0, 40)} `, longText(element("bdi", null), textOf(request.url), 2000)),
      ),
      element("div", { class: "actions" }, this.actions.buttons(exchange)),
      element(
        "div", { role: "tablist", "aria-label": "Parts of the exchange" },
        titles.map((title) =>
          element("button", {
            type: "button", role: "tab", id: `tab-${title}`, "aria-selected": title === this.tab, "aria-controls": "panel",
            tabindex: title === this.tab ? 0 : -1, onclick: () => this.show(title),
          }, title))),
      element(
        "div", { role: "tabpanel", id: "panel", tabindex: 0, "aria-labelledby": `tab-${this.tab}` },
        this.part(tabs[this.tab])));
  }

  /** A file of another program may have members of types that HAR does not allow. */
  part(make) {
    try {
      return make();
    } catch (error) {
      return element("p", { class: "quiet" }, `This part cannot be shown: ${error.message}`);
    }
  }

  overview() {
    const { entries, group, start, took, status, id } = this.exchange;
    const last = entries[entries.length - 1];
    const failure = textOf(last._error ?? group.failure);
    const stored = last.cache?.beforeRequest;
    const facts = [
      ["Status", `${status || "none"} ${textOf(last.response?.statusText)}`],
      ["Error", failure],
      ["Outcome", last._outcome],
      ["Began", new Date(start).toLocaleString()],
      ["Took", timeText(took)],
      ["Attempts", last._respondedBy ? group.attempts : group.attempts || entries.length],
      ["Version", last.response?.httpVersion],
      ["Address", last.serverIPAddress],
      ["Cache", stored ? textOf(stored._status, "hit") : null],
      ["Responded by", last._respondedBy],
      ["Sent by", last._sentBy && `plugin ${textOf(last._sentBy)}`],
      ["Label", last._label],
      ["Number", id || null],
    ];
    return element(
      "div", null,
      element(
        "dl", null,
        facts.map(([name, value]) => [name, textOf(value).slice(0, 2000)]).filter(([, text]) => text)
          .map(([name, text]) => [element("dt", null, name), element("dd", null, text)])),
      element("h3", null, "Times"), waterfall(this.exchange));
  }

  message(part) {
    const { entries } = this.exchange;
    const entry = entries[Math.min(this.attempt, entries.length - 1)];
    const message = entry[part] ?? {};
    const isResponse = part === "response";
    const words = isResponse
      ? [message.httpVersion, message.status || "no response", message.statusText]
      : [message.method, message.url, message.httpVersion];
    const line = words.map((word) => textOf(word)).join(" ");
    const choose = (event) => {
      this.attempt = Number(event.target.value);
      this.draw();
      this.box.querySelector(".attempts select")?.focus();
    };
    return element(
      "div", null,
      entries.length > 1
        ? element(
          "label", { class: "attempts" }, "Attempt ",
          element(
            "select", { onchange: choose },
            // The first ones, and the one that is shown.
            entries.map((each, index) => [each, index]).filter(([each, index]) => index < 200 || each === entry)
              .map(([each, index]) =>
                element("option", { value: index, selected: each === entry },
                  `${attemptNumber(each, index)}: ${attemptStatus(each)} ${textOf(each._reason).slice(0, 100)}`))))
        : null,
      longText(element("pre", { class: "text" }), line.trim(), 4000),
      fieldTable("Header fields", message.headers),
      isResponse && entry._interim ? fieldTable("Interim responses",
        listOf(entry._interim).flatMap((head) => [{ name: "status", value: head.status }, ...listOf(head.headers)])) : null,
      isResponse && entry._trailers ? fieldTable("Trailers", entry._trailers) : null,
      !isResponse && message.queryString?.length ? fieldTable("Query", message.queryString) : null,
      element("h3", null, "Body"),
      bodyView(isResponse ? message.content : message.postData, part));
  }

  raw() {
    const text = JSON.stringify(this.exchange.entries, null, 2);
    return longText(element("pre", { class: "text" }), text);
  }
}

function fieldTable(title, fields) {
  if (!Array.isArray(fields) || !fields.length) return element("p", { class: "quiet" }, `${title}: none.`);
  const body = element("tbody");
  const table = element("table", { class: "fields" },
    element("caption", null, `${title} (${fields.length})`),
    element("thead", { class: "offscreen" }, element("tr", null, element("th", null, "Name"), element("th", null, "Value"))),
    body);
  // The button for more must not stand in the table.
  const box = element("div", null, table);
  return portions(body, fields, 200, (field) =>
    element("tr", null,
      element("th", { scope: "row" }, textOf(field?.name).slice(0, 500)),
      longText(element("td"), textOf(field?.value), 2000)), box);
}

function attemptNumber(entry, index) { return textOf(entry._attempt, String(index + 1)); }

function attemptStatus(entry) { return textOf(entry.response?.status || null, "failed"); }

/** The parts of an attempt that took time: [name, words, milliseconds]. `ssl` lies within `connect`. */
function phases(timings) {
  return PHASES.map(([name, words]) => {
    let time = numberOf(timings?.[name]);
    if (name === "connect" && numberOf(timings?.ssl) > 0) time -= numberOf(timings.ssl);
    return [name, words, time];
  }).filter(([, , time]) => time > 0);
}

function waterfall({ entries, start, took }) {
  const begins = entries.map((entry) => Math.max((Date.parse(textOf(entry.startedDateTime)) || start) - start, 0));
  const ends = entries.map((entry, index) => begins[index] + (numberOf(entry.time) || 0));
  const whole = ends.reduce((latest, end) => Math.max(latest, end), Math.max(took, 0.001));
  const used = new Set();
  const box = element("div");
  const body = element("tbody");
  const row = (entry, index) => {
    let place = begins[index];
    const parts = phases(entry.timings);
    const bar = element("div", { class: "track" }, parts.map(([name, words, time]) => {
      used.add(name);
      const part = element("span", {
        class: `phase ${name}`, title: `${words} ${timeText(time)}`,
        style: { left: `${(place / whole) * 100}%`, width: `${Math.max((time / whole) * 100, 0.3)}%` },
      });
      place += time;
      return part;
    }));
    return element(
      "tr", null,
      element("th", { scope: "row" }, attemptNumber(entry, index)),
      element("td", null, attemptStatus(entry)),
      element("td", { class: "wide" }, bar, element("span", { class: "offscreen" },
        parts.map(([, words, time]) => `${words} ${timeText(time)}`).join(", "))),
      element("td", { class: "number" }, timeText(numberOf(entry.time))));
  };
  const heads = ["Attempt", "Status", "", "Time"].map((title) => element("th", { scope: "col" }, title));
  box.append(element("table", { class: "waterfall" }, element("thead", null, element("tr", null, heads)), body));
  portions(body, entries, 64, row, box);
  return element(
    "div", null, box,
    element("ul", { class: "legend" }, PHASES.filter(([name]) => used.has(name)).map(([name, words]) =>
      element("li", null, element("span", { class: `swatch ${name}` }), words))));
}
