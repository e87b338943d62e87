import CPlugboardNetlink

/// Interfaces and default routes, as the system has sent them; all other routes are left out.
struct RoutingTable: Equatable {
    struct Interface: Equatable {
        var name = ""
        var flags: UInt32 = 0
        /// The hardware type (ARPHRD_…).
        var type: UInt16 = 0
        /// The system's word for a virtual interface, such as `wireguard`; empty for a device.
        var virtualKind = ""

        var isUp: Bool { flags & cnetlink_running == cnetlink_running }
    }

    struct DefaultRoute: Equatable {
        var isIPv6: Bool
        var isInMainTable: Bool
        var metric: UInt32
        /// The indices of the interfaces of its next hops; none if the system does not say.
        var interfaces: [Int32]
    }

    private(set) var interfaces: [Int32: Interface] = [:]
    private(set) var routes: [DefaultRoute] = []

    // MARK: Reading

    /// Adds the interface or the default route of a message of a dump.
    mutating func add(_ message: NetlinkMessage) {
        switch message.type {
        case Int(RTM_NEWLINK):
            if let (index, interface) = RoutingTable.interface(message) { interfaces[index] = interface }
        case Int(RTM_NEWROUTE): if let route = RoutingTable.defaultRoute(message) { routes.append(route) }
        default: break
        }
    }

    /// Whether a notification may have changed the table.
    ///
    /// The system removes routes without a notification when their interface goes down or their address is removed, so
    /// such notifications count.
    func isChanged(by message: NetlinkMessage) -> Bool {
        switch message.type {
        case Int(RTM_NEWLINK): RoutingTable.interface(message).map { interfaces[$0.0] != $0.1 } ?? false
        case Int(RTM_DELLINK), Int(RTM_DELADDR): true
        case Int(RTM_NEWROUTE), Int(RTM_DELROUTE): RoutingTable.defaultRoute(message) != nil
        default: false
        }
    }

    private static func interface(_ message: NetlinkMessage) -> (Int32, Interface)? {
        guard let link = message.fixed(ifinfomsg.self),
            // Bridges report their ports a second time, under a family of their own.
            link.ifi_family == UInt8(AF_UNSPEC)
        else { return nil }
        var interface = Interface(flags: link.ifi_flags, type: link.ifi_type)
        message.forEachAttribute(after: ifinfomsg.self) { type, value in
            if type == Int(IFLA_IFNAME) { interface.name = value.name }
            guard type == Int(IFLA_LINKINFO) else { return }
            NetlinkMessage.forEachAttribute(in: value) { type, value in
                if type == Int(IFLA_INFO_KIND) { interface.virtualKind = value.name }
            }
        }
        // Other flags change often and mean nothing here.
        interface.flags &= cnetlink_running | cnetlink_loopback
        return (link.ifi_index, interface)
    }

    private static func defaultRoute(_ message: NetlinkMessage) -> DefaultRoute? {
        guard let head = message.fixed(rtmsg.self), head.rtm_dst_len == 0, head.rtm_src_len == 0,
            head.rtm_type == UInt8(RTN_UNICAST),
            head.rtm_family == UInt8(AF_INET) || head.rtm_family == UInt8(AF_INET6)
        else { return nil }
        var route = DefaultRoute(
            isIPv6: head.rtm_family == UInt8(AF_INET6),
            isInMainTable: Int(head.rtm_table) == Int(RT_TABLE_MAIN.rawValue),
            metric: 0, interfaces: [])
        message.forEachAttribute(after: rtmsg.self) { type, value in
            switch type {
            case Int(RTA_OIF.rawValue):
                if let number = value.number { route.interfaces.append(Int32(bitPattern: number)) }
            case Int(RTA_PRIORITY.rawValue): route.metric = value.number ?? 0
            case Int(RTA_TABLE.rawValue):
                if let table = value.number { route.isInMainTable = table == RT_TABLE_MAIN.rawValue }
            case Int(RTA_MULTIPATH.rawValue): route.interfaces += nextHops(value)
            default: break
            }
        }
        return route
    }

    /// The interfaces of a route with several next hops.
    private static func nextHops(_ bytes: UnsafeRawBufferPointer) -> [Int32] {
        var interfaces: [Int32] = []
        var start = 0
        while bytes.count - start >= MemoryLayout<rtnexthop>.size {
            let hop = bytes.loadUnaligned(fromByteOffset: start, as: rtnexthop.self)
            guard Int(hop.rtnh_len) >= MemoryLayout<rtnexthop>.size else { break }
            interfaces.append(hop.rtnh_ifindex)
            start += NetlinkMessage.aligned(Int(hop.rtnh_len))
        }
        return interfaces
    }

    // MARK: Meaning

    /// The state of the network according to the table.
    ///
    /// - Parameter isWireless: Whether the interface of that name is one of a wireless LAN.
    func state(isWireless: (String) -> Bool) -> NetworkState {
        // A route whose interfaces the system does not name is taken as usable.
        let usable = routes.filter { route in
            route.interfaces.isEmpty || route.interfaces.contains { interfaces[$0]?.isUp == true }
        }
        let best = usable.min { left, right in
            if left.isInMainTable != right.isInMainTable { return left.isInMainTable }
            if left.isIPv6 != right.isIPv6 { return right.isIPv6 }
            return left.metric < right.metric
        }
        let interface = best.flatMap { best in
            best.interfaces.lazy.compactMap { interfaces[$0] }.first { $0.isUp }
        }
        let kind: NetworkState.Kind
        if best != nil {
            kind = interface.map { $0.kind(isWireless: isWireless) } ?? .other
        } else {
            let up = interfaces.values.filter(\.isUp)
            kind = up.isEmpty ? .none : up.allSatisfy(\.isLoopback) ? .loopback : .other
        }
        return NetworkState(
            hasIPv4: usable.contains { !$0.isIPv6 }, hasIPv6: usable.contains { $0.isIPv6 }, kind: kind,
            interface: interface?.name)
    }
}

extension RoutingTable.Interface {
    var isLoopback: Bool { flags & cnetlink_loopback != 0 }

    func kind(isWireless: (String) -> Bool) -> NetworkState.Kind {
        if isLoopback { return .loopback }
        switch virtualKind {
        case "wireguard", "tun", "gre", "gretap", "ip6gre", "ip6gretap", "erspan", "ip6erspan", "ipip", "ip6tnl", "sit",
            "vti", "vti6", "xfrm", "vxlan", "geneve", "ovpn", "l2tp", "bareudp":
            return .tunnel
        default: break
        }
        switch Int32(type) {
        case ARPHRD_TUNNEL, ARPHRD_TUNNEL6, ARPHRD_SIT, ARPHRD_IPGRE: return .tunnel
        case ARPHRD_IEEE80211, ARPHRD_IEEE80211_PRISM, ARPHRD_IEEE80211_RADIOTAP: return .wireless
        case ARPHRD_ETHER: return isWireless(name) ? .wireless : .ethernet
        default: return .other
        }
    }
}
