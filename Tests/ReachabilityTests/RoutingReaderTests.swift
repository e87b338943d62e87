import CPlugboardNetlink
import TestSupport
import Testing

@testable import PlugboardReachability

/// What is asked of the system, and what its datagrams mean, also those that no system sends.
@Suite struct RoutingReaderTests {
    private func reply(_ type: Int, _ payloads: [[UInt8]], to step: RoutingReader.Step, flags: Int32 = 0) -> Datagram {
        var datagram = Datagram()
        guard case .request(_, let sequence) = step else { return datagram }
        for payload in payloads {
            datagram.add(type, payload, port: Datagram.port, sequence: sequence, flags: flags | NLM_F_MULTI)
        }
        return datagram
    }

    private func done(_ step: RoutingReader.Step) -> Datagram { reply(Int(NLMSG_DONE), [[0, 0, 0, 0]], to: step) }

    /// A reader that has read one Ethernet interface with a default route.
    private func ready() -> RoutingReader {
        var reader = RoutingReader(port: Datagram.port)
        let links = reader.begin()
        _ = reply(Int(RTM_NEWLINK), [Datagram.link(2, "eth0")], to: links).read { reader.read($0) }
        let routes = done(links).read { reader.read($0) }
        _ = reply(Int(RTM_NEWROUTE), [Datagram.route(via: 2)], to: routes).read { reader.read($0) }
        _ = done(routes).read { reader.read($0) }
        return reader
    }

    private func isOutdated(_ type: Int, _ payload: [UInt8]) -> Bool {
        var reader = ready()
        var datagram = Datagram()
        datagram.add(type, payload, port: 99)
        _ = datagram.read { reader.read($0) }
        return reader.isOutdated
    }

    @Test func `a dump asks for interfaces, then for routes, and is complete with their end`() {
        var reader = RoutingReader(port: Datagram.port)

        let links = reader.begin()
        _ = reply(Int(RTM_NEWLINK), [Datagram.link(2, "eth0")], to: links).read { reader.read($0) }
        let before = reader.table.state
        let routes = done(links).read { reader.read($0) }
        _ = reply(Int(RTM_NEWROUTE), [Datagram.route(via: 2)], to: routes).read { reader.read($0) }
        let end = done(routes).read { reader.read($0) }

        #expect(links == .request(type: UInt16(RTM_GETLINK), sequence: 1))
        #expect(routes == .request(type: UInt16(RTM_GETROUTE), sequence: 2))
        #expect(end == .complete && !reader.isReading && !reader.isOutdated)
        #expect(!before.isReachable && reader.table.state.interface == "eth0")
    }

    @Test func `changes that can change the state make the table outdated, and others do not`() {
        #expect(isOutdated(Int(RTM_NEWROUTE), Datagram.route(via: 3)))
        #expect(isOutdated(Int(RTM_DELROUTE), Datagram.route(via: 2)))
        #expect(isOutdated(Int(RTM_DELLINK), Datagram.link(2, "eth0")))
        #expect(isOutdated(Int(RTM_DELADDR), [UInt8](repeating: 0, count: 8)))
        #expect(isOutdated(Int(RTM_NEWLINK), Datagram.link(2, "eth0", up: false)))
        #expect(isOutdated(Int(RTM_NEWLINK), Datagram.link(3, "eth1")))

        #expect(!isOutdated(Int(RTM_NEWLINK), Datagram.link(2, "eth0")))
        #expect(!isOutdated(Int(RTM_NEWROUTE), Datagram.route(via: 2, length: 24)))
        #expect(!isOutdated(Int(RTM_NEWADDR), [UInt8](repeating: 0, count: 8)))
        #expect(!isOutdated(9999, []))
    }

    @Test func `replies to another program, and to a dump that was given up, are not read`() {
        var reader = RoutingReader(port: Datagram.port)
        let first = reader.begin()
        _ = reader.begin()

        let step = done(first).read { reader.read($0) }
        var other = Datagram()
        other.add(Int(NLMSG_DONE), [0, 0, 0, 0], port: 5, sequence: 2)
        let otherStep = other.read { reader.read($0) }

        #expect(step == .receive && otherStep == .receive && reader.isReading)
    }

    @Test func `lost datagrams and a table that changed while it was read make another dump necessary`() {
        var reader = ready()
        reader.lose()
        #expect(reader.isOutdated && !reader.isReading)

        let links = reader.begin()
        #expect(!reader.isOutdated)
        _ = reply(Int(RTM_NEWLINK), [Datagram.link(2, "eth0")], to: links, flags: NLM_F_DUMP_INTR)
            .read { reader.read($0) }
        #expect(reader.isOutdated && reader.isReading)
    }

    @Test func `a refused request ends the dump with the system's number`() {
        var reader = RoutingReader(port: Datagram.port)
        let links = reader.begin()

        let step = reply(Int(NLMSG_ERROR), [Datagram.raw(Int32(-EPERM))], to: links).read { reader.read($0) }

        #expect(step == .refused(EPERM) && !reader.isReading)
    }

    @Test func `lengths that are not possible end the datagram and make another dump necessary`() {
        for length in [0, 1, 15, 17, 400, UInt32.max] {
            var reader = ready()
            var datagram = Datagram()
            datagram.add(Int(RTM_NEWADDR), [0, 0, 0, 0])
            datagram.bytes.replaceSubrange(0..<4, with: Datagram.raw(length))

            _ = datagram.read { reader.read($0) }

            #expect(reader.isOutdated == (length != 17), "\(length)")
        }
    }

    @Test func `no datagram traps the process`() {
        var random = SeededRandom(seed: 20_261_122)
        for _ in 0..<20_000 {
            var datagram = Datagram()
            datagram.add(
                Int(RTM_NEWLINK), Datagram.link(2, "eth0", virtualKind: "veth"), port: Datagram.port, sequence: 1)
            datagram.add(Int(RTM_NEWROUTE), Datagram.route(via: 2, hops: [1, 2]), port: Datagram.port, sequence: 1)
            datagram.add(Int(NLMSG_ERROR), [], port: Datagram.port, sequence: 1)
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: 0..<datagram.bytes.count, using: &random)
                datagram.bytes[place] = UInt8.random(in: 0...255, using: &random)
            }
            datagram.bytes.removeLast(Int.random(in: 0..<datagram.bytes.count, using: &random))
            var reader = RoutingReader(port: Datagram.port)
            _ = reader.begin()

            _ = datagram.read { reader.read($0) }
            _ = reader.table.state
        }
    }

    @Test func `many interfaces and routes are read in linear time`() {
        expectLinearTime("interfaces", size: 2000) { count in
            (0..<count / 100).map { part in
                var datagram = Datagram()
                for index in 0..<100 {
                    datagram.add(
                        Int(RTM_NEWLINK), Datagram.link(Int32(part * 100 + index), "eth\(index)"), port: Datagram.port,
                        sequence: 1)
                }
                return datagram
            }
        } read: { datagrams in
            var reader = RoutingReader(port: Datagram.port)
            _ = reader.begin()
            for datagram in datagrams { _ = datagram.read { reader.read($0) } }
        }
    }
}
