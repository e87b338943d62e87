import PlugboardEndpoints
import TestSupport
import Testing

/// Calls are found, suspended, resumed and cancelled by their labels.
@Suite(.timeLimit(.minutes(2))) struct CallControlTests {
    /// Calls named a to d that are held: identifiers, groups g and h, tags t and u, categories k and l.
    private func calls(_ responder: Responder) async -> [Call<String>] {
        let labels = [("a", "g", "t", "k"), ("b", "g", "u", "k"), ("c", "h", "t", "l"), ("d", "h", "u", "l")]
        let calls = labels.map { name, group, tag, category in
            responder.hold(name)
            var item = Item(name)
            (item.identifier, item.group, item.tag, item.category) = (name, group, tag, category)
            return responder.client.call(item)
        }
        await responder.hasBegun(4)
        return calls
    }

    @Test(arguments: [
        ("identifier", CallSelection.identifier("b"), ["b"]), ("group", .group("g"), ["a", "b"]),
        ("tag", .tag("t"), ["a", "c"]), ("category", .category("l"), ["c", "d"]),
        ("all", .all, ["a", "b", "c", "d"]), ("nothing", .tag("x"), []),
        ("both", .group("g") && .tag("u"), ["b"]), ("one of both", .identifier("a") || .identifier("d"), ["a", "d"]),
        ("others", !.group("g"), ["c", "d"]),
    ])
    func `calls are found and cancelled by their labels`(
        _ name: String, _ selection: CallSelection, _ expected: [String]
    ) async throws {
        let responder = try Responder()
        let calls = await calls(responder)

        let found = responder.client.calls.find(selection).compactMap(\.identifier)
        let count = responder.client.calls.cancel(selection)

        #expect(found == expected && count == expected.count)
        #expect(calls.filter { $0.state == .cancelled }.compactMap(\.identifier) == expected)
        #expect(
            responder.client.calls.all.compactMap(\.identifier)
                == ["a", "b", "c", "d"].filter { !expected.contains($0) })
        responder.client.calls.cancel(.all)
    }

    @Test func `a group is suspended and resumed`() async throws {
        let responder = try Responder()
        let calls = await calls(responder)

        let suspended = responder.client.calls.suspend(.group("g"))
        let states = calls.map(\.state)
        let resumed = responder.client.calls.resume(.all)
        let later = calls.map(\.state)

        #expect(suspended == 2 && resumed == 4)
        #expect(states == [.suspended, .suspended, .running, .running])
        #expect(later == [.running, .running, .running, .running])
        responder.client.calls.cancel(.all)
    }

    @Test func `after the running ones have ended, those that waited are cancelled and new ones start again`()
        async throws
    {
        let responder = try Responder()
        let gate = responder.hold("a")
        let client = responder.client
        let running = client.call(Item("a"))
        let waiting = client.call(Item("b"), isStarted: false)
        let batch = client.batchCall([Item("c"), Item("d")], options: BatchOptions(limit: 1))
        await responder.hasBegun(2)

        async let end: Void = client.calls.finish()
        while waiting.state != .cancelled { await Task.yield() }
        // A call under way goes on when its value is asked for.
        async let value = running.value
        let late = client.call(Item("late"))
        gate.open()
        await end
        #expect(try await value == "a")
        let after = try await client.call(Item("after")).value

        #expect(running.state == .succeeded && batch.state == .succeeded)
        #expect(late.state == .cancelled && after == "after")
        #expect(!responder.began.contains("b") && !responder.began.contains("late"))
        #expect(client.calls.count == 0)
    }

    @Test func `finishing without calls returns at once`() async throws {
        let responder = try Responder()

        await responder.client.calls.finish()

        #expect(try await responder.client.call(Item("a")).value == "a")
    }
}
