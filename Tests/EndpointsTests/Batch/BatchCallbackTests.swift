import PlugboardEndpoints
import Synchronization
import TestSupport
import Testing

/// Batches that call back, and their progress.
@Suite(.timeLimit(.minutes(2))) struct BatchCallbackTests {
    @Test func `a batch by callbacks ends with one verdict, and is found by its labels`() async throws {
        let responder = try Responder()
        let order = Record()
        let gate = responder.hold("a")

        let call = responder.client.batchCall([Item("a"), Item("b")], labels: CallLabels(tag: "start"))
            .onSuccess { order.add("success \($0)") }
            .onFailure { _ in order.add("failure") }
            .onFinished { order.add("finished \($0)") }
        let found = responder.client.calls.find(.tag("start")).map(\.id)
        gate.open()
        await call.ended()
        while order.lines.count < 2 { await Task.yield() }

        #expect(found == [call.id])
        #expect(order.lines == [#"success ["a", "b"]"#, "finished succeeded"])
    }

    @Test func `a cancelled batch calls neither success nor failure`() async throws {
        let responder = try Responder()
        responder.hold("a")
        let order = Record()
        let call = responder.client.batchCall([Item("a"), Item("b")])
            .onSuccess { _ in order.add("success") }
            .onFailure { _ in order.add("failure") }
            .onFinished { order.add("finished \($0)") }
        await responder.hasBegun(2)

        call.cancel()

        #expect(order.lines == ["finished cancelled"])
        while responder.client.calls.count > 0 { await Task.yield() }
    }

    @Test func `a request that is ignored ends the batch without a callback`() async throws {
        let responder = try Responder { settings in
            settings.judge = { outcome in outcome.response?.bytes.text == "b" ? .ignore : outcome.verdict }
        }
        let order = Record()

        let call = responder.client.batchCall([Item("a"), Item("b")])
            .onCompletion { _ in order.add("completion") }
            .onFinished { _ in order.add("finished") }
        await call.ended()

        #expect(call.state == .ignored && order.lines == [])
    }

    @Test func `a suspended batch begins nothing and goes on when it is resumed`() async throws {
        let responder = try Responder()
        let gate = responder.hold("a")
        let call = responder.client.batchCall(["a", "b", "c"].map { Item($0) }, options: BatchOptions(limit: 1))
        await responder.hasBegun(1)

        call.suspend()
        responder.client.calls.find(.matching { $0.state == .suspended }).first { $0.id != call.id }?.resume()
        gate.open()
        while responder.client.calls.find(.state(.waiting)).count + responder.client.calls.count > 5 {
            await Task.yield()
        }
        let state = call.state
        call.resume()

        #expect(state == .suspended)
        #expect(try await call.value == ["a", "b", "c"])
        #expect(responder.began == ["a", "b", "c"])
    }

    @Test func `the progress counts each request once, and all bytes`() async throws {
        let server = try LoopbackServer(
            .responding { request in
                let isFailure = request.path == "/fail"
                return ServerResponse(status: isFailure ? 500 : 200, body: isFailure ? [] : Array(request.path.utf8))
            })
        let client = Client(kernel: try Kernel(), settings: ClientSettings(base: server.url()))
        let steps = Mutex<[BatchProgress]>([])
        let items = ["a", "bb", "fail", "dddd"].map { Item($0) }

        let call = client.batchResultsCall(
            items,
            options: BatchOptions(cancelsAtFailure: false, onProgress: { step in steps.withLock { $0.append(step) } }))
        let results = try await call.value

        let all = steps.withLock { $0 }
        #expect(results.count == 4)
        #expect(all.map(\.ended) == all.map(\.ended).sorted())
        #expect(all.last?.ended == 4 && all.last?.failed == 1 && all.last?.count == 4)
        #expect(all.last?.bytes == TransferProgress(sent: 0, toSend: 0, received: 10, toReceive: 10))
        #expect(call.currentProgress == all.last?.bytes)
    }

    @Test func `closures are released when the batch has ended`() async throws {
        let responder = try Responder()
        weak var released: Held?
        do {
            let held = Held()
            released = held
            let call = responder.client.batchCall(
                [Item("a")], options: BatchOptions(onProgress: { _ in held.use() }))
            call.onSuccess { _ in held.use() }.onFailure { _ in held.use() }
            await call.ended()
        }

        while released != nil { await Task.yield() }
        #expect(released == nil)
    }

    @Test(arguments: 0..<60)
    func `a batch that is cancelled at any moment leaves nothing behind`(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let responder = try Responder()
        let names = (0..<12).map { "\(Int.random(in: 0..<8, using: &random) == 0 ? "fail" : "item")\($0)" }
        for name in names where Bool.random(using: &random) {
            responder.hold(name).admit(Int.random(in: 0...1, using: &random))
        }
        let ends = Mutex<[String]>([])
        let options = BatchOptions(
            cancelsAtFailure: Bool.random(using: &random), limit: [nil, 1, 4].randomElement(using: &random) ?? nil)
        let moment = Int.random(in: 0...40, using: &random)

        let call = responder.client.batchCall(names.map { Item($0) }, options: options)
            .onCompletion { _ in ends.withLock { $0.append("completion") } }
            .onFinished { _ in ends.withLock { $0.append("finished") } }
        for _ in 0..<moment { await Task.yield() }
        call.cancel()
        await call.ended()

        while responder.client.calls.count > 0 { await Task.yield() }
        let seen = ends.withLock { $0 }
        #expect(seen == (call.state == .cancelled ? ["finished"] : ["completion", "finished"]))
        await responder.client.kernel.shutDown(within: .zero)
    }
}
