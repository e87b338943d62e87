import PlugboardEndpoints
import Synchronization
import TestSupport
import Testing

/// Independent requests with one verdict.
@Suite(.timeLimit(.minutes(2))) struct BatchTests {
    @Test func `values come in the order of the requests, whatever the order of the responses`() async throws {
        let responder = try Responder()
        let gate = responder.hold("a")
        async let values = responder.client.batch(["a", "b", "c"].map { Item($0) })
        await responder.hasBegun(3)

        gate.open()

        #expect(try await values == ["a", "b", "c"])
        #expect(responder.client.calls.count == 0)
    }

    @Test func `requests of different types give a tuple, and existentials an array`() async throws {
        let responder = try Responder()

        let (text, length) = try await responder.client.batch(Item("word"), Length(path: "seven77"))
        let values = try await responder.client.batch(mixed: [Item("x"), Length(path: "yy")])

        #expect(text == "word" && length == 7)
        #expect(values.first as? String == "x" && values.last as? Int == 2)
    }

    @Test func `a printed batch says what its calls are, and how far each is`() async throws {
        let responder = try Responder()
        let gate = responder.hold("b")
        let endpoints = [Item("a"), Item("lists/b"), Item("c?key=secret")]
        let batch = responder.client.batchCall(
            endpoints, options: BatchOptions(limit: 1), labels: CallLabels(tag: "feed"))
        await responder.hasBegun(2)
        func printed(_ text: String) -> String { text.replacing(/call \d+/, with: "call") }

        let running = printed("\(batch)")
        let first = responder.hold("b?n=0")
        let many = responder.client.batchCall((0..<14).map { Item("b?n=\($0)") }, options: BatchOptions(limit: 1))
        await responder.hasBegun(3)
        let cut = printed("\(many)")
        gate.open()
        first.open()
        await batch.ended()

        #expect(
            running
                == "call, tag feed, batch of 3 (call, GET http://a.test/a: succeeded; call, GET http://a.test/lists/b: "
                + "running; call, GET http://a.test/c?key=…: waiting): running")
        #expect(cut.hasPrefix("call, batch of 14 (call, GET http://a.test/b?n=…: running; call, GET"), "\(cut)")
        #expect(cut.hasSuffix(": waiting; 4 more): running"), "\(cut)")
        #expect(printed("\(batch)") == "call, tag feed: succeeded")
        many.cancel()
    }

    @Test func `a printed call has the URL that was sent, without its values, and one of a chain has its step`()
        async throws
    {
        let responder = try Responder { $0.parameters = ["id": "7", "key": "secret"] }
        let gate = responder.hold("7?key=secret")
        let call = responder.client.call(Item("lists/{id}"), isStarted: false)
        let waiting = "\(call)"

        call.start()
        await responder.hasBegun(1)
        let running = "\(call)"
        let chain = Chain(responder.client).step("a") { _ in Item("lists/{id}") }.start()
        await responder.hasBegun(2)
        let step = "\(chain)"
        gate.open()
        await call.ended()

        #expect(waiting == "call \(call.id), GET http://a.test/lists/{id}: waiting")
        #expect(running == "call \(call.id), GET http://a.test/lists/7?key=…: running")
        #expect("\(call)" == "call \(call.id), GET http://a.test/lists/7?key=…: succeeded")
        #expect(step == "call \(chain.id), chain, step 1 of 1: running")
    }

    @Test func `an empty batch succeeds`() async throws {
        let responder = try Responder()

        #expect(try await responder.client.batch([Item]()) == [])
        #expect(try await responder.client.batchResults([Item]()).isEmpty)
        try await responder.client.batch(of: [])
    }

    @Test func `the first failure cancels the rest, and its error names the request`() async throws {
        let responder = try Responder()
        responder.hold("a")
        responder.hold("c")
        let cancelled = Mutex(0)
        let rest = ["a", "c"].map { name in
            responder.client.call(Item(name), isStarted: false)
                .onFinished { state in if state == .cancelled { cancelled.withLock { $0 += 1 } } }
        }
        let failing = responder.client.call(Item("fail"), isStarted: false)

        let error = await #expect(throws: PlugboardError.self) {
            try await responder.client.batch(of: [rest[0], failing, rest[1]])
        }

        #expect(error?.code == .responseStatus)
        #expect(error?.reason.hasPrefix("Request 2 of 3 of the batch failed: ") == true)
        #expect(cancelled.withLock { $0 } == 2 && rest.allSatisfy { $0.state == .cancelled })
        #expect(responder.client.calls.count == 0)
    }

    @Test func `a failure leaves the rest alone where the batch says so`() async throws {
        let responder = try Responder()

        let results = try await responder.client.batchResults(["a", "fail", "c"].map { Item($0) })
        let error = await #expect(throws: PlugboardError.self) {
            try await responder.client.batch(
                ["d", "fail", "e"].map { Item($0) }, options: BatchOptions(cancelsAtFailure: false))
        }

        #expect(results.map { try? $0.get() } == ["a", nil, "c"])
        #expect(error?.reason.hasPrefix("Request 2 of 3") == true)
        #expect(Set(responder.began).isSuperset(of: ["d", "e"]))
    }

    @Test func `results tell which requests were cancelled because of the failure`() async throws {
        let responder = try Responder()
        responder.hold("a")

        let results = try await responder.client.batchResults(
            [Item("a"), Item("fail")], options: BatchOptions(cancelsAtFailure: true))

        var codes: [PlugboardError.Code?] = []
        for result in results { if case .failure(let error) = result { codes.append(error.code) } }
        #expect(codes == [.cancelled, .responseStatus])
    }

    @Test func `no more requests are under way than the limit allows`() async throws {
        let responder = try Responder()
        let names = (0..<20).map { "item\($0)" }

        let values = try await responder.client.batch(names.map { Item($0) }, options: BatchOptions(limit: 3))

        #expect(values == names)
        #expect(responder.most <= 3)
    }

    @Test func `requests begin by their priority, equals in their order`() async throws {
        let responder = try Responder()
        let items = [("a", CallPriority.low), ("b", .normal), ("c", .high), ("d", .high), ("e", .normal)].map {
            var item = Item($0)
            item.priority = $1
            return item
        }

        let values = try await responder.client.batch(items, options: BatchOptions(limit: 1))

        #expect(responder.began == ["c", "d", "b", "e", "a"])
        #expect(values == ["a", "b", "c", "d", "e"])
    }

    @Test func `a host that is slow does not delay the others`() async throws {
        let responder = try Responder()
        let gate = responder.hold("a1")
        let items = ["a1", "a2", "b1", "b2", "c1"].map { name in
            var item = Item(name)
            item.base = "http://\(name.prefix(1)).test/"
            return item
        }
        async let values = responder.client.batch(items, options: BatchOptions(limit: 2, limitPerHost: 1))

        await responder.hasBegun(4)
        let before = responder.began
        gate.open()

        #expect(Set(before) == ["a1", "b1", "b2", "c1"])
        #expect(try await values == ["a1", "a2", "b1", "b2", "c1"])
        #expect(responder.most <= 2)
    }

    @Test func `cancelling the task cancels all requests, and begins no more`() async throws {
        let responder = try Responder()
        for name in ["a", "b"] { responder.hold(name) }
        let client = responder.client
        let task = Task {
            try await client.batch(["a", "b", "c", "d"].map { Item($0) }, options: BatchOptions(limit: 2))
        }
        await responder.hasBegun(2)

        task.cancel()
        let result = await task.result

        #expect { try result.get() } throws: { ($0 as? PlugboardError)?.code == .cancelled }
        while client.calls.count > 0 { await Task.yield() }
        #expect(responder.began.sorted() == ["a", "b"])
    }
}
