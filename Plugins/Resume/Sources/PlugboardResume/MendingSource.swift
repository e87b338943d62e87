import PlugboardKit
import PlugboardRanges
import PlugboardResumeOptions
import Synchronization

/// A body that continues after a break: it requests the rest with a sub-request, unnoticed by its reader.
///
/// Sendable because everything but `release` is called on the loop only; what `release` uses is under the lock.
final class MendingSource: BodySource, @unchecked Sendable {
    /// What is released when the reader leaves.
    private struct Open {
        var body: InnerBody?
        var subRequest: SubRequest?
        var timer: PluginHost.Timer?
        var isReleased = false
    }

    let length: Int?
    private let open: Mutex<Open>
    private let template: MendingRequest
    private let plugin: Resume
    private var mending: Mending
    /// The error of the break that is being mended.
    private var breakage: PlugboardError?
    private var isMended = false

    init(
        _ inner: InnerBody, _ body: MendableBody, _ template: MendingRequest, _ limits: MendingLimits, _ plugin: Resume
    ) {
        length = inner.length
        open = Mutex(Open(body: inner))
        self.template = template
        self.plugin = plugin
        mending = Mending(
            body, limits, delay: plugin.settings.delay, delayLimit: plugin.settings.delayLimit)
    }

    func release() {
        let open = open.withLock { open in
            defer { open = Open(isReleased: true) }
            return open
        }
        open.body?.release()
        open.subRequest?.cancel()
        open.timer?.cancel()
    }

    // MARK: Pieces

    func pull(_ pull: Pull) {
        guard let body = open.withLock({ $0.body }) else {
            pull.fail(MendingSource.released)
            return
        }
        body.forwardAccepted(pull) { [self] view in
            switch view {
            case .bytes(let bytes): return take(bytes, pull)
            case .end:
                let step = mending.end()
                if step == .forward && isMended { publishReceived("resume.ended") }
                return carryOut(step, pull)
            case .broken(let error):
                mend(after: error, pull)
                return false
            }
        }
    }

    /// Returns whether the piece goes to the reader as it is.
    private func take(_ bytes: UnsafeRawBufferPointer, _ pull: Pull) -> Bool {
        let step = mending.take(bytes)
        guard case .give(let offset) = step else { return carryOut(step, pull) }
        pull.give(Bytes(copying: UnsafeRawBufferPointer(rebasing: bytes[offset...])))
        return false
    }

    private func carryOut(_ step: Mending.Step, _ pull: Pull) -> Bool {
        switch step {
        case .forward: return true
        case .give: break
        // Pulls later, because pieces that are available already would grow the stack.
        case .drop:
            let timer = plugin.host.schedule(after: .zero) { self.pull(pull) }
            keep({ $0.timer = timer }, orElse: { timer.cancel() })
        case .mend: mend(after: MendingSource.short, pull)
        case .fail(let reason):
            giveUp(
                pull,
                PlugboardError(
                    reason == .wrongByte ? .resumeChanged : .bodyCut,
                    reason == .wrongByte
                        ? "The body broke, and the server repeats its bytes differently now. Send the request again."
                        : "The body broke, and its rest does not have the length that the server announced. Send the "
                            + "request again."))
        }
        return false
    }

    // MARK: Mending

    private func mend(after error: PlugboardError, _ pull: Pull) {
        // These errors end the exchange, so the body is not mended.
        guard error.code != .cancelled, error.code != .shutDown,
            error.code.kind != "timeout" || error.code == .timeoutIdle
        else {
            pull.fail(error)
            return
        }
        breakage = breakage ?? error
        dropBody()
        requestRest(pull)
    }

    private func requestRest(_ pull: Pull) {
        guard let range = mending.policy.request, let delay = mending.nextDelay() else { return giveUp(pull) }
        guard delay > .zero else { return send(range, renewed: false, pull) }
        let timer = plugin.host.schedule(after: delay) { self.send(range, renewed: false, pull) }
        keep({ $0.timer = timer }, orElse: { timer.cancel() })
    }

    private func send(_ range: RangeRequest, renewed: Bool, _ pull: Pull) {
        if open.withLock({ $0.isReleased }) { return }
        let request = template.request(range, renewed: renewed)
        let subRequest = plugin.host.send(
            request, for: template.exchange, from: renewed ? .outermost : .insideSender
        ) { [self] result in
            switch result {
            case .success(let response): take(response, range, pull)
            case .failure(let error) where error.code == .cancelled || error.code == .shutDown: pull.fail(error)
            case .failure: requestRest(pull)
            }
        }
        keep({ $0.subRequest = subRequest }, orElse: { subRequest.cancel() })
    }

    private func take(_ response: SubResponse, _ range: RangeRequest, _ pull: Pull) {
        let body = response.takeBody()
        switch mending.receive(response.head, range, bodyLength: body?.length) {
        case .continueBody:
            guard let body else { return giveUp(pull) }
            keep(
                {
                    $0.subRequest = nil
                    $0.body = body
                }, orElse: { body.release() })
            plugin.mended.add()
            plugin.host.publish(
                "resume.mended", exchange: template.exchange,
                details: Fields(["offset": "\(range.first)", "received": "\(mending.given)"]))
            isMended = true
            breakage = nil
            self.pull(pull)
        case .tryAgain:
            body?.release()
            requestRest(pull)
        case .renew:
            body?.release()
            send(range, renewed: true, pull)
        case .changed(let how):
            body?.release()
            giveUp(
                pull,
                PlugboardError(
                    .resumeChanged,
                    "The body broke after \(mending.given) bytes, and the server \(how). Send the request again."))
        case .giveUp:
            body?.release()
            giveUp(pull)
        }
    }

    /// Breaks the body with its own error, if there is no better one.
    private func giveUp(_ pull: Pull, _ error: PlugboardError? = nil) {
        plugin.failed.add()
        publishReceived("resume.failed")
        dropBody()
        pull.fail(error ?? breakage ?? MendingSource.short)
    }

    /// Publishes a fact with the bytes that the reader has received.
    private func publishReceived(_ id: String) {
        plugin.host.publish(id, exchange: template.exchange, details: Fields(["received": "\(mending.given)"]))
    }

    private func dropBody() {
        open.withLock { open in
            defer { open.body = nil }
            return open.body
        }?.release()
    }

    private func keep(_ change: (inout Open) -> Void, orElse drop: () -> Void) {
        let isReleased = open.withLock { open in
            if !open.isReleased { change(&open) }
            return open.isReleased
        }
        if isReleased { drop() }
    }

    private static let released = PlugboardError(.cancelled, "The body was released before its end.")
    private static let short = PlugboardError(.bodyCut, "The body ended before its length was reached.")
}
