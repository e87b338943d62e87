import CPlugboardNetlink
import TestSupport
import Testing

@testable import PlugboardReachability

/// What interfaces and routes mean.
@Suite struct RoutingTableTests {
    private let loopback = Datagram.link(1, "lo", loopback: true)
    private let ethernet = Datagram.link(2, "eth0")

    @Test func `a default route through an interface that is up makes a network`() {
        let table = RoutingTable(
            links: [loopback, ethernet],
            routes: [Datagram.route(via: 1, length: 8), Datagram.route(via: 2), Datagram.route(via: 2, ipv6: true)])

        #expect(
            table.state == NetworkState(hasIPv4: true, hasIPv6: true, kind: .ethernet, interface: "eth0"))
    }

    @Test func `a default route counts for its own family only`() {
        let four = RoutingTable(links: [ethernet], routes: [Datagram.route(via: 2)])
        let six = RoutingTable(links: [ethernet], routes: [Datagram.route(via: 2, ipv6: true)])

        #expect(four.state.hasIPv4 && !four.state.hasIPv6)
        #expect(six.state.hasIPv6 && !six.state.hasIPv4 && six.state.interface == "eth0")
    }

    @Test func `a default route through an interface that is down, or is not known, makes no network`() {
        let down = RoutingTable(
            links: [loopback, Datagram.link(2, "eth0", up: false)], routes: [Datagram.route(via: 2)])
        let unknown = RoutingTable(links: [loopback], routes: [Datagram.route(via: 2)])

        #expect(down.state == NetworkState(hasIPv4: false, hasIPv6: false, kind: .loopback))
        #expect(unknown.state == NetworkState(hasIPv4: false, hasIPv6: false, kind: .loopback))
    }

    @Test func `a default route that refuses all packets makes no network`() {
        let table = RoutingTable(
            links: [loopback], routes: [Datagram.route(via: 1, ipv6: true, type: Int(RTN_UNREACHABLE))])

        #expect(!table.state.isReachable)
    }

    @Test func `without a default route the kind says which interfaces are up`() {
        #expect(RoutingTable(links: [Datagram.link(1, "lo", up: false, loopback: true)]).state.kind == .none)
        #expect(RoutingTable(links: [loopback]).state.kind == .loopback)
        #expect(RoutingTable(links: [loopback, ethernet]).state.kind == .other)
    }

    @Test(arguments: [
        ("eth0", ARPHRD_ETHER, nil, NetworkState.Kind.ethernet), ("eth0", ARPHRD_ETHER, "veth", .ethernet),
        ("wlan0", ARPHRD_ETHER, nil, .wireless), ("wg0", ARPHRD_NONE, "wireguard", .tunnel),
        ("tun0", ARPHRD_NONE, "tun", .tunnel), ("tap0", ARPHRD_ETHER, "tun", .tunnel),
        ("sit0", ARPHRD_SIT, nil, .tunnel), ("ppp0", ARPHRD_PPP, nil, .other), ("x", ARPHRD_ETHER, "vxlan", .tunnel),
    ])
    func `the kind is that of the default route's interface`(
        _ name: String, _ type: Int32, _ virtualKind: String?, _ kind: NetworkState.Kind
    ) {
        let table = RoutingTable(
            links: [Datagram.link(2, name, type: type, virtualKind: virtualKind)], routes: [Datagram.route(via: 2)])

        #expect(table.state.kind == kind)
    }

    @Test func `of several default routes the one of the main table with the lowest metric counts`() {
        let links = [ethernet, Datagram.link(3, "wlan0"), Datagram.link(4, "wg0", virtualKind: "wireguard")]
        let table = RoutingTable(
            links: links,
            routes: [
                Datagram.route(via: 4, table: 51820), Datagram.route(via: 2, metric: 600),
                Datagram.route(via: 3, metric: 100), Datagram.route(via: 2, ipv6: true, metric: 1),
            ])

        #expect(table.state.interface == "wlan0")
    }

    @Test func `a route with several next hops is usable if one of their interfaces is up`() {
        let links = [Datagram.link(2, "eth0", up: false), Datagram.link(3, "eth1")]

        let one = RoutingTable(links: links, routes: [Datagram.route(via: nil, hops: [2, 3])])
        let none = RoutingTable(links: links, routes: [Datagram.route(via: nil, hops: [2])])

        #expect(one.state.interface == "eth1")
        #expect(!none.state.isReachable)
    }

    @Test func `a route whose interfaces are not named is usable`() {
        let table = RoutingTable(links: [loopback], routes: [Datagram.route(via: nil)])

        #expect(table.state == NetworkState(hasIPv4: true, hasIPv6: false, kind: .other))
    }
}
