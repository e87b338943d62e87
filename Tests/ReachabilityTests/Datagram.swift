import CPlugboardNetlink

@testable import PlugboardReachability

/// Builds datagrams as the system sends them.
struct Datagram {
    static let port: UInt32 = 4711
    var bytes: [UInt8] = []

    func read<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { bytes.withUnsafeBytes { body($0) } }

    /// Adds a message; port and sequence are those of a notification by default.
    mutating func add(
        _ type: Int, _ payload: [UInt8], port: UInt32 = 1, sequence: UInt32 = 0, flags: Int32 = 0
    ) {
        var header = nlmsghdr()
        header.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + payload.count)
        header.nlmsg_type = UInt16(type)
        header.nlmsg_flags = UInt16(flags)
        header.nlmsg_seq = sequence
        header.nlmsg_pid = port
        bytes += Datagram.raw(header) + payload
        Datagram.pad(&bytes)
    }

    static func link(
        _ index: Int32, _ name: String, up: Bool = true, loopback: Bool = false, type: Int32 = ARPHRD_ETHER,
        virtualKind: String? = nil
    ) -> [UInt8] {
        var link = ifinfomsg()
        link.ifi_index = index
        link.ifi_type = UInt16(loopback ? ARPHRD_LOOPBACK : type)
        link.ifi_flags = (up ? cnetlink_running : 0) | (loopback ? cnetlink_loopback : 0)
        var payload = raw(link) + attribute(Int(IFLA_IFNAME), Array(name.utf8) + [0])
        if let virtualKind {
            payload += attribute(Int(IFLA_LINKINFO), attribute(Int(IFLA_INFO_KIND), Array(virtualKind.utf8) + [0]))
        }
        return payload
    }

    static func route(
        via interface: Int32?, ipv6: Bool = false, length: UInt8 = 0, metric: UInt32 = 0,
        table: UInt32 = UInt32(RT_TABLE_MAIN.rawValue), type: Int = Int(RTN_UNICAST), hops: [Int32] = []
    ) -> [UInt8] {
        var route = rtmsg()
        route.rtm_family = UInt8(ipv6 ? AF_INET6 : AF_INET)
        route.rtm_dst_len = length
        route.rtm_type = UInt8(type)
        route.rtm_table = UInt8(truncatingIfNeeded: table)
        var payload = raw(route) + attribute(Int(RTA_TABLE.rawValue), raw(table))
        payload += attribute(Int(RTA_PRIORITY.rawValue), raw(metric))
        if let interface { payload += attribute(Int(RTA_OIF.rawValue), raw(interface)) }
        if !hops.isEmpty {
            let list = hops.flatMap { index in
                var hop = rtnexthop()
                hop.rtnh_len = UInt16(MemoryLayout<rtnexthop>.size)
                hop.rtnh_ifindex = index
                return raw(hop)
            }
            payload += attribute(Int(RTA_MULTIPATH.rawValue), list)
        }
        return payload
    }

    static func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
        var header = rtattr()
        header.rta_len = UInt16(MemoryLayout<rtattr>.size + value.count)
        header.rta_type = UInt16(type)
        var bytes = raw(header) + value
        pad(&bytes)
        return bytes
    }

    static func raw<Part: BitwiseCopyable>(_ part: Part) -> [UInt8] { withUnsafeBytes(of: part) { Array($0) } }

    private static func pad(_ bytes: inout [UInt8]) { while bytes.count % 4 != 0 { bytes.append(0) } }
}

extension RoutingTable {
    /// The table of these messages.
    init(links: [[UInt8]], routes: [[UInt8]] = []) {
        self.init()
        var datagram = Datagram()
        for link in links { datagram.add(Int(RTM_NEWLINK), link) }
        for route in routes { datagram.add(Int(RTM_NEWROUTE), route) }
        var table = self
        _ = datagram.read { NetlinkMessage.forEach(in: $0) { table.add($0) } }
        self = table
    }

    var state: NetworkState { state { $0 == "wlan0" } }
}
