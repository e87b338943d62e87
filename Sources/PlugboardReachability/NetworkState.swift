/// Whether the system has a network, and of which kind, by its routing table.
///
/// There is a network if a default route leads through an interface that is up. This does not tell whether a server
/// responds, or whether the network leads beyond a router. Linux does not know whether a network is metered.
public struct NetworkState: Sendable, Equatable {
    /// The kind of an interface.
    public enum Kind: String, Sendable, CaseIterable {
        /// There is no interface that is up.
        case none
        /// Only the loopback interface is up.
        case loopback
        /// An Ethernet interface, including virtual ones: `veth` of a container, a bridge, a VLAN.
        case ethernet
        /// A wireless LAN.
        case wireless
        /// A tunnel, such as WireGuard.
        case tunnel
        /// Any other, such as PPP or a modem.
        case other
    }

    /// Whether there is a default route for IPv4.
    public let hasIPv4: Bool
    /// Whether there is a default route for IPv6.
    public let hasIPv6: Bool
    /// The kind of the default route's interface; without a default route `none` or `loopback`, or `other` if an
    /// interface is up that no default route uses.
    public let kind: Kind
    /// The name of the default route's interface, such as `eth0`; nil without a default route.
    ///
    /// Of several default routes, those of the main table come first, then IPv4 before IPv6, then the lowest metric.
    public let interface: String?

    /// Whether there is a default route.
    public var isReachable: Bool { hasIPv4 || hasIPv6 }

    /// A state, as tests of programs make it.
    public init(hasIPv4: Bool, hasIPv6: Bool, kind: Kind, interface: String? = nil) {
        self.hasIPv4 = hasIPv4
        self.hasIPv6 = hasIPv6
        self.kind = kind
        self.interface = interface
    }
}
