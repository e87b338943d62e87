import PlugboardJSON
import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite

/// Sends a queued request, and handles its outcome.
extension Replayer {
    private static let retryAfter: FieldName = "Retry-After"
    /// The most origins whose state is kept. Beyond it, all are removed, and tried again.
    private static let originLimit = 1000

    func send(_ entry: ClaimedEntry) {
        news.replaying(entry)
        guard let head = CapturedHead(entry.head) else {
            return settle(
                entry,
                .dead(
                    PlugboardError(.queueBody, "The stored head of the request cannot be read. Drop the request."), nil)
            )
        }
        var request = Request(PlugboardKit.Method(entry.method), entry.url, fields: head.fields)
        for (name, value) in head.attributes { request.attributes[name] = value }
        if head.options != RequestOptions() { request.options = head.options }
        if !settings.acrossRoutes, let error = Replayer.refusal(of: head, by: host.route(of: request)) {
            // It waits, because other processes may have another route.
            let until = (host.wallClock + policy.delayLimit).nanoseconds
            return settle(entry, .waiting(error, until: until, counts: .nothing, isTouched: false))
        }
        if let body = entry.body {
            request.body = .bytes(body)
        } else if entry.length >= 0 {
            request.body = Body(StoredBodySource(store, entry.id, length: entry.length))
        }
        let sending = host.send(request, for: nil, from: .outermost, isDetached: true) { [self] result in
            switch result {
            case .success(let response): read(response, of: entry)
            case .failure(let error): judge(entry, .failure(error.code), error, nil)
            }
        }
        state.withLock { state in if state.running[entry.sequence] != nil { state.sendings[entry.sequence] = sending } }
    }

    /// Why a request must not go by this route; nil if it may.
    private static func refusal(of head: CapturedHead, by route: Route) -> PlugboardError? {
        if head.detour == route.detour { return nil }
        return PlugboardError(
            .queueRoute,
            head.detour == nil
                ? "The request was queued for the server of its URL, and the unixSocket or connectTo of this kernel leads "
                    + "elsewhere. It waits for a kernel without them, or until queue.acrossRoutes is true."
                : "The request was queued for the server that a unixSocket or connectTo led to, and this kernel has another "
                    + "or none. It waits for a kernel with that one, or until queue.acrossRoutes is true.")
    }

    /// [loop]
    private func read(_ response: SubResponse, of entry: ClaimedEntry) {
        response.collect(upTo: settings.resultLimit) { [self] result in
            // The status is the outcome. A body that is too long or breaks is omitted.
            let body = (try? result.get())?.array ?? []
            let status = response.head.status
            let stored = DeliveredResponse(status: status, fields: Replayer.json(response.head.fields), body: body)
            let error = PlugboardError(.queueRejected, "The server responded with the status \(status).")
            let delay = response.head.fields[Replayer.retryAfter].flatMap {
                Replayer.wait($0, now: host.wallClock.nanoseconds / 1_000_000_000)
            }
            judge(entry, .response(status: status, retryAfter: delay), error, stored)
        }
    }

    /// The time of a Retry-After: seconds, or a date (RFC 9110 §10.2.3). Nil for any other text.
    static func wait(_ retryAfter: String, now: Int64) -> Duration? {
        if let seconds = Int64(retryAfter) { return seconds < 0 ? nil : .seconds(min(seconds, 31_536_000)) }
        var text = retryAfter
        let date = text.withUTF8 { HTTPDate(UnsafeRawBufferPointer($0), now: HTTPDate(seconds: now)) }
        return date.map { .seconds(min(max($0.seconds - now, 0), 31_536_000)) }
    }

    private static func json(_ fields: Fields) -> String {
        var stored: [JSONValue] = []
        for index in fields.indices where !fields.isSecret(at: index) {
            fields.withField(index) { name, value in
                let name = Fields.text(name)
                if name.lowercased() != "set-cookie" { stored.append([.string(name), .string(Fields.text(value))]) }
            }
        }
        return JSONWriter.write(.array(stored))
    }

    private func judge(
        _ entry: ClaimedEntry, _ outcome: ReplayPolicy.Outcome, _ error: PlugboardError, _ response: DeliveredResponse?
    ) {
        let verdict = policy.verdict(
            outcome, attempts: entry.attempts, rejections: entry.rejections, failures: entry.failures, random: random)
        let now = host.wallClock.nanoseconds
        func wait(_ delay: Duration, _ counted: Settlement.Counted) {
            // A longer wait would look like one from a clock that was set back.
            let until = now + min(delay, policy.delayLimit).nanoseconds
            // An earlier attempt may have reached the server.
            let isTouched = ReplayPolicy.mayHaveArrived(outcome) || (error.attempt ?? 1) > 1
            settle(entry, .waiting(error, until: until, counts: counted, isTouched: isTouched))
        }
        // The kernel is being shut down, and takes no more requests.
        if outcome == .failure(.shutDown) { state.withLock { $0.isEnding = true } }
        switch verdict {
        case .done:
            proven(entry.origin)
            settle(entry, .done(response ?? DeliveredResponse(status: 0, fields: "[]", body: [])))
        case .offline:
            offline(entry.origin)
            wait(.zero, .nothing)
        case .unavailable(let delay, let counted):
            offline(entry.origin, atLeast: delay)
            wait(delay, counted)
        case .ended: wait(.zero, .nothing)
        case .later(let delay, let counted):
            if response != nil { proven(entry.origin) }
            wait(delay, counted)
        case .dead(let code):
            if response != nil { proven(entry.origin) }
            settle(entry, .dead(PlugboardError(code, error.reason), response))
        }
    }

    /// Called when the origin has responded.
    private func proven(_ origin: String) {
        state.withLock { state in
            if state.origins.count >= Replayer.originLimit { state.origins = [:] }
            state.origins[origin] = Reach(isProven: true)
        }
    }

    /// Lets all requests to an origin wait, because there is no network to it. Requests that were sent at the same time
    /// and fail too count as one failure.
    func offline(_ origin: String, atLeast least: Duration = .zero) {
        let now = host.now.nanoseconds
        let random = random
        changeLines { state in
            if state.origins.count >= Replayer.originLimit { state.origins = [:] }
            var reach = state.origins[origin] ?? Reach()
            reach.isProven = false
            state.isProbed = false
            if reach.pausedUntil <= now {
                reach.failures += 1
                reach.pausedUntil = now + policy.wait(after: reach.failures, random: random).nanoseconds
            }
            reach.pausedUntil = max(reach.pausedUntil, now + least.nanoseconds)
            state.origins[origin] = reach
            state.lines.giveUp(origin: origin)
        }
    }

    private func settle(_ entry: ClaimedEntry, _ settlement: Settlement) {
        store.perform { (session, now, _) throws(SQLiteFailure) in
            try session.together(removes: true) { () throws(SQLiteFailure) in
                let isSettled = try session.settle(entry.sequence, settlement, now: now)
                let isBusy = try entry.line.map { (line) throws(SQLiteFailure) in try session.isBusy(line) }
                return (isSettled, isBusy)
            }
        } then: { [self] result in
            switch result {
            case .success((let isSettled, let isBusy)):
                state.withLock { state in
                    state.running[entry.sequence] = nil
                    state.sendings[entry.sequence] = nil
                }
                if let line = entry.line, let isBusy { set(line, isBusy: isBusy) }
                if isSettled {
                    news.settled(entry, settlement)
                    outcomes.ended(entry.id)
                }
                kick()
            case .failure(let failure):
                guard failure.kind != .closed else { return }
                news.warn(failure)
                // Tried again, because the outcome must not be lost. Until then, this process holds the request.
                host.schedule(after: .seconds(1)) { [self] in settle(entry, settlement) }
            }
        }
    }

    /// Removes the entry of a caller that has its outcome. The row must not stay: it would block its line, and the next
    /// process would send it.
    func discard(_ id: String, _ line: String?) {
        store.perform { (session, _, _) throws(SQLiteFailure) in
            try session.together(removes: true) { () throws(SQLiteFailure) in
                if let sequence = try session.sequence(of: id) { try session.discard(sequence) }
            }
        } then: { [self] result in
            switch result {
            case .success: if let line { left(line) }
            case .failure(let failure):
                guard failure.kind != .closed else { return }
                news.warn(failure)
                host.schedule(after: .seconds(1)) { [self] in discard(id, line) }
            }
        }
    }

    /// Cancels the dropped requests that this process is sending.
    func cancel(_ ids: Set<String>) {
        let sendings = state.withLock { state in
            state.running.values.filter { ids.contains($0.id) }.compactMap { state.sendings[$0.sequence] }
        }
        for sending in sendings { sending.cancel() }
    }

    // MARK: The probe

    /// Checks with the probe's URL whether the network leads to the server.
    func probe() {
        guard let url = settings.probe else { return }
        var request = Request(.get, url)
        request.options.timeout = .seconds(30)
        host.send(request, for: nil, from: .outermost, isDetached: true) { [self] result in
            let isGood = (try? result.get()).map { (200..<300).contains($0.head.status) } ?? false
            let (now, random) = (host.now.nanoseconds, random)
            changeLines { state in
                state.isProbing = false
                state.isProbed = isGood
                state.probeFailures = isGood ? 0 : state.probeFailures + 1
                if isGood { return }
                state.pausedUntil = now + policy.wait(after: state.probeFailures, random: random).nanoseconds
                state.lines.giveUp()
            }
            news.probed(isGood)
            kick()
        }
    }
}
