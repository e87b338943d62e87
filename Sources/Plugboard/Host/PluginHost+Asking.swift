import CPlugboard
import PlugboardKit

/// What a plugin asks of the kernel from any thread.
extension PluginHost {
    /// The deepest that sub-requests may nest.
    private static let depthLimit = 4

    func sendSubRequest(_ request: Request, asker number: UInt64, flags: UInt32, outcome: SubRequestOutcome) {
        let place = index
        let id = id
        let isTaken = core?.loop.enqueue { [weak core] in
            guard let core else { return outcome.fail(PluginHost.isShutDown) }
            let isDetached = flags & PLUG_DETACHED != 0
            let asker = core.exchange(number)
            if asker == nil && !isDetached {
                return outcome.fail(
                    PlugboardError(.cancelled, "The exchange that \(id) sent a sub-request for has ended."))
            }
            let depth = (asker?.depth ?? 0) + 1
            guard depth <= PluginHost.depthLimit else {
                return outcome.fail(
                    PlugboardError(
                        .runaway, "Sub-requests nest deeper than \(PluginHost.depthLimit). \(id) sent the last one."))
            }
            var request = request
            if let asker { request.inheritOptions(of: asker.request) }
            let child = Exchange(
                request, core: core, outcome: outcome, skipped: (asker?.ancestry ?? 0) | (1 << UInt64(place)),
                depth: depth)
            child.ancestry = child.skipped
            child.sender = place
            child.askerNumber = asker == nil ? nil : number
            if let asker {
                child.deaf = asker.deaf
                child.outerAttributes = asker.request.attributes
            }
            if let asker, !isDetached {
                asker.children.append(child)
                child.asker = asker
            }
            if let trace = asker == nil ? core.trace(waitingFor: place) : asker?.trace {
                child.trace(with: trace.beginSubRequest(request, by: place, id, isDetached: isDetached))
            }
            child.begin(at: flags & PLUG_OUTERMOST != 0 ? 0 : place + 1)
        }
        if isTaken != true { outcome.fail(PluginHost.isShutDown) }
    }

    private static let isShutDown = PlugboardError(.shutDown, "The kernel is shut down.")

    /// Events stand under their plugin's own id. Details are made only if somebody may listen.
    func publish(_ event: String, _ number: UInt64, _ details: () -> [(String, EventDetail)]) -> UInt32 {
        guard event.hasPrefix(idWithDot) else { return PLUG_BAD_ARGUMENT }
        guard let core else { return PLUG_STALE }
        if core.loop.isCurrent, core.pipeline.watchers.places(event).isEmpty, core.watch == nil,
            core.exchange(number)?.watch == nil
        {
            return PLUG_OK
        }
        let details = details()
        let tell = { @Sendable in
            let node = EventNode(event, details)
            // What is told too late to be of the exchange is still a fact.
            if let exchange = core.exchange(number) { exchange.publish(node) } else { core.publish(node) }
        }
        if core.loop.isCurrent { tell() } else { core.loop.enqueue(tell) }
        return PLUG_OK
    }
}

extension Request {
    /// A sub-request goes the way of the request that it is for, unless it says otherwise: the same proxy, the same trust. At the same origin it also
    /// has the same pins and the same client certificate. The time limit is its own.
    fileprivate mutating func inheritOptions(of asker: Request) {
        guard asker.hasOptions else { return }
        let isSameOrigin = Origin(url: url).map { $0 == Origin(url: asker.url) } ?? false
        var inherited = isSameOrigin ? asker.options : asker.options.forOtherOrigins
        inherited.timeout = nil
        options = options.over(inherited)
    }
}
