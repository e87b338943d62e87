// What was recorded, as columns: a filter looks at numbers and at texts in lower case, never at the entries.

const FAILED = 1, CACHED = 2, OPEN = 4;

/** The words of one column, each with its number. */
class Words {
  list = [];
  numbers = new Map();
  counts = [];
  number(word) {
    let number = this.numbers.get(word);
    if (number === undefined) {
      number = this.list.push(word) - 1;
      this.numbers.set(word, number);
      this.counts.push(0);
    }
    this.counts[number]++;
    return number;
  }
}

class Exchanges {
  count = 0;
  capacity = 0;
  /** The number in the recorder; 0 in a file of another program. */
  ids = new Float64Array(0);
  /** Milliseconds since 1970. */
  starts = new Float64Array(0);
  /** Milliseconds. */
  times = new Float64Array(0);
  /** 0 without a response. */
  statuses = new Uint16Array(0);
  methods = new Uint16Array(0);
  hosts = new Uint32Array(0);
  flags = new Uint8Array(0);
  /** What the text filter looks at. */
  texts = [];
  /** The entries of HAR, one for each attempt. */
  entries = [];
  /** What the recorder says of each as a whole. */
  groups = [];
  methodWords = new Words();
  hostWords = new Words();
  /** All, the newest first. */
  order = new Uint32Array(0);
  /** The places of exchanges by their numbers. */
  known = new Map();
  /** The numbers of those under way, whose records change. */
  open = new Set();
  replaced = 0;
  /** The pages of browsers, by their ids. */
  pages = new Map();
  /** The program that wrote the document that was read last. */
  creator = { name: "Plugboard", version: "" };

  /** Adds the exchanges of a document of HAR, and returns how many are new or have changed. */
  add(har) {
    const entries = Array.isArray(har?.log?.entries) ? har.log.entries : [];
    let groups = Array.isArray(har?.log?._exchanges) ? har.log._exchanges : [];
    if (typeof har?.log?.creator?.name === "string") this.creator = har.log.creator;
    for (const page of listOf(har?.log?.pages)) this.pages.set(textOf(page?.id), page);
    const sizes = groups.map((group) => (Number.isInteger(group?.entries) && group.entries > 0 ? group.entries : 0));
    if (sizes.reduce((sum, size) => sum + size, 0) !== entries.length) groups = [];
    const [first, replaced] = [this.count, this.replaced];
    this.reserve(first + (groups.length || entries.length));
    let place = 0;
    if (groups.length) {
      groups.forEach((group, index) => {
        this.tryOne(entries.slice(place, place + sizes[index]), group ?? {});
        place += sizes[index];
      });
    } else {
      for (const entry of entries) this.tryOne([entry], {});
    }
    this.merge(first);
    return this.count - first + this.replaced - replaced;
  }

  /** An exchange that cannot be read does not hide the others. */
  tryOne(attempts, group) {
    const count = this.count;
    try {
      this.addOne(attempts, group);
    } catch {
      this.count = count;
    }
  }

  addOne(attempts, group) {
    const entries = listOf(attempts);
    if (!entries.length) return;
    const id = numberOf(group.id) || 0;
    const known = id ? this.known.get(id) : undefined;
    if (known !== undefined && !this.open.has(id)) return;
    const index = known ?? this.count++;
    const last = entries[entries.length - 1];
    const url = textOf(entries[0].request?.url);
    const method = textOf(entries[0].request?.method);
    const status = numberOf(last.response?.status) || 0;
    const failure = textOf(group.failure ?? last._error, status || group.isUnderWay ? "" : "no response");
    this.ids[index] = id;
    this.starts[index] = Date.parse(textOf(entries[0].startedDateTime)) || 0;
    const sum = entries.reduce((sum, entry) => sum + (numberOf(entry.time) || 0), 0);
    this.times[index] = numberOf(group.took ?? sum) || 0;
    this.statuses[index] = status;
    if (known === undefined) {
      this.methods[index] = this.methodWords.number(method);
      this.hosts[index] = this.hostWords.number(hostOf(url));
    } else {
      this.replaced++;
    }
    const isCached = entries.some((entry) => typeof entry.cache === "object" && entry.cache && Object.keys(entry.cache).length > 0);
    this.flags[index] = (failure ? FAILED : 0) | (isCached ? CACHED : 0) | (group.isUnderWay ? OPEN : 0);
    this.texts[index] = `${method} ${url} ${status || ""} ${failure} ${textOf(group.label ?? last._label)}`.toLowerCase();
    this.entries[index] = entries;
    this.groups[index] = group;
    if (id) this.known.set(id, index);
    if (id && group.isUnderWay) this.open.add(id);
    else this.open.delete(id);
  }

  /** Forgets the numbers that the recorder gave: another one counts from 1 again. */
  forgetNumbers() {
    for (const id of this.open) this.lose(id);
    this.known.clear();
  }

  /** Notes that the recorder has an exchange no longer that was under way. */
  lose(id) {
    const index = this.known.get(id);
    this.flags[index] = (this.flags[index] & ~OPEN) | FAILED;
    this.open.delete(id);
  }

  reserve(count) {
    if (count <= this.capacity) return;
    this.capacity = Math.max(count, this.capacity * 2, 1024);
    for (const name of ["ids", "starts", "times", "statuses", "methods", "hosts", "flags"]) {
      const grown = new this[name].constructor(this.capacity);
      grown.set(this[name]);
      this[name] = grown;
    }
  }

  /** Brings the exchanges from `first` on into the order. */
  merge(first) {
    const added = Uint32Array.from({ length: this.count - first }, (_, index) => first + index);
    const isLater = (one, other) => this.starts[other] - this.starts[one] || this.ids[other] - this.ids[one];
    added.sort(isLater);
    const merged = new Uint32Array(this.count);
    for (let place = 0, old = 0, next = 0; place < merged.length; place++) {
      const isOld = next === added.length || (old < this.order.length && isLater(this.order[old], added[next]) <= 0);
      merged[place] = isOld ? this.order[old++] : added[next++];
    }
    this.order = merged;
  }

  /** The exchanges that a filter selects, in their order. */
  select(filter) {
    const selected = new Uint32Array(this.count);
    const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const index of this.order) {
      if (filter.flags && (this.flags[index] & filter.flags) !== filter.flags) continue;
      if (filter.method >= 0 && this.methods[index] !== filter.method) continue;
      if (filter.host >= 0 && this.hosts[index] !== filter.host) continue;
      if (filter.status && Math.floor(this.statuses[index] / 100) !== filter.status) continue;
      if (words.length && !words.every((word) => this.texts[index].includes(word))) continue;
      selected[count++] = index;
    }
    return selected.subarray(0, count);
  }

  /** A document of HAR with these exchanges. */
  har(indices) {
    const entries = Array.from(indices).flatMap((index) => this.entries[index]);
    const ids = new Set(entries.map((entry) => entry.pageref));
    return {
      log: {
        version: "1.2", creator: this.creator, entries,
        pages: [...this.pages].filter(([id]) => ids.has(id)).map(([, page]) => page),
        _exchanges: Array.from(indices, (index) => ({ ...this.groups[index], entries: this.entries[index].length })),
      },
    };
  }
}

const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#]*@)?([^/?#]*)/i;

function hostOf(url) { return (AUTHORITY.exec(url)?.[1] ?? "").toLowerCase().slice(0, 253); }

/** Where the host and the port of a URL end; 0 without a host. */
function hostEnd(url) { return AUTHORITY.exec(url)?.[0].length ?? 0; }
