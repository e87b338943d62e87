import Plugboard
import PlugboardKit
import PlugboardSystem

/// Sends the requests to one URL of a command line of curl, and writes the response, by curl's rules. Redirects and
/// repetitions are new requests.
struct CurlTransfer {
    let request: CurlRequest
    let receiver: ResponseReceiver
    var writeOut: WriteOut?
    /// What the text of `--write-out` needs of the wire.
    var wire: WireFacts?
    /// Counted from 0.
    let number: Int

    private var group: CurlGroup { request.group }

    /// Runs the transfer and writes its results. Returns the failure of the last repetition.
    func run(in kernel: Kernel) async throws -> CommandFailure? {
        var retry = try CurlRetry(group)
        let began = ContinuousClock.now
        while true {
            try receiver.begin()
            var facts = await repetition(in: kernel)
            if facts.failure?.status != .interrupted,
                let wait = retry.wait(after: facts.response, facts.failure, spent: .now - began)
            {
                if !group["silent"] {
                    StandardError.say("The transfer failed, and begins again in \(wait / .seconds(1)) s.")
                }
                receiver.file.restart()
                try await Task.sleep(for: wait)
                continue
            }
            facts.repetitions = retry.count
            facts.urlNumber = number
            do throws(CommandFailure) {
                try receiver.finish(facts.response, facts.failure)
            } catch {
                facts.failure = facts.failure ?? error
            }
            facts.file = receiver.file.path
            try writeOut?.write(facts)
            return facts.failure
        }
    }

    // MARK: One repetition

    /// Sends the request and follows redirects. Never throws: the facts have the failure.
    private func repetition(in kernel: Kernel) async -> WriteOut.Facts {
        let began = ContinuousClock.now
        var hop = CurlHop(url: request.url, kind: request.kind)
        var facts = WriteOut.Facts(request: Request(.get, hop.url), url: hop.url)
        do {
            while let next = try await send(hop, since: began, &facts, kernel) { hop = next }
        } catch {
            facts.failure = CurlTransfer.failure(of: error)
        }
        facts.redirects = hop.count
        facts.total = .now - began
        return facts
    }

    /// A status line that is not one of HTTP is curl's "unsupported protocol", which has status 1.
    private static func failure(of error: any Error) -> CommandFailure {
        let failure = CommandFailure(of: error)
        let text = (error as? PlugboardError)?.underlying ?? ""
        let isUnsupported = text.hasPrefix("Received HTTP/0.9") || text.hasPrefix("Unsupported HTTP")
        return isUnsupported ? CommandFailure(.failure, failure.message) : failure
    }

    /// Sends one request and writes its response. Returns the next one if a redirect is followed.
    private func send(
        _ hop: CurlHop, since began: ContinuousClock.Instant, _ facts: inout WriteOut.Facts, _ kernel: Kernel
    ) async throws -> CurlHop? {
        let left = try request.timeout.map { limit in
            // An error of the first request names the whole limit.
            if hop.count == 0, !hop.isChallenged { return limit }
            guard limit > .now - began else { throw CommandFailure(.timeout, "The time of --max-time is up.") }
            return limit - (.now - began)
        }
        var sent = try request.request(for: hop, timeout: left)
        receiver.condition.add(to: &sent)
        try receiver.addRange(to: &sent)
        receiver.keepRaw(&sent)
        facts.request = sent
        facts.url = hop.url
        let observer = ExchangeObserver(
            isVerbose: request.words.output.verbose, showsSecrets: request.words.output.showSecrets,
            progress: ProgressBar(for: request.words.output, receiver.file.path), slow: try SlowTransfer(group),
            wire: wire)
        let interrupt = Interrupt()
        let exchange = kernel.begin(sent) { observer.hear($0) }
        interrupt.cancels { exchange.cancel() }
        observer.slow?.cancels { exchange.cancel() }
        defer {
            observer.progress?.clear()
            facts = observer.completed(facts)
        }
        do {
            let response = try await exchange.response
            facts.response = response.head
            try receiver.write([response.head], isShown: group["include"] || group["head"])
            if group["anyauth"], let next = hop.answering(response.head) {
                response.body.source.release()
                return next
            }
            if group.follows, CurlHop.isRedirect(response.head) {
                // What the server sends with a redirect is not written.
                response.body.source.release()
                let next = try hop.next(after: response.head, of: request.url, request.rules)
                try group.checkOptions(for: next.url)
                return next
            }
            try await receiver.take(response, of: sent.method, wantsBody: request.wantsBody)
        } catch {
            exchange.cancel()
            throw observer.slow?.failure ?? error
        }
        withExtendedLifetime(interrupt) {}
        return nil
    }
}
