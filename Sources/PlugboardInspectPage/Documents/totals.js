// Totals of the exchanges that the filter selects.

function totalsView(exchanges, view, choose) {
  const times = Float64Array.from(view, (index) => exchanges.times[index]).sort();
  const hosts = new Map();
  const statuses = new Map();
  for (const index of view) {
    const host = exchanges.hosts[index];
    const entry = hosts.get(host) ?? { times: [], failed: 0 };
    entry.times.push(exchanges.times[index]);
    if (exchanges.flags[index] & FAILED) entry.failed++;
    hosts.set(host, entry);
    const status = exchanges.statuses[index] || (exchanges.flags[index] & FAILED ? "failed" : "under way");
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  const rows = [...hosts].sort((one, other) => other[1].times.length - one[1].times.length).slice(0, 20);
  return [
    element(
      "div", { class: "cards" },
      card("exchanges", view.length.toLocaleString("en")),
      card("p50", timeText(percentile(times, 50))), card("p90", timeText(percentile(times, 90))),
      card("p99", timeText(percentile(times, 99))), card("longest", timeText(times[times.length - 1]))),
    timeline(exchanges, view),
    element(
      "div", { class: "tables" },
      table("By status", ["Status", "Exchanges"], [...statuses].sort((one, other) => other[1] - one[1]).slice(0, 20)
        .map(([status, count]) => [status, count.toLocaleString("en")])),
      table(
        hosts.size > 20 ? `By host: 20 of ${hosts.size}` : "By host", ["Host", "Exchanges", "Failed", "p50", "p90", "p99"],
        rows.map(([host, { times, failed }]) => {
          const sorted = Float64Array.from(times).sort();
          const name = exchanges.hostWords.list[host];
          return [
            element("button", { type: "button", class: "link", onclick: () => choose(host) }, name || "none"),
            times.length.toLocaleString("en"), failed || "",
            ...[50, 90, 99].map((part) => timeText(percentile(sorted, part))),
          ];
        }))),
  ];
}

/** The nearest rank of sorted times. */
function percentile(sorted, part) {
  return sorted.length ? sorted[Math.max(Math.ceil((sorted.length * part) / 100) - 1, 0)] : NaN;
}

function card(title, value) {
  return element("div", { class: "card" }, element("span", { class: "quiet" }, title), element("strong", null, value));
}

function table(title, heads, rows) {
  return element(
    "table", { class: "numbers" }, element("caption", null, title),
    element("thead", null, element("tr", null, heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", null, rows.map((cells) =>
      element("tr", null, cells.map((cell, index) => element(index ? "td" : "th", index ? null : { scope: "row" }, cell))))));
}

const KINDS = ["s1", "s2", "s3", "s4", "s5", "failed"];

/** How many exchanges began in each part of the time, by the class of their status. */
function timeline(exchanges, view) {
  if (!view.length) return null;
  let [first, last] = [Infinity, -Infinity];
  for (const index of view) {
    first = Math.min(first, exchanges.starts[index]);
    last = Math.max(last, exchanges.starts[index]);
  }
  const count = 80;
  const width = Math.max((last - first) / count, 1);
  const columns = Array.from({ length: count }, () => new Uint32Array(KINDS.length));
  for (const index of view) {
    const kind = KINDS.indexOf(statusClass(exchanges.statuses[index], (exchanges.flags[index] & FAILED) !== 0));
    columns[Math.min(Math.floor((exchanges.starts[index] - first) / width), count - 1)][Math.max(kind, 0)]++;
  }
  const highest = Math.max(...columns.map((column) => column.reduce((sum, number) => sum + number, 0)), 1);
  const bars = columns.flatMap((column, place) => {
    let top = 40;
    return KINDS.map((kind, index) => {
      const height = (column[index] / highest) * 40;
      top -= height;
      return height ? element("svg:rect", { x: place * 5 + 0.5, y: top, width: 4, height, class: kind }) : null;
    });
  });
  return element(
    "figure", null,
    element("svg:svg", {
      viewBox: "0 0 400 40", preserveAspectRatio: "none", role: "img",
      "aria-label": `Exchanges from ${dateText(first)} to ${dateText(last)}, at most ${highest} in ${timeText(width)}`,
    }, bars),
    element("figcaption", { class: "quiet" }, element("span", null, dateText(first)),
      element("span", null, `at most ${highest} in ${timeText(width)}`), element("span", null, dateText(last))));
}
