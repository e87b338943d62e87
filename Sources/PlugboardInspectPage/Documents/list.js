// The list: only the rows that can be seen are elements.

const ROW = 30;

class List {
  constructor(exchanges, open) {
    this.exchanges = exchanges;
    this.open = open;
    this.view = new Uint32Array(0);
    /** The exchange that the keyboard is at; -1 for none. */
    this.current = -1;
    this.longest = 1;
    this.box = find("rows");
    this.box.addEventListener("scroll", () => this.draw(), { passive: true });
    new ResizeObserver(() => this.draw()).observe(this.box);
    this.box.addEventListener("click", (event) => {
      const row = event.target.closest("[data-place]");
      if (row) this.go(Number(row.dataset.place), true);
    });
  }

  show(view) {
    const wasAtTop = this.box.scrollTop < ROW;
    const before = this.place;
    this.view = view;
    let longest = 1;
    for (const index of view) if (this.exchanges.times[index] > longest) longest = this.exchanges.times[index];
    this.longest = longest;
    find("spacer").style.height = `${view.length * ROW}px`;
    // Rows that come in at the top must not move what somebody reads.
    if (!wasAtTop && before >= 0 && this.place > before) this.box.scrollTop += (this.place - before) * ROW;
    this.draw();
  }

  /** Where the current exchange stands in the list; -1 if the filter hides it. */
  get place() { return this.current < 0 ? -1 : this.view.indexOf(this.current); }

  move(steps) {
    if (!this.view.length) return;
    const place = this.place;
    this.go(Math.min(Math.max(place < 0 ? 0 : place + steps, 0), this.view.length - 1), !find("detail").hidden);
  }

  go(place, opens) {
    if (!(place >= 0 && place < this.view.length)) return;
    this.current = this.view[place];
    const top = place * ROW;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top + ROW > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = top + ROW - this.box.clientHeight;
    this.draw();
    if (opens) this.open(this.current);
  }

  draw() {
    const first = Math.max(Math.floor(this.box.scrollTop / ROW) - 5, 0);
    const last = Math.min(first + Math.ceil(this.box.clientHeight / ROW) + 10, this.view.length);
    const kept = new Map();
    const { flags, times } = this.exchanges;
    const keyOf = (place) => `${place} ${this.view.length} ${this.longest} ${this.view[place] === this.current}`
      + ` ${flags[this.view[place]]} ${times[this.view[place]]}`;
    for (const row of find("spacer").children) kept.set(`${row.id} ${row.dataset.key}`, row);
    const rows = [];
    // An option that has not changed stays the same element, as assistive technology follows it.
    for (let place = first; place < last; place++) {
      const key = keyOf(place);
      const row = kept.get(`row-${this.view[place]} ${key}`) ?? this.row(place);
      row.dataset.key = key;
      rows.push(row);
    }
    const isSame = rows.length === find("spacer").children.length && rows.every((row, at) => find("spacer").children[at] === row);
    if (!isSame) find("spacer").replaceChildren(...rows);
    const current = `row-${this.current}`;
    if (!rows.some((row) => row.id === current)) this.box.removeAttribute("aria-activedescendant");
    else if (this.box.getAttribute("aria-activedescendant") !== current) this.box.setAttribute("aria-activedescendant", current);
  }

  row(place) {
    const { exchanges } = this;
    const index = this.view[place];
    const isCurrent = index === this.current;
    const status = exchanges.statuses[index];
    const isFailed = (exchanges.flags[index] & FAILED) !== 0;
    const attempts = exchanges.entries[index].length;
    const url = textOf(exchanges.entries[index][0].request?.url);
    const start = hostEnd(url);
    return element(
      "div",
      {
        role: "option", class: `row ${statusClass(status, isFailed)}`, id: `row-${index}`,
        "data-place": place, "aria-selected": isCurrent, "aria-setsize": this.view.length, "aria-posinset": place + 1,
        style: { transform: `translateY(${place * ROW}px)` },
      },
      element("span", { class: "status" }, isFailed ? (status ? `${status} !` : "failed") : status || "…"),
      element("span", { class: "method" }, exchanges.methodWords.list[exchanges.methods[index]].slice(0, 20)),
      element(
        "span", { class: "url", title: url.slice(0, 500) },
        element("bdi", { class: "host" }, url.slice(0, start).replace(/^https:\/\//i, "").slice(0, 300)),
        element("bdi", { class: "path" }, url.slice(start, start + 400)),
        exchanges.flags[index] & CACHED ? element("span", { class: "tag" }, "cached") : null,
        exchanges.flags[index] & OPEN ? element("span", { class: "tag" }, "under way") : null,
        attempts > 1 ? element("span", { class: "tag" }, `${attempts} attempts`) : null,
      ),
      element(
        "span", { class: "time" }, timeText(exchanges.times[index]),
        element("span", {
          class: "bar", "aria-hidden": "true",
          style: { width: `${Math.max((exchanges.times[index] / this.longest) * 100, 1)}%` },
        }),
      ),
      element("time", { title: dateText(exchanges.starts[index]) }, clock(exchanges.starts[index])),
    );
  }
}

function statusClass(status, isFailed) {
  // Without a response yet, as an interim one.
  return isFailed ? "failed" : `s${Math.floor((status || 100) / 100)}`;
}

/** The local time, with month and day if it is not of today. */
function clock(start) {
  const text = dateText(start);
  return text.slice(0, 10) === dateText(Date.now()).slice(0, 10) ? text.slice(11) : text.slice(5, 16);
}

/** The local date and time. */
function dateText(start) {
  const date = new Date(start);
  if (Number.isNaN(date.getTime())) return "";
  const digits = (number, count = 2) => String(number).padStart(count, "0");
  const day = [digits(date.getFullYear(), 4), digits(date.getMonth() + 1), digits(date.getDate())].join("-");
  return `${day} ${date.toTimeString().slice(0, 8)}`;
}
