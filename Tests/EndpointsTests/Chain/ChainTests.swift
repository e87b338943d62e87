import PlugboardEndpoints
import Synchronization
import TestSupport
import Testing

/// Requests that are made from the responses so far.
@Suite(.timeLimit(.minutes(2))) struct ChainTests {
    @Test func `each step is made from the values so far`() async throws {
        let responder = try Responder()

        let results = try await Chain(responder.client)
            .step("first") { _ in Item("one") }
            .step("second") { chain in
                Item(try chain.value("first", as: String.self) + "-two")
            }
            .step { chain in Length(path: (try chain.value(of: Item.self)) + "-three") }
            .results

        #expect(responder.began == ["one", "one-two", "one-two-three"])
        #expect(results.steps.map(\.name) == ["first", "second", "Length"])
        #expect(results.steps.map(\.index) == [0, 1, 2])
        #expect(results["first"] as? String == "one" && results.value(of: Length.self) == 13)
        #expect(!results.isStopped && results.count == 3)
        #expect(responder.client.calls.count == 0)
    }

    @Test func `a step without a request looks at the values so far, and its error is of any type`() async throws {
        struct Odd: Error {}
        let responder = try Responder()

        let results = try await Chain(responder.client)
            .step { _ in Item("one") }
            .perform { chain in if try chain.value(of: Item.self) == "one" { chain.stop() } }
            .step { _ in Item("never") }
            .results
        let error = await #expect(throws: PlugboardError.self) {
            try await Chain(responder.client).perform("odd") { _ in throw Odd() }.results
        }

        #expect(results.steps.map(\.name) == ["Item"] && results.isStopped && responder.began == ["one"])
        #expect(error?.code == .requestRefused && error?.underlying == "Odd()")
        #expect(error?.reason.contains("\"odd\"") == true)
    }

    @Test func `a printed chain says what it is, and where it is`() async throws {
        let responder = try Responder()
        let gate = responder.hold("one")
        let seen = Record()
        let chain = Chain(responder.client, labels: CallLabels(tag: "feed"))
            .step("first") { chain in
                seen.add("\(chain)")
                return Item("one")
            }
            .step("bad") { _ in Item("fail") }
            .step { _ in Item("never") }

        let waiting = "\(chain)"
        let call = chain.start()
        await responder.hasBegun(1)
        let running = "\(chain)"
        gate.open()
        await call.ended()

        #expect(waiting == "chain, tag feed, 3 steps: waiting")
        #expect(running == "chain \(call.id), tag feed, step 1 of 3: running")
        #expect("\(chain)" == "chain \(call.id), tag feed, 2 steps: failed at step \"bad\"")
        #expect(seen.lines == ["chain, step 1 of 3"])
    }

    @Test func `the first failure ends the chain and names the step`() async throws {
        let responder = try Responder()
        let chain = Chain(responder.client)
            .step("good") { _ in Item("a") }
            .step("bad") { _ in Item("fail") }
            .step("never") { _ in Item("c") }

        let error = await #expect(throws: PlugboardError.self) { try await chain.results }

        #expect(error?.code == .responseStatus)
        #expect(error?.reason.hasPrefix(#"The step "bad", number 2 of the chain, failed: "#) == true)
        #expect(chain.failedStep?.name == "bad" && chain.failedStep?.index == 1)
        #expect(responder.began == ["a", "fail"])
        #expect(responder.client.calls.count == 0)
    }

    @Test func `an error of a step's closure is its failure`() async throws {
        let responder = try Responder()
        let chain = Chain(responder.client)
            .step("good") { _ in Item("a") }
            .step("bad") { chain in Item("\(try chain.value("god", as: String.self))") }
        let typed = Chain(responder.client)
            .step("good") { _ in Item("a") }
            .step("bad") { chain in Item("\(try chain.value("good", as: Int.self))") }

        let unknown = await #expect(throws: PlugboardError.self) { try await chain.results }
        let mistyped = await #expect(throws: PlugboardError.self) { try await typed.results }

        #expect(unknown?.code == .requestParameter && mistyped?.code == .requestParameter)
        #expect(unknown?.reason.contains(#"Steps that have succeeded: "good""#) == true)
        #expect(mistyped?.reason.contains("is a String, not a Int") == true)
        #expect(chain.failedStep?.name == "bad" && responder.began == ["a", "a"])
    }

    @Test func `a step can stop the chain, and a step without an endpoint is skipped`() async throws {
        let responder = try Responder()

        let results = try await Chain(responder.client)
            .step("a") { _ in Item("a") }
            .step("skipped") { _ -> Item? in nil }
            .step("last") { chain in
                chain.stop()
                return Item("last")
            }
            .step("never") { _ in Item("never") }
            .results

        #expect(responder.began == ["a", "last"])
        #expect(results.isStopped && results.steps.map(\.name) == ["a", "last"])
        #expect(results.steps.map(\.index) == [0, 2])
    }

    @Test func `an observer of the steps can stop the chain and sees each step once`() async throws {
        let responder = try Responder()
        let seen = Record()

        let results = try await Chain(responder.client)
            .step("a") { _ in Item("a") }
            .step("b") { _ in Item("b") }
            .step("c") { _ in Item("c") }
            .onStep { chain, step in
                seen.add(step.name)
                if chain.results.value(of: Item.self) == "b" { chain.stop() }
            }
            .results

        #expect(seen.lines == ["a", "b"] && results.isStopped && responder.began == ["a", "b"])
    }

    @Test func `steps are added and inserted while the chain runs`() async throws {
        let responder = try Responder()
        let gate = responder.hold("a")
        let chain = Chain(responder.client)
            .step("a") { chain in
                chain.insert("b") { _ in Item("b") }
                chain.insert("c") { _ in Item("c") }
                chain.add("f") { _ in Item("f") }
                return Item("a")
            }
            .step("d") { _ in Item("d") }
        let call = chain.start()
        await responder.hasBegun(1)

        chain.step("g") { _ in Item("g") }
        gate.open()
        let results = try await call.value
        chain.step("late") { _ in Item("late") }

        #expect(results.steps.map(\.name) == ["a", "b", "c", "d", "f", "g"])
        #expect(try await chain.results.count == 6)
        #expect(responder.began == ["a", "b", "c", "d", "f", "g"])
    }

    @Test func `a chain by callbacks runs once and is found by its labels`() async throws {
        let responder = try Responder()
        let gate = responder.hold("a")
        let order = Record()
        let chain = Chain(responder.client, labels: CallLabels(group: "login")).step("a") { _ in Item("a") }
        let unstarted = responder.client.calls.count

        let call = chain.start()
            .onSuccess { order.add("success \($0.count)") }
            .onFailure { _ in order.add("failure") }
            .onFinished { order.add("finished \($0)") }
        let again = chain.start()
        let found = responder.client.calls.find(.group("login")).map(\.id)
        gate.open()
        await call.ended()
        while order.lines.count < 2 { await Task.yield() }

        #expect(unstarted == 0 && again === call && found == [call.id])
        #expect(order.lines == ["success 1", "finished succeeded"])
    }

    @Test func `a cancelled chain cancels its step and begins no other`() async throws {
        let responder = try Responder()
        responder.hold("a")
        let order = Record()
        let chain = Chain(responder.client).step("a") { _ in Item("a") }.step("b") { _ in Item("b") }
        let call = chain.start().onFailure { _ in order.add("failure") }.onFinished { order.add("finished \($0)") }
        await responder.hasBegun(1)

        chain.cancel()

        #expect(order.lines == ["finished cancelled"] && chain.failedStep == nil)
        await #expect { _ = try await call.value } throws: { ($0 as? PlugboardError)?.code == .cancelled }
        while responder.client.calls.count > 0 { await Task.yield() }
        #expect(responder.began == ["a"])
    }

    @Test func `a chain that is cancelled before it starts sends nothing`() async throws {
        let responder = try Responder()
        let chain = Chain(responder.client).step { _ in Item("a") }

        chain.cancel()

        await #expect { _ = try await chain.results } throws: { ($0 as? PlugboardError)?.code == .cancelled }
        #expect(responder.began == [] && responder.client.calls.count == 0)
    }

    @Test func `cancelling the task cancels the chain`() async throws {
        let responder = try Responder()
        responder.hold("a")
        let chain = Chain(responder.client).step { _ in Item("a") }.step { _ in Item("b") }
        let task = Task { try await chain.results }
        await responder.hasBegun(1)

        task.cancel()

        await #expect { _ = try await task.value } throws: { ($0 as? PlugboardError)?.code == .cancelled }
        while responder.client.calls.count > 0 { await Task.yield() }
        #expect(responder.began == ["a"])
    }

    @Test func `a suspended chain goes on when it is resumed`() async throws {
        let responder = try Responder()
        let entered = Gate()
        let chain = Chain(responder.client)
            .step { _ in
                entered.admit()
                return Item("a")
            }
            .step { _ in Item("b") }
        let call = responder.client.calls
        let running = chain.start()
        running.suspend()
        try await entered.opened()
        while call.count < 2 { await Task.yield() }

        let states = call.all.map(\.state)
        running.resume()

        #expect(states == [.suspended, .suspended])
        #expect(try await running.value.count == 2)
    }

    @Test func `closures are released when the chain has ended, also those that never ran`() async throws {
        let responder = try Responder()
        weak var released: Held?
        let chain = Chain(responder.client)
        do {
            let held = Held()
            released = held
            chain.step("fail") { _ in
                held.use()
                return Item("fail")
            }
            .step("never") { _ in
                held.use()
                return Item("never")
            }
            .onStep { _, _ in held.use() }
            await chain.start().onSuccess { _ in held.use() }.ended()
        }

        while released != nil { await Task.yield() }
        #expect(chain.failedStep?.name == "fail")
    }

    @Test(arguments: 0..<60)
    func `a chain that is cancelled at any moment leaves nothing behind`(_ seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let responder = try Responder()
        let chain = Chain(responder.client)
        for index in 0..<6 {
            let name = "\(Int.random(in: 0..<8, using: &random) == 0 ? "fail" : "item")\(index)"
            if Int.random(in: 0..<5, using: &random) == 0 { responder.hold(name) }
            chain.step { _ in Item(name) }
        }
        let ends = Mutex<[String]>([])
        let moment = Int.random(in: 0...60, using: &random)

        let call = chain.start()
            .onCompletion { _ in ends.withLock { $0.append("completion") } }
            .onFinished { _ in ends.withLock { $0.append("finished") } }
        for _ in 0..<moment { await Task.yield() }
        chain.cancel()
        await call.ended()

        while responder.client.calls.count > 0 { await Task.yield() }
        let seen = ends.withLock { $0 }
        #expect(seen == (call.state == .cancelled ? ["finished"] : ["completion", "finished"]))
        // A step may have failed just before the chain was cancelled.
        #expect(call.state == .cancelled || (chain.failedStep != nil) == (call.state == .failed))
        await responder.client.kernel.shutDown(within: .zero)
    }
}
