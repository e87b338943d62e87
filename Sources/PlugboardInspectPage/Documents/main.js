// The page: filters, keyboard, and new exchanges from the server, if the page has one.

(() => {
  const embedded = JSON.parse(find("data").textContent);
  const isLive = !embedded.log;
  const exchanges = new Exchanges();
  const detail = new Detail(exchanges, new Actions(exchanges, embedded.sendsAgain), () => find("rows").focus());
  const list = new List(exchanges, (index) => detail.open(index));

  // MARK: Filters

  let trouble = "";

  function filter() {
    return {
      text: find("text").value, method: Number(find("method").value || -1), host: Number(find("host").value || -1),
      status: Number(find("status").value || 0),
      flags: (find("failed").checked ? FAILED : 0) | (find("cached").checked ? CACHED : 0),
    };
  }

  function apply() {
    const view = exchanges.select(filter());
    list.show(view);
    detail.refresh();
    find("count").textContent = trouble ||
      (view.length === exchanges.count ? countText(view.length, "exchange", "exchanges")
        : `${view.length.toLocaleString("en")} of ${countText(exchanges.count, "exchange", "exchanges")}`);
    find("empty").hidden = view.length > 0;
    find("empty").textContent = exchanges.count
      ? "No exchange fits the filter. Esc clears it."
      : isLive ? "No exchange yet. Send a request with the plugin recorder." : "This file has no exchange.";
    if (!find("totals").hidden) showTotals();
  }

  function clear() {
    find("filters").reset();
    apply();
  }

  function options(id, all, words) {
    const select = find(id);
    const chosen = select.value;
    select.replaceChildren(
      element("option", { value: "" }, all),
      ...words.map(([value, text]) => element("option", { value, selected: String(value) === chosen }, text)));
  }

  /** Whether the selects lack words that have come while one of them had the focus. */
  let areOld = false;

  function fillSelects() {
    // A browser closes an open select whose options are replaced.
    areOld = ["method", "host"].includes(document.activeElement?.id);
    if (areOld) return;
    const most = ({ list, counts }) =>
      list.map((word, number) => [number, word.slice(0, 100) || "none", counts[number]])
        .sort((one, other) => other[2] - one[2]).slice(0, 500)
        .map(([number, word, count]) => [number, `${word} (${count.toLocaleString("en")})`]);
    options("method", "Method", most(exchanges.methodWords));
    options("host", "Host", most(exchanges.hostWords));
    options("status", "Status", [2, 3, 4, 5, 1].map((hundreds) => [hundreds, `${hundreds}xx`]));
  }

  function showTotals() {
    find("totals").replaceChildren(...totalsView(exchanges, list.view, (host) => {
      find("host").value = String(host);
      apply();
    }).filter(Boolean));
  }

  function toggleTotals() {
    const isShown = find("totals").hidden;
    find("totals").hidden = !isShown;
    find("show-totals").setAttribute("aria-expanded", isShown);
    if (isShown) showTotals();
    list.draw();
  }

  find("filters").addEventListener("input", apply);
  find("filters").addEventListener("focusout", () => setTimeout(() => areOld && fillSelects()));
  find("filters").addEventListener("submit", (event) => event.preventDefault());
  find("show-totals").addEventListener("click", toggleTotals);
  find("save-all").addEventListener("click", () => saveHAR(exchanges, [...list.view].reverse(), "exchanges.har"));

  // MARK: Keyboard

  const KEYS = [
    ["j, ↓", "the next exchange"], ["k, ↑", "the one before"], ["g, G", "the first, the last"],
    ["Enter", "open it, and go to it"], ["Esc", "close it; then clear the filter"], ["/", "filter"],
    ["[, ]", "the part to the left, to the right"], ["t", "totals"], ["c", "copy as curl"], ["?", "this help"],
  ];

  find("help").append(
    element("h2", null, "Keyboard"),
    element("dl", null, KEYS.map(([key, words]) => [element("dt", null, key), element("dd", null, words)])),
    element("form", { method: "dialog" }, element("button", null, "Close")));
  find("show-help").addEventListener("click", () => find("help").showModal());

  function enter() {
    if (list.place < 0) list.go(0, true);
    if (list.current >= 0) detail.open(list.current);
    if (detail.isOpen) find("detail").focus();
  }

  function leave() {
    if (detail.isOpen) detail.close();
    else clear();
  }

  const actions = {
    j: () => list.move(1), ArrowDown: () => list.move(1), k: () => list.move(-1), ArrowUp: () => list.move(-1),
    PageDown: () => list.move(20), PageUp: () => list.move(-20),
    g: () => list.go(0, detail.isOpen), G: () => list.go(list.view.length - 1, detail.isOpen),
    Enter: enter, Escape: leave, "/": () => { find("text").focus(); find("text").select(); }, "?": () => find("help").showModal(), t: toggleTotals,
    "[": () => detail.isOpen && detail.turn(-1), "]": () => detail.isOpen && detail.turn(1),
    c: () => list.current >= 0 && copyAsCurl(exchanges.entries[list.current][0].request),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const target = event.target;
    const isTyping = target.matches("input[type=search], select, textarea");
    if (isTyping) {
      if (event.key === "Escape" || (event.key === "Enter" && target.id === "text")) {
        find("rows").focus();
        if (event.key === "Enter") list.go(0, false);
        event.preventDefault();
      }
      return;
    }
    if (target.getAttribute("role") === "tab" && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      detail.turn(event.key === "ArrowLeft" ? -1 : 1);
      return;
    }
    // Buttons and what can be scrolled keep their own keys.
    const isControl = target.closest("button, summary, input, a");
    if (isControl && ["Enter", " "].includes(event.key)) return;
    if (target.closest("#detail") && /^(Arrow|Page)/.test(event.key)) return;
    const act = Object.hasOwn(actions, event.key) ? actions[event.key] : null;
    if (!act) return;
    event.preventDefault();
    act();
  });

  // MARK: Exchanges

  function add(har) {
    const added = exchanges.add(har);
    if (added) fillSelects();
    return added;
  }

  const PORTION = 1000;

  /** The recorder whose exchanges are shown: one of a program that has started anew counts from 1 again. */
  let store = null;

  async function ask(query) {
    let response;
    try {
      response = await fetch(`har?${query}`);
    } catch {
      throw new Error("The server of this page has ended.");
    }
    if (!response.ok) throw new Error((await response.text()).slice(0, 300));
    return response.json();
  }

  /** Asks again for the exchanges that were under way. */
  async function reload() {
    const ids = [...exchanges.open];
    for (const id of ids) {
      const { log } = await ask(`limit=1&after=${id - 1}&before=${id + 1}`);
      // The next portion shows that the recorder is another one.
      if (store !== (log._store ?? null)) return;
      if (!add({ log })) exchanges.lose(id);
    }
    if (ids.length) apply();
  }

  /** Asks for the exchanges after a number, in portions from the newest one, until a portion is empty. */
  async function load(after) {
    let before = null;
    let newest = after;
    for (;;) {
      const { log } = await ask(`limit=${PORTION}&after=${after}${before === null ? "" : `&before=${before}`}`);
      if (store !== (log._store ?? null)) {
        const isFirst = store === null;
        store = log._store ?? null;
        exchanges.forgetNumbers();
        if (!isFirst) return 0;
      }
      const ids = listOf(log._exchanges).map((group) => group.id);
      if (add({ log })) apply();
      for (const id of ids) newest = Math.max(newest, id);
      if (!ids.length || ids[0] <= 1) return newest;
      before = ids.reduce((least, id) => Math.min(least, id));
    }
  }

  async function follow() {
    let newest = 0;
    for (;;) {
      try {
        if (!document.hidden) {
          await reload();
          newest = await load(newest);
        }
        if (trouble) {
          trouble = "";
          apply();
        }
      } catch (error) {
        trouble = error.message;
        apply();
      }
      await new Promise((resume) => setTimeout(resume, 1000));
    }
  }

  fillSelects();
  if (!isLive) add(embedded);
  apply();
  find("rows").focus();
  if (isLive) follow();
})();
