import CPlugboard
import PlugboardBorder
import Synchronization

/// What C sees as the outcome of a sub-request.
///
/// Sendable because the response is under a lock, which a plugin may take on any loop, and the rest is touched on the
/// loop of the sub-request only.
final class SubResponseNode: OpaqueNode, @unchecked Sendable {
    let head: HeadNode?
    /// The number of attempts on the network.
    let attempts: Int
    private let response: Mutex<OutwardResponse?>
    private let error: PlugboardError?
    private lazy var scratch = Scratch()

    init(_ response: OutwardResponse, attempts: Int) {
        self.response = Mutex(response)
        self.attempts = attempts
        head = HeadNode(response.head)
        error = nil
    }

    init(_ error: PlugboardError, attempts: Int) {
        self.error = error
        self.attempts = attempts
        response = Mutex(nil)
        head = nil
    }

    deinit { response.withLock { $0 }?.body?.release() }

    var failure: (code: plug_text, reason: plug_text)? {
        error.map { (scratch.text($0.code.name), scratch.text($0.reason)) }
    }

    /// Returns the response, once, or the error.
    func take() -> Result<OutwardResponse, PlugboardError> {
        if let error { return .failure(error) }
        guard let response = response.withLock({ $0.take() }) else {
            return .failure(PlugboardError(.pluginFault, "The sub-response was passed on twice."))
        }
        return .success(response)
    }

    /// The response's body, once.
    func takeBody() -> BodyNode? {
        response.withLock { response in
            defer { response?.body = nil }
            return response?.body
        }
    }
}

/// A sub-request's outcome, on its way to the plugin that asked.
///
/// Sendable because it is used on the loop only; the header says that the plugin's context may go to any thread.
final class SubRequestOutcome: ExchangeOutcome, @unchecked Sendable {
    typealias Completion = @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void

    let sender: HostContext
    /// Its number in the kernel's registry of sub-requests without a response.
    let number: UInt64
    /// Set when it begins. [loop]
    weak var exchange: ExchangeCore?
    private let context: UnsafeMutableRawPointer?
    private let completed: Completion

    init(_ sender: HostContext, number: UInt64, context: UnsafeMutableRawPointer?, completed: @escaping Completion) {
        self.sender = sender
        self.number = number
        self.context = context
        self.completed = completed
    }

    func succeed(_ head: consuming ResponseHead, _ body: FlowingBody?, _ exchange: ExchangeCore) {
        let node = body.map { BodyNode(FlowingSource($0), home: exchange.home) }
        deliver(
            SubResponseNode(OutwardResponse(head: head, body: node), attempts: exchange.attempts.count))
    }

    func fail(_ error: PlugboardError, _ exchange: ExchangeCore) {
        deliver(SubResponseNode(error, attempts: exchange.attempts.count))
    }

    func fail(_ error: PlugboardError) { deliver(SubResponseNode(error, attempts: 0)) }

    /// `cancel_subrequest`: the plugin no longer wants it. [loop]
    func cancel() {
        exchange?.cancel(PlugboardError(.cancelled, "The plugin \(sender.id) cancelled its sub-request."))
    }

    private func deliver(_ node: SubResponseNode) {
        sender.core?.home(of: number).subRequests.remove(number)
        withExtendedLifetime(node) { sender.call(.completed) { completed(context, node.pointer) } }
    }
}
