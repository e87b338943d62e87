import CPlugboard
import PlugboardBorder

/// The functions of the host that plugins call on any thread.
extension HostContext {
    /// `send_subrequest`. If the request itself is wrong, its outcome says so.
    func send(
        _ table: plug_subrequest_v1, _ body: BodyNode?, parent: UInt64, context: UnsafeMutableRawPointer?,
        completed: @escaping SubRequestOutcome.Completion
    ) -> plug_result {
        guard let core = startedCore else { return codeOfAbsence }
        body?.unbind()
        let home = parent == 0 ? core.placeDetached() : core.home(of: parent)
        let request = Result<Request, PlugboardError> { () throws(PlugboardError) in
            var request = try Request(subRequest: table, body, of: id)
            // Done here, too, because a detached one may begin after its exchange has ended.
            if home.loop.isCurrent, let parent = home.exchange(parent) { request.inherit(from: parent.request.head) }
            return request
        }
        let number = home.subRequests.reserve()
        let outcome = SubRequestOutcome(self, number: number, context: context, completed: completed)
        home.subRequests.set(number, to: outcome)
        table.id?.pointee = number
        let flags = table.flags
        let isTaken = home.loop.enqueue { [self, weak core] in
            guard let core else { return outcome.fail(PlugboardError(.shutDown, "The kernel is shut down.")) }
            // The kernel keeps the loop.
            withExtendedLifetime(core) {
                switch request {
                case .success(let request): begin(request, parent: home.exchange(parent), flags, outcome, home)
                case .failure(let error): outcome.fail(error)
                }
            }
        }
        if !isTaken { home.subRequests.remove(number) }
        return isTaken ? PLUG_OK : PLUG_STALE
    }

    /// [loop]
    private func begin(
        _ request: Request, parent: ExchangeCore?, _ flags: plug_subrequest_flags, _ outcome: SubRequestOutcome,
        _ home: KernelLoop
    ) {
        let isDetached = flags & PLUG_SUBREQUEST_DETACHED != 0
        if parent == nil && !isDetached {
            return outcome.fail(
                PlugboardError(.cancelled, "The exchange that \(id) sent a sub-request for has ended."))
        }
        let family = Family(sentBy: index, for: parent)
        if family.isTooDeep {
            return outcome.fail(
                PlugboardError(
                    .runaway, "Sub-requests nest deeper than \(Family.depthLimit). \(id) sent the last one."))
        }
        var request = request
        if flags & PLUG_SUBREQUEST_LIKE_EXCHANGE != 0 {
            guard let parent else {
                return outcome.fail(
                    PlugboardError(.cancelled, "The exchange that \(id) sent a copy of the request of has ended."))
            }
            request = request.over(parent.request.head, home.core)
        }
        if let parent { request.inherit(from: parent.request.head) }
        let child = ExchangeCore(
            request, home: home, outcome: outcome, family: family,
            eventExclusions: parent?.steering.exclusions.eventExclusions ?? [])
        outcome.exchange = child
        if let parent, !isDetached {
            Family.join(child, to: parent)
            parent.noteSubRequest(by: index)
        }
        if let trace = parent == nil ? home.underWay.trace(waitingFor: index) : parent?.trace {
            child.trace(with: trace.beginSubRequest(request, by: index, id, isDetached: isDetached))
        }
        child.begin(at: flags & PLUG_SUBREQUEST_OUTERMOST != 0 ? 0 : index + 1)
    }

    /// `cancel_subrequest`: only for the plugin's own sub-requests, and once for each.
    func cancelSubRequest(_ number: plug_subrequest_id) -> plug_result {
        guard let home = core?.home(of: number), let outcome = home.subRequests[number], outcome.sender === self,
            home.subRequests.remove(number) != nil
        else { return PLUG_STALE }
        // Done later, because the outcome calls the plugin, and this runs within a call of it.
        return home.loop.enqueue { outcome.cancel() } ? PLUG_OK : PLUG_STALE
    }

    /// `publish_event`: an event under the plugin's own id. Its details are made only if the event may be watched.
    ///
    /// An event that is published while plugins get another plugin's event waits for the loop's next turn: otherwise,
    /// two plugins that respond to each other's events would call each other endlessly.
    func publish(
        _ id: plug_text, _ number: plug_exchange_id, _ details: () -> [(String, ObservedEvent.Detail)]
    ) -> plug_result {
        guard id.hasPrefix(idWithDot), isName(id.buffer.dropFirst(idWithDot.utf8.count)) else {
            return PLUG_BAD_ARGUMENT
        }
        guard let core = startedCore else { return codeOfAbsence }
        let home = number == 0 ? core.current ?? core.first : core.home(of: number)
        let isHere = home.loop.isCurrent
        let wanted = core.wanted.union(home.exchange(isHere ? number : 0)?.wanted ?? [])
        let isUnseen = isHere && !wanted.contains(.ofPlugins)
        if isUnseen && !core.pipeline.watchers.watchesPlugins { return PLUG_OK }
        let event = id.string
        if isUnseen && core.pipeline.watchers.listeners(event).isEmpty { return PLUG_OK }
        let cause = isHere ? home.chain.current : nil
        if cause != nil, !home.chain.admit() {
            if home.chain.isFirstRefusal(of: index) {
                core.log.write(
                    .warning, self.id,
                    "The plugin \(self.id) publishes events in response to events, deeper than \(EventChain.depthLimit) or "
                        + "more than \(EventChain.countLimit) at once; the rest is dropped. The last was \(event).")
            }
            return PLUG_TOO_LARGE
        }
        let details = details()
        let deliver = { @Sendable in
            home.chain.begin(after: cause)
            let node = EventNode(event, details)
            // If the exchange has ended, the event is still a fact about the kernel.
            if let exchange = home.exchange(number) { exchange.publish(node) } else { home.publish(node) }
            home.chain.end()
            withExtendedLifetime(core) {}
        }
        if isHere, cause == nil { deliver() } else { home.loop.enqueue(deliver) }
        return PLUG_OK
    }
}

extension plug_subrequest_v1 {
    /// Whether no pointer is NULL with a count above 0.
    var isReadable: Bool {
        method.isReadable && url.isReadable && areReadable(fields, field_count) && (secrets != nil || secret_count == 0)
            && areReadable(attributes, attribute_count) && areReadable(options, option_count)
    }
}

extension Request {
    /// The request of an exchange, with the values and the body that a plugin gives in their place. Without secrets at
    /// another origin.
    fileprivate func over(_ original: Request, _ core: KernelCore) -> Request {
        var copy = original
        copy.body = body
        if !method.name.isEmpty { copy.method = method }
        if !url.isEmpty { copy.url = url }
        if Origin(url: copy.url) != Origin(url: original.url) {
            let secrets = copy.fields.filter(\.isSecret).map { FieldName($0.name) }
            for name in secrets { copy.fields.remove(name) }
            core.removeSecrets(from: &copy.attributes)
            if copy.hasOptions { copy.options = copy.options.forOtherOrigins }
        }
        for field in fields { copy.fields.remove(FieldName(field.name)) }
        for field in fields {
            copy.fields.append(FieldName(field.name), field.value)
            if field.isSecret { copy.fields.markSecret(FieldName(field.name)) }
        }
        for (name, value) in attributes.values { copy.attributes[name] = value }
        if hasOptions || original.hasOptions {
            let timeout = options.timeout
            copy.options = options.over(copy.options)
            copy.options.timeout = timeout
        }
        return copy
    }

    /// A request as a plugin hands it in; the error says which part of it is wrong.
    fileprivate init(subRequest table: plug_subrequest_v1, _ body: BodyNode?, of id: String) throws(PlugboardError) {
        func refused(_ code: PlugboardError.Code, _ what: String) -> PlugboardError {
            PlugboardError(code, "The plugin \(id) sent a sub-request that cannot be sent: \(what).")
        }
        do {
            self.init(
                Method(table.method.string), table.url.string,
                fields: try checkedFields(table.fields, table.field_count), body: body.map { Body(uncounted: $0) })
        } catch {
            throw refused(error.code, error.reason)
        }
        if let secrets = table.secrets {
            for name in UnsafeBufferPointer(start: secrets, count: Int(clamping: table.secret_count)) {
                fields.markSecret(name.buffer)
            }
        }
        for attribute in makeFields(table.attributes, table.attribute_count) {
            attributes[attribute.name] = attribute.value
        }
        var options = RequestOptions()
        for option in makeFields(table.options, table.option_count) {
            if let error = options.set(option.name, to: option.value) { throw refused(.requestOption, error) }
        }
        if table.timeout > 0 { options.timeout = .nanoseconds(table.timeout) }
        if options != RequestOptions() { self.options = options }
    }
}
