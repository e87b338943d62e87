import Dispatch
import Glibc
import PlugboardEventLoop
import PlugboardMessages
import TestSupport
import Testing

@testable import PlugboardReachability

/// Interfaces and routes that come and go in a network namespace.
@Suite(
    .enabled(if: NetworkNamespace.isPossible, "This system makes no network namespaces, or has no program `ip`."),
    .timeLimit(.minutes(2)))
struct ReachabilityTests {
    private let namespace: NetworkNamespace

    init() throws { namespace = try NetworkNamespace() }

    private func addEthernet() throws {
        try namespace.ip("link add eth0 type veth peer name peer0")
        try namespace.ip("link set peer0 up")
        try namespace.ip("link set eth0 up")
        try namespace.ip("address add 192.0.2.2/24 dev eth0")
        try namespace.ip("route add default via 192.0.2.1")
    }

    @Test func `an empty namespace has no network, and a default route makes one`() throws {
        let empty = try namespace.run { try NetworkState.current() }
        try namespace.ip("link set lo up")
        let loopback = try namespace.run { try NetworkState.current() }
        try addEthernet()
        let ethernet = try namespace.run { try NetworkState.current() }

        #expect(empty == NetworkState(hasIPv4: false, hasIPv6: false, kind: .none))
        #expect(loopback == NetworkState(hasIPv4: false, hasIPv6: false, kind: .loopback))
        #expect(ethernet == NetworkState(hasIPv4: true, hasIPv6: false, kind: .ethernet, interface: "eth0"))
    }

    @Test func `a sequence brings the state at its begin and each one that differs`() async throws {
        let reachability = try namespace.run { try Reachability() }
        var changes = reachability.changes().makeAsyncIterator()
        let first = await changes.next()

        try addEthernet()
        let four = await changes.next { $0.hasIPv4 }
        try namespace.ip("address add 2001:db8::2/64 dev eth0 nodad")
        try namespace.ip("-6 route add default via 2001:db8::1 dev eth0")
        let both = await changes.next { $0.hasIPv6 }
        try namespace.ip("link set eth0 down")
        let down = await changes.next { !$0.isReachable }

        #expect(first?.kind == NetworkState.Kind.none)
        #expect(four == NetworkState(hasIPv4: true, hasIPv6: false, kind: .ethernet, interface: "eth0"))
        #expect(both == NetworkState(hasIPv4: true, hasIPv6: true, kind: .ethernet, interface: "eth0"))
        #expect(down == NetworkState(hasIPv4: false, hasIPv6: false, kind: .none))
        #expect(reachability.current == down)
    }

    @Test func `routes that the system removes without a word are noticed when the interface is up again`() async throws
    {
        try addEthernet()
        let reachability = try namespace.run { try Reachability() }
        var changes = reachability.changes().makeAsyncIterator()
        #expect(await changes.next()?.isReachable == true)

        try namespace.ip("link set eth0 down")
        #expect(await changes.next()?.isReachable == false)
        // The default route for IPv4 went with the interface.
        try namespace.ip("link set eth0 up")
        let up = await changes.next()

        #expect(up == NetworkState(hasIPv4: false, hasIPv6: false, kind: .other))
    }

    @Test func `removing the address of an interface, or the interface, ends the network`() async throws {
        try addEthernet()
        let reachability = try namespace.run { try Reachability() }
        var changes = reachability.changes().makeAsyncIterator()
        #expect(await changes.next()?.isReachable == true)

        try namespace.ip("address del 192.0.2.2/24 dev eth0")
        let withoutAddress = await changes.next { !$0.isReachable }
        try namespace.ip("address add 192.0.2.2/24 dev eth0")
        try namespace.ip("route add default via 192.0.2.1")
        let again = await changes.next { $0.isReachable }
        try namespace.ip("link del eth0")
        let withoutInterface = await changes.next { !$0.isReachable }

        #expect(withoutAddress?.kind == .other)
        #expect(again?.interface == "eth0")
        #expect(withoutInterface?.kind == NetworkState.Kind.none)
    }

    @Test func `a veth interface is Ethernet, and one without a carrier makes no network`() throws {
        try namespace.ip("link add veth0 type veth peer name veth1")
        try namespace.ip("link set veth1 up")
        try namespace.ip("link set veth0 up")
        try namespace.ip("route add default dev veth0")
        let veth = try namespace.run { try NetworkState.current() }

        try namespace.ip("link set veth1 down")
        let withoutCarrier = try namespace.run { try NetworkState.current() }

        #expect(veth == NetworkState(hasIPv4: true, hasIPv6: false, kind: .ethernet, interface: "veth0"))
        #expect(!withoutCarrier.isReachable)
    }

    @Test func `a burst of changes that leaves the state as it was tells nothing`() async throws {
        try addEthernet()
        let told = Locked<[NetworkState]>([])
        let calls = Gate()
        let loop = try EventLoop(name: "burst")
        defer { loop.stop() }
        let reachability = try namespace.run {
            try Reachability(loop: loop) { result in
                if case .success(let state) = result { told.withLock { $0.append(state) } }
                calls.admit()
            }
        }
        var changes = reachability.changes().makeAsyncIterator()
        _ = await changes.next()

        try batch(
            (1...300).flatMap { ["route add default via 192.0.2.1 metric \($0)", "route del default metric \($0)"] })
        try namespace.ip("route del default")
        let last = await changes.next()
        try await calls.opened(for: 2)

        #expect(last?.isReachable == false)
        #expect(told.withLock { $0.map(\.isReachable) } == [true, false])
    }

    @Test func `when notifications are lost, the table is read again`() async throws {
        try addEthernet()
        let loop = try EventLoop(name: "overrun")
        defer { loop.stop() }
        let reachability = try namespace.run { try Reachability(loop: loop) { _ in } }
        var changes = reachability.changes().makeAsyncIterator()
        _ = await changes.next()
        let (blocked, freed) = (Gate(), DispatchSemaphore(value: 0))

        loop.enqueue {
            blocked.admit()
            freed.wait()
        }
        try await blocked.opened()
        try batch(
            (1...4000).flatMap {
                ["route add 198.51.100.1/32 dev eth0 metric \($0)", "route del 198.51.100.1/32 metric \($0)"]
            })
        try namespace.ip("route del default")
        let lost = try sockets().reduce(0) { $0 + $1.lost }
        freed.signal()
        let last = await changes.next()

        #expect(lost > 0)
        #expect(last?.isReachable == false)
    }

    @Test func `the socket is closed when the last reference is dropped`() async throws {
        var reachability: Reachability? = try namespace.run { try Reachability() }
        var changes = reachability?.changes()
        reachability = nil
        var iterator = changes?.makeAsyncIterator()
        let first = await iterator?.next()
        let open = try sockets().count

        iterator = nil
        changes = nil
        while try !sockets().isEmpty { await Task.yield() }

        #expect(first != nil && open == 1)
    }

    @Test func `sequences end with the watch, and the state stays`() async throws {
        let loop = try EventLoop(name: "end")
        let reachability = try namespace.run { try Reachability(loop: loop) { _ in } }
        let changes = reachability.changes()

        loop.enqueue { reachability.end() }
        var count = 0
        for await _ in changes { count += 1 }
        var later = 0
        for await _ in reachability.changes() { later += 1 }
        loop.stop()

        #expect(count <= 1 && later == 1 && reachability.current.kind == NetworkState.Kind.none)
    }

    /// Runs many lines of `ip` in one process.
    private func batch(_ lines: [String]) throws {
        try namespace.run {
            let outcome = try ProcessRunner.run(
                ["ip", "-batch", "-"], input: Array(lines.joined(separator: "\n").utf8))
            #expect(outcome.status == 0, "\(outcome.stderr)")
        }
    }

    private func sockets() throws -> [NetlinkSocketLine] { try namespace.run { try NetlinkSocketLine.all() } }
}

extension AsyncStream<NetworkState>.Iterator {
    /// The next state for which this is true: a burst may be told in steps where the machine is slow.
    fileprivate mutating func next(where isWanted: (NetworkState) -> Bool) async -> NetworkState? {
        while let state = await next() { if isWanted(state) { return state } }
        return nil
    }
}
