import CPlugboard

/// Where a sub-request begins.
public enum SubRequestStart: Sendable {
    /// Just inside the plugin that sends it.
    case insideAsker
    /// At the first plugin of the pipeline.
    case outermost
}

extension Host {
    /// Sends a request of the plugin's own.
    ///
    /// Plugins in its ancestry are skipped. It is cancelled with the exchange it is for, unless it is detached. The body
    /// of the answer is read (`collect(upTo:)`), handed on with `.respond(with:)`, or dropped.
    public func send(
        _ request: Request, for exchange: UInt64?, from start: SubRequestStart = .insideAsker, isDetached: Bool = false
    ) async throws(PlugboardError) -> Answer {
        let result = await withUnsafeContinuation {
            (continuation: UnsafeContinuation<Result<Answer, PlugboardError>, Never>) in
            begin(request, exchange, (start == .outermost ? PLUG_OUTERMOST : 0) | (isDetached ? PLUG_DETACHED : 0)) {
                continuation.resume(returning: $0)
            }
        }
        return try result.get()
    }

    /// The same with a closure, which runs once, on the loop.
    public func send(
        _ request: Request, for exchange: UInt64?, from start: SubRequestStart = .insideAsker, isDetached: Bool = false,
        answered: @escaping @Sendable (Result<Answer, PlugboardError>) -> Void
    ) {
        begin(
            request, exchange, (start == .outermost ? PLUG_OUTERMOST : 0) | (isDetached ? PLUG_DETACHED : 0), answered)
    }

    private func begin(
        _ request: Request, _ exchange: UInt64?, _ flags: UInt32,
        _ answered: @escaping @Sendable (Result<Answer, PlugboardError>) -> Void
    ) {
        let waiting = Unmanaged.passRetained(Waiting(self, answered)).toOpaque()
        let body = request.body.map { ExportedSource.make($0.source, host: self) } ?? nil
        let timeout = request.options.timeout?.nanoseconds ?? 0
        var attributes = Fields()
        for (name, value) in request.attributes.values { attributes.append(FieldName(name), value) }
        let code = withText(request.method.name) { method in
            withText(request.url) { url in
                withCFields(request.fields) { fields, fieldCount in
                    withCFields(attributes) { attributes, attributeCount in
                        var table = plug_request_v1(
                            method: method, url: url, fields: fields, field_count: fieldCount, attributes: attributes,
                            attribute_count: attributeCount, body: body, timeout: timeout, flags: flags, reserved: 0)
                        return raw.pointee.send(raw, exchange ?? 0, &table, waiting) { context, answer in
                            guard let context, let answer else { return }
                            Unmanaged<Waiting>.fromOpaque(context).takeRetainedValue().receive(answer)
                        }
                    }
                }
            }
        }
        if code != PLUG_OK {
            let waiting = Unmanaged<Waiting>.fromOpaque(waiting).takeRetainedValue()
            waiting.answered(
                .failure(PlugboardError("plugin.subrequest", "The kernel refused the sub-request (code \(code)).")))
        }
    }

    private final class Waiting: Sendable {
        let host: Host
        let answered: @Sendable (Result<Answer, PlugboardError>) -> Void

        init(_ host: Host, _ answered: @escaping @Sendable (Result<Answer, PlugboardError>) -> Void) {
            self.host = host
            self.answered = answered
        }

        func receive(_ raw: OpaquePointer) {
            var code = plug_text()
            var reason = plug_text()
            if host.raw.pointee.answer_failure(raw, &code, &reason) == PLUG_OK {
                return answered(.failure(PlugboardError(.init(code.string), reason.string)))
            }
            answered(.success(Answer(raw, host: host)))
        }
    }
}

/// The answer to a sub-request: its head, and its body until somebody takes it.
///
/// Sendable because the head is copied at once, and the rest goes through the kernel.
public final class Answer: @unchecked Sendable {
    public let head: ResponseHead
    let raw: OpaquePointer
    let host: Host

    init(_ raw: OpaquePointer, host: Host) {
        self.raw = raw
        self.host = host
        host.raw.pointee.keep_answer(raw)
        if let pointer = host.raw.pointee.answer_head(raw) {
            let view = Head(raw: pointer, host: host.raw)
            head = ResponseHead(status: view.status, fields: view.fields)
        } else {
            head = ResponseHead(status: 0)
        }
    }

    /// Takes the body out, once, on the loop; nil where there is none. Not needed before `.respond(with:)`.
    public func takeBody() -> InnerBody? {
        host.raw.pointee.take_answer_body(raw).map { InnerBody($0, host: host.raw) }
    }

    deinit { host.raw.pointee.release_answer(raw) }
}
