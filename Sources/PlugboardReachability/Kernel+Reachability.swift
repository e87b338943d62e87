public import PlugboardCore
import PlugboardEventLoop
import PlugboardMessages

/// The system's network, as the routing table tells it.
public struct SystemNetwork: NetworkSource {
    /// Throws `network.unreadable` and `resources`, as `Reachability` does.
    public func watch(
        on loop: EventLoop, changed: @escaping @Sendable (State) -> Void
    ) throws(PlugboardError) -> any NetworkWatch {
        SystemNetworkWatch(try Reachability(loop: loop) { changed($0.map(\.details)) })
    }
}

extension NetworkSource where Self == SystemNetwork {
    /// The system's network.
    public static var system: SystemNetwork { SystemNetwork() }
}

/// A kernel's watch, whose end is the kernel's alone.
private final class SystemNetworkWatch: NetworkWatch {
    let reachability: Reachability

    init(_ reachability: Reachability) { self.reachability = reachability }

    func end() { reachability.end() }
}

extension Kernel {
    /// The system's network, watched on the kernel's first loop until the kernel ends.
    ///
    ///     for await network in try kernel.reachability().changes() { print(network.isReachable) }
    ///
    /// The first call begins to watch and blocks for some milliseconds, unless a plugin has asked for it before. From
    /// then on `watch`, and plugins that get all events, get `networkChanged` too. Throws `network.unreadable` if the
    /// system does not let the program read its routing table, or if the kernel was given another `NetworkSource`,
    /// `resources` if it has no file descriptor left, and `shutDown` if the kernel has ended.
    public func reachability() throws(PlugboardError) -> Reachability {
        guard let watch = try network(or: .system) as? SystemNetworkWatch else {
            throw PlugboardError(.networkUnreadable, "The kernel watches another network than the system's.")
        }
        return watch.reachability
    }
}

extension NetworkState {
    /// The details of the event `networkChanged`.
    fileprivate var details: [(String, ObservedEvent.Detail)] {
        var details: [(String, ObservedEvent.Detail)] = [
            ("reachable", .integer(isReachable ? 1 : 0)), ("ipv4", .integer(hasIPv4 ? 1 : 0)),
            ("ipv6", .integer(hasIPv6 ? 1 : 0)), ("kind", .text(kind.rawValue)),
        ]
        if let interface { details.append(("interface", .text(interface))) }
        return details
    }
}
