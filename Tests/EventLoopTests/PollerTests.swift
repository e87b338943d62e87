import Glibc
import PlugboardMessages
import TestSupport
import Testing

@testable import PlugboardEventLoop

/// Sockets that wait for their next request.
@Suite struct PollerTests {
    /// Whether a connection that is idle is shut down when it receives bytes, while another one has no known socket.
    private func isClosed(whileNamelessIsLocal isLocal: Bool) async throws -> Bool {
        let loop = try EventLoop(name: "poller")
        defer { loop.stop() }
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let (own, peer) = (ends[0], ends[1])
        defer { for end in [own, peer] { close(end) } }
        let owner = Owner()

        await onLoop(loop) {
            loop.poller.adopt(own, isLocal: false, for: owner, at: 0)
            loop.poller.watch(own, .read, for: owner, user: 7)
            loop.poller.watch(own, [], for: owner)
            loop.poller.beginNameless(isLocal: isLocal)
            loop.poller.beginIdling(own, after: 7, at: "a.test:80", since: 0)
        }
        _ = send(peer, "x", 1, 0)
        await onLoop(loop) { loop.poller.checkNewlyIdle() }
        await onLoop(loop) { loop.poller.checkNewlyIdle() }
        var byte: UInt8 = 0
        let isClosed = recv(peer, &byte, 1, Int32(MSG_DONTWAIT)) == 0
        await onLoop(loop) {
            loop.poller.endNameless(isLocal: isLocal)
            loop.poller.forget(own, at: 0)
        }
        return isClosed
    }

    @Test(arguments: [(ENOSPC, "max_user_watches"), (EMFILE, "ulimit -n")])
    func `a loop that cannot begin names the limit that is to be raised`(cause: Int32, limit: String) {
        #expect(PlugboardError.noDescriptor(cause).reason.contains(limit))
    }

    @Test func `a TCP connection is watched while the socket of a request over a Unix socket is not known`()
        async throws
    {
        #expect(try await isClosed(whileNamelessIsLocal: true))
        #expect(try await !isClosed(whileNamelessIsLocal: false))
    }

    @Test func `watching for writing is suspended after 64 vain writes, then after each until something is written`()
        async throws
    {
        let loop = try EventLoop(name: "poller")
        defer { loop.stop() }
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let own = ends[0]
        defer { for end in ends { close(end) } }
        let owner = Owner()

        let counts = await onLoop(loop) {
            /// The number of vain writes until watching is suspended.
            func countVainWrites() -> Int {
                defer { loop.poller.resumeWriting(own) }
                return (1...200).first { _ in loop.poller.noteWrite(own, isVain: true) } ?? 0
            }
            loop.poller.adopt(own, isLocal: false, for: owner, at: 0)
            loop.poller.watch(own, [.read, .write], for: owner, user: 7)
            var counts = [countVainWrites(), countVainWrites()]
            _ = loop.poller.noteWrite(own, isVain: false)
            counts.append(countVainWrites())
            loop.poller.forget(own, at: 0)
            return counts
        }

        #expect(counts == [64, 1, 64])
    }

    @Test func `a connection whose response came before it was watched for is watched while it is idle`() async throws {
        let loop = try EventLoop(name: "poller")
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let own = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        // The system chooses both ports.
        let ports = withUnsafeMutableBytes(of: &address) { bytes -> [Int32] in
            let address = bytes.assumingMemoryBound(to: sockaddr.self).baseAddress
            func port(of socket: Int32) -> Int32 {
                getsockname(socket, address, &length) == 0
                    ? Int32(UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))) : 0
            }
            guard bind(listener, address, length) == 0, listen(listener, 1) == 0 else { return [] }
            let remote = port(of: listener)
            return connect(own, address, length) == 0 ? [remote, port(of: own)] : []
        }
        try #require(ports.count == 2)
        let peer = accept(listener, nil, nil)
        defer {
            loop.stop()
            for file in [listener, own, peer] { close(file) }
        }
        let key = try #require(
            ConnectionKey(remoteAddress: "127.0.0.1", remotePort: ports[0], localPort: ports[1]))
        let owner = Owner()

        await onLoop(loop) {
            loop.poller.adopt(own, isLocal: false, for: owner, at: 0)
            loop.poller.watch(own, .write, for: owner, user: 7)
            _ = loop.poller.socket(of: key, perhaps: own)
            loop.poller.watch(own, [], for: owner)
            loop.poller.beginIdling(own, after: 7, at: "a.test:80", since: 0)
        }
        _ = send(peer, "x", 1, 0)
        var end = pollfd(fd: peer, events: Int16(POLLIN), revents: 0)
        let isClosed = poll(&end, 1, 30_000) == 1

        #expect(isClosed)
        await onLoop(loop) { loop.poller.forget(own, at: 0) }
    }

    private func onLoop<Value: Sendable>(_ loop: EventLoop, _ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in loop.enqueue { continuation.resume(returning: body()) } }
    }

    /// Sendable because it has no state.
    private final class Owner: LoopParticipant, @unchecked Sendable {}
}
