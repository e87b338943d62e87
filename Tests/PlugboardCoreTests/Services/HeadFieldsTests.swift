import PlugboardCore
import PlugboardKit
import Synchronization
import TestSupport
import Testing

/// `Head.fields`, which reads all fields of a head at once.
struct HeadFieldsTests {
    @Test(arguments: [0, 1, 31, 32, 33, 64, 100])
    func `a copy of the fields has all of them, in order, and knows which are secret`(count: Int) async throws {
        let seen = Mutex<[Fields]>([])
        let reader = ScriptedPlugin("reader")
        reader.onRequest = { exchange in
            exchange.request.markSecret("x-key")
            seen.withLock { $0 = [exchange.request.fields] }
            return .next
        }
        let kernel = try makeKernel([reader], MockTransport())
        var request = Request(.get, anywhere)
        for number in 0..<count {
            let name: FieldName = [0: "x-key", 1: .cookie][number % 5] ?? "X-Field"
            request.fields.append(name, number % 4 == 0 ? "" : "value \(number)")
        }

        _ = try await kernel.send(request)

        let expected = request.fields.map { [$0.name, $0.value, "\($0.isSecret || $0.name == "x-key")"] }
        for fields in seen.withLock({ $0 }) {
            #expect(fields.map { [$0.name, $0.value, "\($0.isSecret)"] } == expected)
        }
        #expect(seen.withLock { $0.count } == 1)
    }

    @Test func `a copy of a response's fields has what a plugin further in has set`() async throws {
        let seen = Mutex<Fields?>(nil)
        let reader = ScriptedPlugin("reader", priority: 100)
        reader.onResponse = { exchange in
            let fields = exchange.response?.fields
            seen.withLock { $0 = fields }
            return .next
        }
        let writer = ScriptedPlugin("writer", priority: 200)
        writer.onResponse = { exchange in
            exchange.response?["x-inner"] = "set"
            return .next
        }
        let kernel = try makeKernel([reader, writer], MockTransport { _, _ in .respond(200, ["x-first": "1"]) })

        _ = try await kernel.send(Request(.get, anywhere))

        let fields = try #require(seen.withLock { $0 })
        #expect(fields.map(\.name) == ["x-first", "x-inner"] && fields.map(\.value) == ["1", "set"])
    }
}
