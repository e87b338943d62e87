/// The keys of all rules, and the requests that wait for them; a value that gets the time as an argument, in
/// nanoseconds.
///
/// An admission is granted when all its keys have room. Until then it holds nothing, and waits at one key that has
/// none; when that key has room, the others are asked. From the grant on it has a place at once of each key, and a
/// promise of each rate; its first attempt turns the promise into a count. After every change, `settle` grants what
/// has room and sets the timers.
struct LimitTable: Sendable {
    /// What becomes of a request.
    enum Entry: Sendable {
        case granted(Admission)
        /// For so long at the most, in nanoseconds.
        case waits(Admission, rule: Int, within: Int64)
        /// There is no room in time: in nanoseconds, the shortest time until there is some, or nil if that depends on
        /// other requests.
        case refused(rule: Int, after: Int64?)
        /// There is no room, and no more requests may wait.
        case crowded(rule: Int)
    }

    /// The most waiting requests that one call admits. A timer that fires at once admits the others.
    static let stepLimit = 256

    let rules: [LimitRule]
    let keyLimit: Int
    let waiterLimit: Int
    /// By their values, for each rule. Values beyond `keyLimit` share the key without values.
    private(set) var keys: [[[KeyName.Value]: LimitedKey]]
    private(set) var waiting = 0
    /// Whether a fleet shares the rates. Set before there are keys.
    var isShared = false
    let outage = StoreOutage()
    /// The requests that went ahead after pauses, and whose responses are still to come.
    private(set) var probes = 0
    private var lastNumber = 0
    private var nextSweeps: [Int64]

    init(_ rules: [LimitRule], keys: Int, waiters: Int) {
        (self.rules, keyLimit, waiterLimit) = (rules, keys, waiters)
        self.keys = Array(repeating: [:], count: rules.count)
        nextSweeps = Array(repeating: .min, count: rules.count)
    }

    var isEmpty: Bool { keys.allSatisfy(\.isEmpty) }

    // MARK: Keys

    /// The keys that limit requests of these names. One that only learns is left out unless its server has asked.
    private mutating func keys(of names: [KeyName], at now: Int64) -> [LimitedKey] {
        var found: [LimitedKey] = []
        for name in names {
            if rules[name.rule].onlyLearns {
                if let key = keys[name.rule][name.values], !key.isSpent(at: now) { found.append(key) }
            } else {
                found.append(ownKey(name, at: now) ?? make(KeyName(rule: name.rule, values: [])))
            }
        }
        return found
    }

    /// The key of these values alone; nil if they share one.
    private mutating func ownKey(_ name: KeyName, at now: Int64) -> LimitedKey? {
        if let key = keys[name.rule][name.values] { return key }
        if keys[name.rule].count >= keyLimit { sweep(name.rule, at: now) }
        guard !name.values.isEmpty else { return make(name) }
        // Otherwise a value could leave the shared limit, and begin with a fresh one.
        if let shared = keys[name.rule][[]] {
            guard shared.isSpent(at: now) else { return nil }
            keys[name.rule][[]] = nil
        }
        return keys[name.rule].count < keyLimit ? make(name) : nil
    }

    private mutating func make(_ name: KeyName) -> LimitedKey {
        if let key = keys[name.rule][name.values] { return key }
        let key = LimitedKey(name, rules[name.rule], isShared ? outage : nil)
        keys[name.rule][name.values] = key
        return key
    }

    /// Removes the unused keys of a rule, at most once a second.
    private mutating func sweep(_ rule: Int, at now: Int64) {
        guard now >= nextSweeps[rule] else { return }
        nextSweeps[rule] = now + 1_000_000_000
        keys[rule] = keys[rule].filter { !$0.value.isSpent(at: now) }
    }

    // MARK: Admissions

    /// Makes an admission, unless it cannot have room within the longest time that it may wait, in nanoseconds.
    mutating func enter(
        _ names: [KeyName], within wait: Int64, isSubrequest: Bool = false, at now: Int64
    ) -> (Entry, Effects) {
        lastNumber += 1
        let admission = Admission(keys(of: names, at: now), lastNumber, isSubrequest)
        if let lack = lack(for: admission, isNew: true, at: now) {
            let rule = lack.key.name.rule
            let after = lack.opening == .max ? nil : lack.key.time(toPass: admission, from: lack.opening, at: now)
            let waitsForStore = wait <= 0 && lack.key.waitsForStore(at: now, isSubrequest)
            let within = waitsForStore ? PortionStore.replyLimit.nanoseconds : wait
            if within <= 0 || after ?? 0 > within { return (.refused(rule: rule, after: after), Effects()) }
            if waiting >= waiterLimit { return (.crowded(rule: rule), Effects()) }
            for key in admission.keys { key.holders += 1 }
            waiting += 1
            park(admission, at: lack.key)
            return (.waits(admission, rule: rule, within: within), settle([lack.key], at: now))
        }
        for key in admission.keys { key.holders += 1 }
        grant(admission, at: now)
        admission.step = .begun
        return (.granted(admission), Effects())
    }

    /// Sets what is called when a waiting admission is granted, perhaps in this call's effects.
    func setWake(_ admission: Admission, _ wake: @escaping @Sendable () -> Void) -> Effects {
        guard admission.step == .waiting else { return Effects(wakes: [wake]) }
        admission.wake = wake
        return Effects()
    }

    /// Lets an admission begin. Returns the step that it had.
    func begin(_ admission: Admission) -> Admission.Step {
        defer { if admission.step == .granted { admission.step = .begun } }
        return admission.step
    }

    /// Counts an attempt of an admission that has begun. Keys that it has no place of get it without being asked.
    ///
    /// - Parameter names: The keys of the attempt; nil for those that were granted.
    mutating func count(_ names: [KeyName]?, of admission: Admission, at now: Int64) -> Effects {
        guard admission.step == .granted || admission.step == .begun else { return Effects() }
        admission.step = .begun
        let counted = names.map { keys(of: $0, at: now) } ?? admission.keys
        release(promiseOf: admission)
        for key in counted where !admission.keys.contains(where: { $0 === key }) {
            admission.keys.append(key)
            key.holders += 1
            key.running += 1
        }
        for key in counted { key.count(at: now) }
        return settle(admission.keys, at: now)
    }

    /// Takes back what a suspended request would keep without using it: its place in the queue, or its grant, so that
    /// it has to enter again. If it has begun, its promise: an attempt that it begins later counts all the same.
    mutating func suspend(_ admission: Admission, at now: Int64) -> Effects {
        if admission.step == .begun {
            endProbe(of: admission)
            release(promiseOf: admission)
            return settle(admission.keys, at: now)
        }
        let wake = admission.wake
        var effects = leave(admission, at: now)
        if let wake { effects.wakes.append(wake) }
        return effects
    }

    /// Takes back what an admission has: once, however it ends.
    mutating func leave(_ admission: Admission, at now: Int64) -> Effects {
        let step = admission.step
        guard step != .left else { return Effects() }
        if step == .waiting {
            admission.place?.remove(admission)
            waiting -= 1
        } else {
            endProbe(of: admission)
            release(promiseOf: admission)
            for key in admission.keys { key.running -= 1 }
        }
        for key in admission.keys { key.holders -= 1 }
        (admission.step, admission.place, admission.wake) = (.left, nil, nil)
        return settle(admission.keys, at: now)
    }

    private mutating func grant(_ admission: Admission, at now: Int64) {
        (admission.step, admission.isPromised) = (.granted, true)
        for key in admission.keys where key.grant(admission, at: now) { probes += 1 }
    }

    private mutating func endProbe(of admission: Admission) {
        for key in admission.keys where key.probe.end(of: admission, isSent: !admission.isPromised) { probes -= 1 }
    }

    private func release(promiseOf admission: Admission) {
        guard admission.isPromised else { return }
        admission.isPromised = false
        for key in admission.keys { key.promised -= 1 }
    }

    // MARK: Servers

    /// Takes what the head of a response asks for, for the keys of these names that are about one server.
    ///
    /// - Parameter admission: That of the request; requests that wait for its response go on.
    /// - Returns: The rules whose pause became longer.
    mutating func learn(
        _ asked: ServerRequest?, _ names: [KeyName], of admission: Admission?, at now: Int64
    ) -> ([Int], Effects) {
        var (rules, changed): ([Int], [LimitedKey]) = ([], [])
        if let admission, probes > 0 {
            endProbe(of: admission)
            changed = admission.keys
        }
        // The shared key is about several servers.
        for name in asked == nil ? [] : names where self.rules[name.rule].isAboutOneServer {
            guard let asked, let key = ownKey(name, at: now) else { continue }
            if key.learn(asked, at: now) { rules.append(name.rule) }
            changed.append(key)
        }
        return (rules, settle(changed, at: now))
    }

    /// Ends the pauses, and forgets the attempts that were counted.
    mutating func forget(at now: Int64) -> Effects {
        let all = keys.flatMap(\.values)
        var effects = Effects()
        for key in all {
            key.forget()
            forgetPortions(of: key, &effects)
        }
        probes = 0
        effects.add(settle(all, at: now))
        for rule in keys.indices { keys[rule] = keys[rule].filter { !$0.value.isSpent(at: now) } }
        return effects
    }

    // MARK: Those that wait

    /// Called at the time of a timer.
    mutating func timerFired(_ key: LimitedKey, for time: Int64, at now: Int64) -> Effects {
        // Another time was set since.
        guard key.timer == time else { return Effects() }
        key.timer = nil
        return settle([key], at: now)
    }

    /// Grants what has room at keys that have changed, and sets their timers.
    mutating func settle(_ changed: [LimitedKey], at now: Int64) -> Effects {
        var (effects, pending, steps) = (Effects(), changed, 0)
        while let key = pending.popLast() {
            while steps < LimitTable.stepLimit, let next = key.popFirst(at: now) {
                steps += 1
                if let lack = lack(for: next, isNew: false, at: now) {
                    park(next, at: lack.key)
                    pending.append(lack.key)
                    continue
                }
                grant(next, at: now)
                waiting -= 1
                if let wake = next.wake { effects.wakes.append(wake) }
                (next.place, next.wake) = (nil, nil)
            }
            key.endPause(at: now)
            share(key, at: now, &effects)
            if let time = key.nextChange(at: now), time < key.timer ?? .max {
                key.timer = time
                effects.timers.append((key, time))
            }
            // Without keys, rules that only learn cost nothing.
            let name = key.name
            if rules[name.rule].onlyLearns, key.isSpent(at: now), keys[name.rule][name.values] === key {
                keys[name.rule][name.values] = nil
            }
        }
        return effects
    }

    private func park(_ admission: Admission, at key: LimitedKey) {
        admission.place = key
        key.append(admission)
    }

    /// The key whose known time of room is the latest; if none is known, because other requests decide, a key without
    /// room, with `Int64.max`. Nil if all have room.
    private func lack(for admission: Admission, isNew: Bool, at now: Int64) -> (key: LimitedKey, opening: Int64)? {
        var last: (key: LimitedKey, opening: Int64)?
        for key in admission.keys {
            let opening = key.opening(at: now, admission.isSubrequest)
            // Those that wait come first.
            guard let opening = opening ?? (isNew && key.isWaitedFor(before: admission) ? now : nil) else { continue }
            if let known = last?.opening, known != .max, opening == .max || opening <= known { continue }
            last = (key, opening)
        }
        return last
    }
}
