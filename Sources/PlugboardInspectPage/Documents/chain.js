// The chain of plugins as an onion: a box for each plugin, the outermost one outside, with the network inside. Within
// a box, time runs from the top down: the way in, what happened further in, and the way back.

const HINT = 'Each hook is recorded if the configuration has "kernel": { "measureHooks": true }.';

function chainView(exchange) {
  const steps = chainSteps(exchange);
  const hasCalls = exchange.entries.some((entry) => Array.isArray(entry._calls));
  const root = element("div", { class: "layer program" }, element("h4", null, "Program"));
  const onion = new Onion(root);
  const more = portions(element("div"), steps, 400, (step) => {
    onion.add(step);
    return document.createDocumentFragment();
  });
  return element(
    "div", { class: "onion" },
    hasCalls ? null : element("p", { class: "quiet" }, HINT), root, more,
    element("p", { class: "quiet" }, "▼ the request on its way in, ▲ the response on its way back, ■ the end of a turn"));
}

/** Calls of hooks, attempts and events, in their order. A call comes when it has returned, behind its events. */
function chainSteps({ entries, start }) {
  const steps = [];
  entries.forEach((entry, index) => {
    for (const call of listOf(entry._calls)) steps.push({ kind: "call", step: numberOf(call.step) || 0, ...pick(call) });
    for (const event of listOf(entry._events)) steps.push({ kind: "event", step: numberOf(event.step) || 0, event });
    // An exchange without an attempt has one entry all the same.
    if (!entry._attempt && (entry._calls || entry._respondedBy)) return;
    steps.push({ kind: "attempt", step: numberOf(entry._step) || 0, entry, number: textOf(entry._attempt, index + 1) });
  });
  return steps.sort((one, other) => one.step - other.step);
}

function pick(call) {
  return {
    plugin: textOf(call.plugin), hook: textOf(call.hook).slice(0, 100), verdict: textOf(call.verdict),
    visit: textOf(call.visit, "first").slice(0, 100), took: numberOf(call.took) || 0,
    changed: Array.isArray(call.changed) ? call.changed.slice(0, 20).map((name) => textOf(name)) : [],
  };
}

/** Layers within each other at most, because a browser cannot lay out any depth. */
const DEPTH = 64;

class Onion {
  /** The layers that are open, from the outermost. */
  constructor(root) {
    this.stack = [{ plugin: null, box: root }];
    /** The last layer of each plugin, for the end of its turn. */
    this.last = new Map();
  }

  get top() { return this.stack[this.stack.length - 1]; }

  add(step) {
    if (step.kind === "attempt") this.top.box.append(attemptBox(step));
    else if (step.kind === "event") this.event(step);
    else if (step.hook === "onRequest") this.inward(step);
    else if (step.hook === "onClose") this.close(step);
    else this.outward(step);
  }

  inward(call) {
    const open = this.find(call.plugin);
    // A plugin that is called again without a way back, after it has waited or has sent the request again itself.
    if (open >= 0) this.stack.length = open + 1;
    const opens = call.verdict === "next" && open < 0 && this.stack.length < DEPTH;
    if (opens) {
      const box = element("div", { class: "layer" }, element("h4", null, call.plugin.slice(0, 100)));
      this.top.box.append(box);
      this.stack.push({ plugin: call.plugin, box });
      this.last.set(call.plugin, box);
    }
    this.top.box.append(callLine("▼", call, opens || open >= 0));
  }

  outward(call) {
    const open = this.find(call.plugin);
    if (open < 0) {
      this.top.box.append(callLine("▲", call, false));
      return;
    }
    this.stack.length = open + 1;
    this.top.box.append(callLine("▲", call, true));
    if (call.verdict === "next") this.stack.pop();
  }

  close(call) {
    const box = this.last.get(call.plugin);
    (box ?? this.top.box).append(callLine("■", call, Boolean(box)));
  }

  event({ event }) {
    const id = textOf(event.id);
    const owner = this.stack.findLast(({ plugin }) => plugin && id.startsWith(`${plugin}.`)) ?? this.top;
    const details = Object.entries(event).filter(([name]) => !["id", "at", "step"].includes(name)).slice(0, 20)
      .map(([name, value]) => [name.slice(0, 100), name === "after" ? timeText(numberOf(value) / 1e6) : textOf(value).slice(0, 300)])
      .map(([name, text]) => `${name} ${text}`)
      .join(", ");
    owner.box.append(element("p", { class: "event" }, `● ${id.slice(0, 100)}`, details ? element("span", { class: "quiet" }, ` ${details}`) : null));
  }

  find(plugin) { return this.stack.findLastIndex((layer) => layer.plugin === plugin); }
}

function callLine(mark, call, isWithin) {
  const isPlain = call.verdict === "next" || mark === "■";
  return element(
    "p", { class: `call ${isPlain ? "" : "steering"}` },
    element("span", { class: "mark", "aria-hidden": "true" }, mark), " ",
    isWithin ? null : `${call.plugin.slice(0, 100)} `,
    call.hook, " ", element("strong", { class: "verdict" }, call.verdict.slice(0, 200)),
    call.visit === "first" ? null : element("span", { class: "tag" }, call.visit),
    call.changed.map((name) => element("span", { class: "tag edited" }, `changed ${name.slice(0, 100)}`)),
    element("span", { class: "took" }, timeText(call.took)));
}

function attemptBox({ entry, number }) {
  const parts = phases(entry.timings);
  const status = numberOf(entry.response?.status) || 0;
  const reason = textOf(entry._reason, "first").slice(0, 100);
  return element(
    "div", { class: "layer network" },
    element("h4", null, `Network, attempt ${number}`),
    element(
      "p", { class: "call" },
      `${textOf(entry.request?.method).slice(0, 20)} → `,
      element("strong", { class: `verdict ${statusClass(status, !status)}` }, status || "no response"),
      reason !== "first" ? element("span", { class: "tag" }, reason) : null,
      element("span", { class: "took" }, timeText(numberOf(entry.time)))),
    element("p", { class: "quiet" }, parts.map(([, words, time]) => `${words} ${timeText(time)}`).join(" · ")));
}
