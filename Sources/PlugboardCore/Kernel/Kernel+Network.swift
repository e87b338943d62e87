import PlugboardKit
public import PlugboardReachability
import Synchronization

extension Kernel {
    /// The system's network, watched on the kernel's first loop until the kernel ends.
    ///
    ///     for await network in try kernel.reachability().changes() { print(network.isReachable) }
    ///
    /// The first call begins to watch and blocks for some milliseconds, unless a plugin has asked for it before. From
    /// then on `watch`, and plugins that get all events, get `networkChanged` too. Throws `network.unreadable` if the
    /// system does not let the program read its routing table, `resources` if it has no file descriptor left, and
    /// `shutDown` if the kernel has ended.
    public func reachability() throws(PlugboardError) -> Reachability { try core.reachability() }
}

extension KernelCore {
    /// [any]
    func reachability() throws(PlugboardError) -> Reachability {
        try network.begin { () throws(PlugboardError) in
            try Reachability(loop: first.loop) { [weak self] result in self?.publish(result) }
        }
    }

    /// Watches the network if a plugin lists the event. A kernel also works without it.
    func startNetworkForPlugins() {
        guard pipeline.watchers.wantsNetwork else { return }
        do { _ = try reachability() } catch {
            log.write(
                .warning, "kernel",
                "Plugins do not get the event networkChanged: \(error.reason)\(error.underlying.map { " (\($0))" } ?? "")"
            )
        }
    }

    /// Called on the first loop.
    private func publish(_ result: Result<NetworkState, PlugboardError>) {
        switch result {
        case .success(let state): first.publish(EventNode(.networkChanged, state.details))
        case .failure(let error): log.write(.warning, "kernel", "The network is no longer watched: \(error.reason)")
        }
    }
}

extension NetworkState {
    /// The details of the event.
    fileprivate var details: [(String, ObservedEvent.Detail)] {
        var details: [(String, ObservedEvent.Detail)] = [
            ("reachable", .integer(isReachable ? 1 : 0)), ("ipv4", .integer(hasIPv4 ? 1 : 0)),
            ("ipv6", .integer(hasIPv6 ? 1 : 0)), ("kind", .text(kind.rawValue)),
        ]
        if let interface { details.append(("interface", .text(interface))) }
        return details
    }
}

/// The kernel's watch of the network, made at the first use. [any]
final class NetworkWatch: Sendable {
    private enum State {
        case idle
        case watching(Reachability)
        case ended
    }

    private let state = Mutex(State.idle)

    /// Returns the watch, which the first call makes.
    func begin(_ make: () throws(PlugboardError) -> Reachability) throws(PlugboardError) -> Reachability {
        // Made under the lock, so that the kernel has one watch.
        try state.withLock { (state) throws(PlugboardError) in
            switch state {
            case .watching(let reachability): return reachability
            case .ended: throw PlugboardError(.shutDown, "The kernel is shut down and watches no network.")
            case .idle:
                let reachability = try make()
                state = .watching(reachability)
                return reachability
            }
        }
    }

    /// Called when the kernel ends. [loop]
    func end() {
        let last = state.withLock { state in
            defer { state = .ended }
            return state
        }
        if case .watching(let reachability) = last { reachability.end() }
    }
}
