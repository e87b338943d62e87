import PlugboardEventLoop
import Synchronization

/// Watches the system's network for kernels: `.system` of the module PlugboardReachability.
public protocol NetworkSource: Sendable {
    /// The details of the event `networkChanged`, or the error that ended the watch. The details are `reachable`,
    /// `ipv4` and `ipv6` (0 or 1), `kind` (`none`, `loopback`, `ethernet`, `wireless`, `tunnel`, `other`) and, if there
    /// is one, `interface`.
    typealias State = Result<[(String, ObservedEvent.Detail)], PlugboardError>

    /// Begins to watch; may block for some milliseconds. From any thread.
    ///
    /// - Parameter changed: Called on the loop with the first state, with each that differs, and with the error that
    ///   ends the watch.
    func watch(
        on loop: EventLoop, changed: @escaping @Sendable (State) -> Void
    ) throws(PlugboardError) -> any NetworkWatch
}

/// The watch of one kernel. From any thread.
public protocol NetworkWatch: AnyObject, Sendable {
    /// Called once, when the kernel ends.
    func end()
}

extension Kernel {
    /// The kernel's watch of the network, which the first call begins, with this source if the kernel has none.
    package func network(or source: any NetworkSource) throws(PlugboardError) -> any NetworkWatch {
        try core.watchNetwork(core.network.source ?? source)
    }
}

extension KernelCore {
    /// [any]
    fileprivate func watchNetwork(_ source: any NetworkSource) throws(PlugboardError) -> any NetworkWatch {
        try network.begin { () throws(PlugboardError) in
            try source.watch(on: first.loop) { [weak self] state in self?.publish(state) }
        }
    }

    /// Watches the network if a plugin lists the event. A kernel also works without it.
    func startNetworkForPlugins() {
        guard pipeline.watchers.wantsNetwork else { return }
        guard let source = network.source else {
            return log.write(
                .warning, "kernel",
                "Plugins do not get the event networkChanged: this program is built without PlugboardReachability; "
                    + "import it and pass `network: .system`")
        }
        do { _ = try watchNetwork(source) } catch {
            log.write(
                .warning, "kernel",
                "Plugins do not get the event networkChanged: \(error.reason)\(error.underlying.map { " (\($0))" } ?? "")"
            )
        }
    }

    /// Called on the first loop.
    private func publish(_ state: NetworkSource.State) {
        switch state {
        case .success(let details): first.publish(EventNode(.networkChanged, details))
        case .failure(let error): log.write(.warning, "kernel", "The network is no longer watched: \(error.reason)")
        }
    }
}

/// The one watch of a kernel's network, made at the first use. [any]
final class KernelNetwork: Sendable {
    private enum State {
        case idle
        case watching(any NetworkWatch)
        case ended
    }

    /// What the program gave its kernel.
    let source: (any NetworkSource)?
    private let state = Mutex(State.idle)

    init(_ source: (any NetworkSource)?) { self.source = source }

    /// Returns the watch, which the first call makes.
    func begin(_ make: () throws(PlugboardError) -> any NetworkWatch) throws(PlugboardError) -> any NetworkWatch {
        // Made under the lock, so that the kernel has one watch.
        try state.withLock { (state) throws(PlugboardError) in
            switch state {
            case .watching(let watch): return watch
            case .ended: throw PlugboardError(.shutDown, "The kernel is shut down and watches no network.")
            case .idle:
                let watch = try make()
                state = .watching(watch)
                return watch
            }
        }
    }

    /// Called when the kernel ends. [loop]
    func end() {
        let last = state.withLock { state in
            defer { state = .ended }
            return state
        }
        if case .watching(let watch) = last { watch.end() }
    }
}
