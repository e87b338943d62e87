import PlugboardEndpoints
import PlugboardMessages
import PlugboardTesting
import TestSupport
import Testing

/// What calls call, in which order, and that they release it.
@Suite struct CallTests {
    typealias Outcome = ScriptedTransport.Outcome
    static var topics: Outcome { .respond(200, body: .text(#"[{"id": 7, "title": "Macros"}]"#)) }

    func client(
        _ outcome: @autoclosure @escaping @Sendable () -> Outcome = CallTests.topics, after gate: Gate? = nil,
        _ change: (inout ClientSettings) -> Void = { _ in }
    ) throws -> Client {
        var settings = ClientSettings(base: "https://api.example.com/")
        change(&settings)
        return Client(
            kernel: try Kernel(
                transport: ScriptedTransport { _, _ in
                    try? await gate?.opened()
                    return outcome()
                }), settings: settings)
    }

    /// Attaches callbacks of all kinds, in an order that is not that of the calls.
    @discardableResult
    func watch<Value>(_ call: Call<Value>, _ order: Record, _ name: String = "") -> Call<Value> {
        call.onFinished { order.add("\(name)finished \($0)") }
            .onCompletion { result in order.add("\(name)completion \((try? result.get()) != nil)") }
            .onSuccess { _ in order.add("\(name)success") }
            .onFailure { order.add("\(name)failure \($0.code)") }
    }

    private final class Delegate: CallDelegate {
        let order: Record
        init(_ order: Record) { self.order = order }
        func call(_ call: any AnyCall, didSucceed value: any Sendable) {
            order.add("delegate success \(value is [Topic]) \(call.state)")
        }
        func call(_ call: any AnyCall, didFail error: PlugboardError) {
            order.add("delegate failure \(error.code)")
        }
        func callDidFinish(_ call: any AnyCall) { order.add("delegate finished") }
    }

    // MARK: Ends

    @Test func `a success calls success, completion, finished, then its delegate, each once`() async throws {
        let (order, gate) = (Record(), Gate())
        let delegate = Delegate(order)
        let client = try client(after: gate)

        let call = watch(client.call(TopicList(board: "swift"), labels: CallLabels(tag: "feed")), order)
            .delegate(delegate)
        watch(call, order, "2 ")
        let underWay = client.calls.all.map(\.tag)
        gate.open()
        let topics = try await call.value

        #expect(underWay == ["feed"])
        #expect(topics == [Topic(id: 7, title: "Macros")])
        #expect(
            order.lines == [
                "success", "2 success", "completion true", "2 completion true", "delegate success true succeeded",
                "finished succeeded", "2 finished succeeded", "delegate finished",
            ])
        #expect(client.calls.count == 0)
        #expect(call.state == .succeeded)
        #expect(call.error == nil)
    }

    @Test func `a failure calls failure, completion, finished`() async throws {
        let (order, gate) = (Record(), Gate())
        let delegate = Delegate(order)
        let client = try client(.respond(500), after: gate)

        let call = watch(client.call(TopicList(board: "swift")).delegate(delegate), order)
        gate.open()
        let error = await #expect(throws: PlugboardError.self) { try await call.value }

        #expect(error?.code == .responseStatus)
        #expect(
            order.lines == [
                "failure response.status", "completion false", "delegate failure response.status", "finished failed",
                "delegate finished",
            ])
        #expect(call.state == .failed)
        #expect(call.error == error)
    }

    @Test func `a cancellation calls neither success nor failure, but finished, and shows in the state`() async throws {
        let (order, gate) = (Record(), Gate())
        let delegate = Delegate(order)
        let client = try client(after: gate)
        let call = watch(client.call(TopicList(board: "swift")).delegate(delegate), order)

        call.cancel()
        let lines = order.lines
        gate.open()
        let error = await #expect(throws: PlugboardError.self) { try await call.value }
        call.cancel()

        #expect(lines == ["finished cancelled", "delegate finished"])
        #expect(order.lines == lines)
        #expect(error?.code == .cancelled)
        #expect(call.state == .cancelled)
        #expect(client.calls.all.isEmpty)
    }

    @Test func `a call that is cancelled while it is sent cancels its exchange`() async throws {
        let transport = ScriptedTransport { _, _ in .silence }
        let kernel = try Kernel(transport: transport)
        let call = Client(kernel: kernel, settings: ClientSettings(base: "https://a.test")).call(TopicList(board: "a"))
        _ = await transport.requests(atLeast: 1)

        call.cancel()

        await kernel.shutDown(within: .seconds(60))
        #expect(call.state == .cancelled)
    }

    @Test func `an ignored response calls nothing`() async throws {
        let (order, gate) = (Record(), Gate())
        let delegate = Delegate(order)
        let client = try client(after: gate) { $0.judge = { _ in .ignore } }

        let call = watch(client.call(TopicList(board: "swift")).delegate(delegate), order)
        gate.open()
        await call.ended()

        #expect(order.lines == [])
        #expect(call.state == .ignored)
        #expect(call.error?.code == .ignored)
        #expect(client.calls.count == 0)
    }

    @Test func `a request that a plugin keeps for later calls finished only`() async throws {
        let (order, gate) = (Record(), Gate())
        let client = try client(.fail(PlugboardError(.queued, "Kept.")), after: gate)

        let call = watch(client.call(TopicList(board: "swift")), order)
        gate.open()
        await call.ended()

        #expect(order.lines == ["finished queued"])
        #expect(call.state == .queued)
    }

    @Test func `an error handler that stops a failure leaves finished only`() async throws {
        let (order, gate) = (Record(), Gate())
        let delegate = Delegate(order)
        let client = try client(.respond(500), after: gate) { settings in
            settings.errorHandler = { error, _ in
                order.add("handler \(error.code)")
                return nil
            }
        }

        let call = watch(client.call(TopicList(board: "swift")).delegate(delegate), order)
        gate.open()
        await call.ended()

        #expect(order.lines == ["handler response.status", "finished failed", "delegate finished"])
        #expect(call.state == .failed)
        #expect(call.error?.code == .responseStatus)
    }

    // MARK: After the end

    @Test func `callbacks and delegates that are attached after the end are called, in the order of attaching`()
        async throws
    {
        let order = Record()
        let delegate = Delegate(order)
        let succeeded = try client().call(TopicList(board: "swift"))
        let failed = try client(.respond(500)).call(TopicList(board: "swift"))
        let cancelled = try client(.silence).call(TopicList(board: "swift"))
        cancelled.cancel()
        for call in [succeeded, failed, cancelled] { await call.ended() }

        watch(succeeded, order).delegate(delegate)
        watch(failed, order).delegate(delegate)
        watch(cancelled, order).delegate(delegate)

        #expect(
            order.lines == [
                "finished succeeded", "completion true", "success", "delegate success true succeeded",
                "delegate finished", "finished failed", "completion false", "failure response.status",
                "delegate failure response.status", "delegate finished", "finished cancelled", "delegate finished",
            ])
    }

    @Test func `a callback may attach another and cancel its call`() async throws {
        let (order, gate) = (Record(), Gate())
        let call = try client(after: gate).call(TopicList(board: "swift"))
        call.onSuccess { [weak call] _ in
            order.add("outer")
            call?.onSuccess { _ in order.add("inner") }
            call?.cancel()
            order.add("outer ends")
        }.onFinished { order.add("finished \($0)") }

        gate.open()
        _ = try await call.value

        #expect(order.lines == ["outer", "outer ends", "finished succeeded", "inner"])
        #expect(call.state == .succeeded)
    }

    // MARK: Release

    private final class Screen: CallDelegate {}

    @Test(arguments: ["success", "failure", "cancelled", "ignored"])
    func `all that the callbacks hold is released at the end, whether it was called or not`(how: String) async throws {
        let gate = Gate()
        let isFailure = how == "failure"
        let client = try client(isFailure ? .respond(500) : CallTests.topics, after: gate) { settings in
            if how == "ignored" { settings.judge = { _ in .ignore } }
        }
        var screen: Screen? = Screen()
        weak let held = screen
        let call = client.call(TopicList(board: "swift"))
        if let screen {
            call.onSuccess { _ in withExtendedLifetime(screen) {} }
                .onFailure { _ in withExtendedLifetime(screen) {} }
                .onCompletion { _ in withExtendedLifetime(screen) {} }
                .onFinished { _ in withExtendedLifetime(screen) {} }
                .onProgress { _ in withExtendedLifetime(screen) {} }
        }
        screen = nil
        let isHeld = held != nil

        if how == "cancelled" { call.cancel() }
        gate.open()
        await call.ended()

        #expect(isHeld)
        #expect(held == nil)
    }

    @Test func `a delegate is held weakly, and a call is released after its end`() async throws {
        let gate = Gate()
        let client = try client(after: gate)
        var screen: Screen? = Screen()
        weak let heldScreen = screen
        var call: Call<[Topic]>? = client.call(TopicList(board: "swift")).delegate(screen)
        weak let heldCall = call
        let id = try #require(call?.id)

        screen = nil
        #expect(heldScreen == nil)
        call = nil
        #expect(heldCall != nil)
        let found = try #require(client.calls[id])
        gate.open()
        await found.ended()

        #expect(client.calls[id] == nil)
    }
}
