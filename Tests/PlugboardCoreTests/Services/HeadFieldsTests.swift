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

    @Test(arguments: [1, 24, 30])
    func `a head has only fields that are equal to its own, and only its own URL`(count: Int) async throws {
        let record = Record()
        let reader = ScriptedPlugin("reader")
        reader.onRequest = { exchange in
            let head = exchange.request
            var fields = head.fields
            record.add("\(head.hasFields(fields)) \(head.hasURL(anywhere)) \(head.hasURL(anywhere + "/"))")
            fields["X-Last"] = "x"
            let isChanged = head.hasFields(fields)
            fields["X-Last"] = nil
            let isShort = head.hasFields(fields)
            head.markSecret("X-Last")
            record.add("\(isChanged) \(isShort) \(head.hasFields(Fields()))")
            var open = Fields()
            for field in head.fields { open.append(FieldName(field.name), field.value) }
            record.add("\(head.hasFields(head.fields)) \(head.hasFields(open))")
            return .next
        }
        let kernel = try makeKernel([reader], MockTransport())
        var request = Request(.get, anywhere)
        for number in 1..<count { request.fields.append("X-Field", "value \(number)") }
        request.fields.append("X-Last", "y")

        _ = try await kernel.send(request)

        #expect(record.lines == ["true true false", "false false false", "true false"])
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
