import CPlugboard
import Foundation
import Plugboard
import PlugboardEventLoop
import PlugboardKit
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCore
@testable import PlugboardKit

/// What every plugin gets from its host: clocks and randomness.
struct HostTests {
    private func host() throws -> (Kernel, PluginHost) {
        let plugin = ScriptedPlugin("box")
        let kernel = try makeKernel([plugin])
        return (kernel, try #require(plugin.host))
    }

    @Test func `random bytes are as many as were asked for, and others each time`() throws {
        let (kernel, host) = try host()
        defer { withExtendedLifetime(kernel) {} }

        let counts = [0, 1, 7, 32].map { host.random($0).count }
        let (first, second) = (host.random(32), host.random(32))
        let many = host.random(64 << 10)

        #expect(counts == [0, 1, 7, 32])
        #expect(first != second)
        #expect(Set(many).count == 256)
    }

    @Test(arguments: [0, 1, 7, 8, 9, 16, 17])
    func `memory is filled with eight bytes a draw, of the last one as many as are needed`(count: Int) {
        struct Numbered: RandomNumberGenerator {
            var draws: UInt64 = 0
            mutating func next() -> UInt64 {
                draws += 1
                return 0x0706_0504_0302_0100 + draws * 0x1010_1010_1010_1010
            }
        }
        var generator = Numbered()
        var memory = [UInt8](repeating: 0xFF, count: count + 1)

        memory.withUnsafeMutableBytes { generator.fill(UnsafeMutableRawBufferPointer(rebasing: $0[..<count])) }

        let expected = Array<UInt8>(0x10...0x17) + Array<UInt8>(0x20...0x27) + [0x30]
        #expect(memory == expected.prefix(count) + [0xFF])
        #expect(generator.draws == UInt64((count + 7) / 8))
    }

    @Test func `the wall clock is the system's`() throws {
        let (kernel, host) = try host()
        defer { withExtendedLifetime(kernel) {} }

        let before = Date().timeIntervalSince1970
        let wallClock = host.wallClock / .seconds(1)
        let after = Date().timeIntervalSince1970

        // A double holds the time of today to less than a microsecond.
        #expect(wallClock >= before - 0.001)
        #expect(wallClock <= after + 0.001)
    }

    @Test func `a manual clock has a clock on the wall, which goes along and can be set`() throws {
        let clock = ManualClock(wallClock: .seconds(1000))
        let plugin = ScriptedPlugin("box")
        let kernel = try makeKernel([plugin], clock: clock)
        defer { withExtendedLifetime(kernel) {} }
        let host = try #require(plugin.host)

        let first = (host.wallClock, host.now)
        clock.advance(by: .seconds(7))
        let second = (host.wallClock, host.now)
        clock.setWallClock(.seconds(10))
        let third = (host.wallClock, host.now)

        #expect(first.0 == .seconds(1000) && second.0 == .seconds(1007) && third.0 == .seconds(10))
        #expect(second.1 - first.1 == .seconds(7) && third.1 == second.1)
    }

    @Test func `now is, within a hook, the kernel's clock, which a test can move`() async throws {
        let clock = ManualClock()
        let moments = Mutex<[Duration]>([])
        let plugin = ScriptedPlugin("box")
        plugin.onRequest = { [unowned plugin] _ in
            if let now = plugin.host?.now { moments.withLock { $0.append(now) } }
            return .next
        }
        let kernel = try makeKernel([plugin], clock: clock)

        _ = try await kernel.send(Request(.get, anywhere))
        clock.advance(by: .seconds(7))
        _ = try await kernel.send(Request(.get, anywhere))

        let seen = moments.withLock { $0 }
        #expect(seen.count == 2)
        #expect((seen.last ?? .zero) - (seen.first ?? .zero) == .seconds(7))
    }

    @Test func `now never goes back`() throws {
        let (kernel, host) = try host()
        defer { withExtendedLifetime(kernel) {} }

        let moments = (0..<1000).map { _ in host.now }

        #expect(moments == moments.sorted())
        #expect(moments[0] > .zero)
    }

    @Test func `a body that is made without a host is released`() throws {
        let (kernel, host) = try host()
        defer { withExtendedLifetime(kernel) {} }
        let released = Gate()
        var source = plug_source_v1()
        source.context = Unmanaged.passRetained(released).toOpaque()
        source.release = { context in
            if let context { Unmanaged<Gate>.fromOpaque(context).takeRetainedValue().admit() }
        }

        let body = host.raw.pointee.body_of_source(nil, &source)

        #expect(body == nil)
        #expect(released.admitted == 1)
    }
}
