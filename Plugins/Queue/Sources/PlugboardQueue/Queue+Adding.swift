import PlugboardKit
import PlugboardQueueOptions
import PlugboardSQLite

/// Adds a request to the file, and decides what its caller gets.
extension Queue {
    func entry(_ exchange: borrowing PlugboardKit.Exchange) -> NewEntry {
        let request = exchange.request
        let stores = exchange[Queue.keys.storeCredentials] ?? settings.storeCredentials
        var head = CapturedHead(
            request.fields, exchange.ownAttributes(includesSecrets: stores), exchange.optionTexts,
            storesCredentials: stores)
        head.detour = exchange.route.detour
        let id = exchange[Queue.keys.id].flatMap { $0.isEmpty ? nil : $0 }
        var entry = NewEntry(
            id: id ?? tickets.make(), method: request.method.name,
            url: stores ? request.url : CapturedHead.withoutUserinfo(request.url), head: head.text)
        entry.category = exchange[Queue.keys.category]
        entry.tag = exchange[Queue.keys.tag]
        entry.context = exchange[Queue.keys.context]
        entry.priority = exchange[Queue.keys.priority] ?? 0
        if let key = exchange[Queue.keys.collapseKey] {
            entry.collapse = (key, exchange[Queue.keys.collapse] ?? .replace)
        }
        return entry
    }

    /// Reads the body, adds the request to the file, and wakes the ticket.
    func add(_ entry: NewEntry, _ exchange: borrowing PlugboardKit.Exchange, _ passage: Passage) -> Ticket {
        passage.step = .adding
        passage.result = nil
        passage.entry = entry
        let ticket = exchange.ticket()
        let number = exchange.id
        let add = { @Sendable [self] (entry: NewEntry) in
            store.add(entry) { [self] result in
                passage.result = result
                switch result {
                case .success(let placement): admitted(entry, placement, number, passage)
                // Its pieces would block its line.
                case .failure: if let begun = entry.begun { store.discard(begun.sequence) }
                }
                ticket.wake()
            } dropped: { [self] dropped in
                news.dropped(dropped)
                for entry in dropped { replayer.outcomes.ended(entry.id) }
                replayer.reload()
            }
            passage.turn?.place()
        }
        guard let tap = passage.tap else {
            add(entry)
            return ticket
        }
        // Other requests of its line wait for the body.
        let patience = passage.turn == nil ? nil : max(settings.categoryWait, .seconds(1))
        BodySpool(
            tap.inner, upTo: settings.bodyLimit.bytes, id: entry.id, holding: entry.isJournal ? entry.line : nil,
            patience: patience, host, store
        ) { result in
            switch result {
            case .success(let content):
                var whole = entry
                (whole.length, whole.rest, whole.begun) = (content.length, content.rest, content.begun)
                passage.entry = whole
                add(whole)
            case .failure(let error):
                passage.result = .failure(error)
                ticket.wake()
            }
        }.begin()
        return ticket
    }

    /// Called when the file has taken or refused the request. On the store's thread.
    private func admitted(_ entry: NewEntry, _ placement: Placement, _ exchange: UInt64, _ passage: Passage) {
        var entry = entry
        if placement == .behind { entry.isJournal = false }
        news.added(entry, placement, exchange: exchange)
        switch placement {
        case .queued, .behind:
            if entry.isJournal {
                let (id, line, replayer) = (entry.id, entry.line, replayer)
                passage.journal { replayer.discard(id, line) }
            }
            replayer.added(entry.line, entry.origin)
        case .cancelled:
            replayer.outcomes.ended(entry.id)
            if let line = entry.line { replayer.left(line) }
        case .known, .full: break
        }
    }

    /// Lets a request that this exchange was sending wait in the file. `done` gets whether its ticket will have an
    /// outcome. If the file cannot be written, `done` is called at once, and the change is tried again.
    func giveBack(_ entry: NewEntry, _ failure: PlugboardError, _ done: @escaping @Sendable (Bool) -> Void) {
        store.perform { (session, now, _) throws(SQLiteFailure) -> (isThere: Bool, isSettled: Bool) in
            try session.together(removes: true) { () throws(SQLiteFailure) in
                guard let sequence = try session.sequence(of: entry.id) else { return (false, false) }
                let settlement = Settlement.waiting(failure, until: now, counts: .nothing, isTouched: true)
                return (true, try session.settle(sequence, settlement, now: now))
            }
        } then: { [self] result in
            switch result {
            // It may have been dropped, or its lease may have ended and another process has taken it.
            case .success((let isThere, let isSettled)):
                if isSettled {
                    news.added(entry, .queued, exchange: nil)
                    replayer.added(entry.line, entry.origin)
                    // A later request with its collapse key may have replaced it.
                    if entry.collapse != nil { replayer.outcomes.ended(entry.id) }
                }
                done(isThere)
            case .failure(let failed):
                // The file has the request. Until it waits there, this process holds it.
                done(true)
                guard failed.kind != .closed else { return }
                news.warn(failed)
                host.schedule(after: .seconds(1)) { [self] in giveBack(entry, failure) { _ in } }
            }
        }
    }

    /// What the caller gets: that the request is queued, or why it is not.
    func verdict(
        _ entry: NewEntry, _ result: Result<Placement, PlugboardError>
    ) -> Result<PlugboardError, PlugboardError> {
        switch result {
        case .success(.queued), .success(.behind), .success(.cancelled): .success(queued(entry))
        case .success(.known): .success(known(entry))
        case .success(.full): .failure(full)
        case .failure(let error): .failure(error)
        }
    }

    func queued(_ entry: NewEntry) -> PlugboardError {
        let cause = entry.code.map { "There is no network (\($0)), so the" } ?? "The"
        return PlugboardError(.queued, "\(cause) request is queued, and is sent later. Its ticket: \(entry.id)")
    }

    func known(_ entry: NewEntry) -> PlugboardError {
        PlugboardError(
            .queued, "The queue has a request with this ticket already; see its outcome. Its ticket: \(entry.id)")
    }

    var full: PlugboardError {
        PlugboardError(.queueFull, "The queue has no room for the request. Raise limit or bytes, or drop requests.")
    }
}
