import CPlugboard
import PlugboardKit

/// What C sees as the outcome of a sub-request. Sendable because it is touched on the loop only, but for its reference count.
final class SubResponseNode: @unchecked Sendable {
    let head: HeadNode?
    private var answer: OutwardResponse?
    private let error: PlugboardError?
    private lazy var scratch = Scratch()

    init(_ answer: OutwardResponse) {
        self.answer = answer
        head = HeadNode(answer.head)
        error = nil
    }

    init(_ error: PlugboardError) {
        self.error = error
        head = nil
    }

    deinit { answer?.body?.release() }

    static func from(_ pointer: OpaquePointer) -> SubResponseNode {
        Unmanaged<SubResponseNode>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
    }

    var failure: (code: plug_text, reason: plug_text)? {
        error.map { (scratch.text($0.code.name), scratch.text($0.reason)) }
    }

    /// Head and body, once; or why there are none.
    func take() -> Result<OutwardResponse, PlugboardError> {
        if let error { return .failure(error) }
        guard let answer else {
            return .failure(PlugboardError(.pluginFault, "The sub-request's answer was handed on twice."))
        }
        self.answer = nil
        return .success(answer)
    }

    func takeBody() -> BodyNode? {
        defer { answer?.body = nil }
        return answer?.body
    }
}

/// A sub-request's outcome, on its way to the plugin that asked.
///
/// Sendable because it is used on the loop only; the context is the plugin's, which says so in the header.
final class SubRequestOutcome: ExchangeOutcome, @unchecked Sendable {
    typealias Completion = @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> Void

    let asker: HostContext
    /// Among the kernel's sub-requests without an answer.
    let number: UInt64
    /// Set when it begins. [loop]
    weak var exchange: ExchangeCore?
    private let context: UnsafeMutableRawPointer?
    private let answered: Completion

    init(_ asker: HostContext, number: UInt64, context: UnsafeMutableRawPointer?, answered: @escaping Completion) {
        self.asker = asker
        self.number = number
        self.context = context
        self.answered = answered
    }

    func succeed(_ answer: OutwardResponse, _ body: FlowingBody?, _ exchange: ExchangeCore) {
        tell(SubResponseNode(OutwardResponse(head: answer.head, body: body.map { BodyNode($0, core: exchange.core) })))
    }

    func fail(_ error: PlugboardError, _ exchange: ExchangeCore) { tell(SubResponseNode(error)) }

    func fail(_ error: PlugboardError) { tell(SubResponseNode(error)) }

    /// The plugin that asked wants it no more. [loop]
    func cancel() {
        exchange?.cancel(PlugboardError(.cancelled, "The plugin \(asker.id) cancelled its sub-request."))
    }

    private func tell(_ node: SubResponseNode) {
        asker.core?.subRequests.remove(number)
        withExtendedLifetime(node) {
            asker.calling(.answered) { answered(context, OpaquePointer(Unmanaged.passUnretained(node).toOpaque())) }
        }
    }
}
