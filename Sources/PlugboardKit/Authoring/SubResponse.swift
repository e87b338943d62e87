import CPlugboard
import Synchronization

/// Where a sub-request begins.
public enum SubRequestStart: Sendable {
    /// It begins just inside the plugin that sends it.
    case insideSender
    /// It begins at the first plugin of the pipeline.
    case outermost
}

/// A sub-request under way.
public struct SubRequest: Sendable {
    let id: plug_subrequest_id
    let host: PluginHost

    /// Cancels the sub-request. Its closure still runs once, with the failure `cancelled` or with an earlier result.
    ///
    /// From any thread. Returns false if the closure has run or is running.
    @discardableResult
    public func cancel() -> Bool { host.raw.pointee.cancel_subrequest(host.raw, id) == PLUG_OK }
}

extension PluginHost {
    /// Sends a request of the plugin. Works from `start` on, from any task.
    ///
    /// It is cancelled with the task that waits for it, and with the exchange it is for, unless it is detached. The
    /// body of the response is read (`collect(upTo:)`), handed on with `.respond(with:)`, or dropped. Sub-requests nest
    /// four deep, and never wait for connection limits.
    ///
    /// From the exchange that it is sent for it takes the `options` that it does not set itself, but not their
    /// `timeout`, and to another origin neither client certificate nor pins. Its fields are secret where that
    /// exchange's request has a secret field of the same name. It takes no attributes, and continues while the exchange
    /// is suspended. The plugin that sends it and those that sent the exchange's own request do not take part; those
    /// further out only take part with `outermost`.
    public func send(
        _ request: Request, for exchange: UInt64?, from start: SubRequestStart = .insideSender, isDetached: Bool = false
    ) async throws(PlugboardError) -> SubResponse {
        let pending = PendingSend()
        let result = await withTaskCancellationHandler {
            await withUnsafeContinuation {
                (continuation: UnsafeContinuation<Result<SubResponse, PlugboardError>, Never>) in
                guard !pending.isCancelled else { return continuation.resume(returning: .failure(PendingSend.error)) }
                pending.begun(
                    send(request, for: exchange, from: start, isDetached: isDetached) {
                        continuation.resume(returning: $0)
                    })
            }
        } onCancel: {
            pending.cancel()
        }
        return try result.get()
    }

    /// Sends a request like the function above, and calls the closure once, on the loop. The `attempt` of an error is
    /// that of the last attempt on the network; nil if there was none.
    @discardableResult
    public func send(
        _ request: Request, for exchange: UInt64?, from start: SubRequestStart = .insideSender,
        isDetached: Bool = false,
        completed: @escaping @Sendable (Result<SubResponse, PlugboardError>) -> Void
    ) -> SubRequest {
        let waiting = Unmanaged.passRetained(Waiting(self, completed)).toOpaque()
        var id: plug_subrequest_id = 0
        let code = withTable(request) { table in
            table.flags =
                (start == .outermost ? PLUG_SUBREQUEST_OUTERMOST : 0) | (isDetached ? PLUG_SUBREQUEST_DETACHED : 0)
            return withUnsafeMutablePointer(to: &id) { id in
                table.id = id
                return raw.pointee.send_subrequest(raw, exchange ?? 0, &table, waiting) { context, subResponse in
                    guard let context, let subResponse else { return }
                    Unmanaged<Waiting>.fromOpaque(context).takeRetainedValue().receive(subResponse)
                }
            }
        }
        if code != PLUG_OK {
            let waiting = Unmanaged<Waiting>.fromOpaque(waiting).takeRetainedValue()
            waiting.completed(.failure(PluginHost.refusal(code)))
        }
        return SubRequest(id: id, host: self)
    }

    private static func refusal(_ code: plug_result) -> PlugboardError {
        switch code {
        case PLUG_STALE: PlugboardError(.shutDown, "The kernel has ended.")
        case PLUG_WRONG_TIME:
            PlugboardError(.pluginFault, "A plugin can send sub-requests from `start` on, not in `init`.")
        default: PlugboardError(.pluginSubrequest, "The kernel refused the sub-request (code \(code)).")
        }
    }

    /// Calls `body` with the request as a C struct, which is valid during the call.
    private func withTable<Result>(_ request: Request, _ body: (inout plug_subrequest_v1) -> Result) -> Result {
        var (secrets, attributes, options) = (Fields(), Fields(), Fields())
        for field in request.fields where field.isSecret { secrets.append(FieldName(field.name), "") }
        for (name, value) in request.attributes.values { attributes.append(FieldName(name), value) }
        var given = request.options
        given.timeout = nil
        if request.hasOptions { for (name, value) in given.texts { options.append(FieldName(name), value) } }
        var table = plug_subrequest_v1()
        table.timeout = request.options.timeout?.nanoseconds ?? 0
        table.body = request.body.map { ExportedSource.make($0.source, host: self) } ?? nil
        return withText(request.method.name) { method in
            withText(request.url) { url in
                (table.method, table.url) = (method, url)
                return withCFields(request.fields) { fields, fieldCount in
                    (table.fields, table.field_count) = (fields, fieldCount)
                    return withCFields(attributes) { attributes, attributeCount in
                        (table.attributes, table.attribute_count) = (attributes, attributeCount)
                        return withCFields(options) { options, optionCount in
                            (table.options, table.option_count) = (options, optionCount)
                            return secrets.withViews({ name, _ in plug_text(name) }) { secrets in
                                (table.secrets, table.secret_count) = (secrets.baseAddress, UInt64(secrets.count))
                                return body(&table)
                            }
                        }
                    }
                }
            }
        }
    }

    private final class Waiting: Sendable {
        let host: PluginHost
        let completed: @Sendable (Result<SubResponse, PlugboardError>) -> Void

        init(_ host: PluginHost, _ completed: @escaping @Sendable (Result<SubResponse, PlugboardError>) -> Void) {
            self.host = host
            self.completed = completed
        }

        func receive(_ raw: OpaquePointer) {
            var code = plug_text()
            var reason = plug_text()
            if host.raw.pointee.subresponse_failure(raw, &code, &reason) == PLUG_OK {
                var error = PlugboardError(.init(code.string), reason.string)
                let attempts = host.raw.pointee.subresponse_attempts(raw)
                if attempts > 0 { error.attempt = Int(attempts) }
                return completed(.failure(error))
            }
            completed(.success(SubResponse(raw, host: host)))
        }
    }
}

/// A sub-request that a task waits for, and cancels when the task is cancelled.
private final class PendingSend: Sendable {
    private struct State {
        var subRequest: SubRequest?
        var isCancelled = false
    }

    static let error = PlugboardError(.cancelled, "The task that sent the sub-request was cancelled.")

    private let state = Mutex(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func begun(_ subRequest: SubRequest) {
        let isCancelled = state.withLock { state in
            state.subRequest = subRequest
            return state.isCancelled
        }
        if isCancelled { subRequest.cancel() }
    }

    func cancel() {
        let subRequest = state.withLock { state in
            state.isCancelled = true
            return state.subRequest
        }
        subRequest?.cancel()
    }
}

/// The response of a sub-request: its head, and its body until it is taken.
///
/// Sendable because the head is copied at once, and the rest goes through the kernel.
public final class SubResponse: @unchecked Sendable {
    /// The head of the response.
    public let head: ResponseHead
    let raw: OpaquePointer
    let host: PluginHost
    /// The loop on which the body is pulled.
    let loop: PluginHost.Loop?

    init(_ raw: OpaquePointer, host: PluginHost) {
        self.raw = raw
        self.host = host
        loop = host.currentLoop
        host.raw.pointee.subresponse_keep(raw)
        if let pointer = host.raw.pointee.subresponse_head(raw) {
            let view = Head(raw: pointer, host: host.raw)
            head = ResponseHead(status: view.status, fields: view.fields)
        } else {
            head = ResponseHead(status: 0)
        }
    }

    /// Takes the body, once, on the loop; nil if there is none. Not needed before `.respond(with:)`.
    public func takeBody() -> InnerBody? {
        host.raw.pointee.subresponse_take_body(raw).map { InnerBody($0, host: host.raw) }
    }

    deinit { host.raw.pointee.subresponse_release(raw) }
}
