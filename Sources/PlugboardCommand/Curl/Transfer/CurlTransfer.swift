import Plugboard
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Sends the requests to one URL of a command line of curl, and writes the response, by curl's rules: redirects and
/// repetitions are new requests here, and what comes of each is written as curl writes it.
struct CurlTransfer {
    let request: CurlRequest
    let output: CurlOutput
    let condition: CurlCondition
    /// Where `--dump-header` writes.
    let heads: ByteOutput?
    let writeOut: WriteOut?
    /// Counted from 0.
    let number: Int

    private var group: CurlGroup { request.group }

    /// Returns the failure of the last repetition, when all is written.
    func run(in kernel: Kernel) async throws -> CommandFailure? {
        var retry = try CurlRetry(group)
        let began = ContinuousClock.now
        while true {
            try output.begin()
            var facts = await repetition(in: kernel)
            if facts.failure?.status != .interrupted,
                let wait = retry.wait(after: facts.response, facts.failure, spent: .now - began)
            {
                if !group["silent"] {
                    StandardError.say("The transfer failed, and begins again in \(wait / .seconds(1)) s.")
                }
                output.restart()
                try await Task.sleep(for: wait)
                continue
            }
            facts.repetitions = retry.count
            facts.urlNumber = number
            do throws(CommandFailure) {
                try finish(&facts)
            } catch {
                facts.failure = facts.failure ?? error
            }
            facts.file = output.path
            try writeOut?.write(facts)
            return facts.failure
        }
    }

    private func finish(_ facts: inout WriteOut.Facts) throws(CommandFailure) {
        guard facts.failure == nil else {
            if group["remove-on-error"] { output.remove() }
            return
        }
        try output.complete()
        if group["remote-time"], let head = facts.response,
            let date = CurlCondition.modified(head, now: CurlTransfer.now)
        {
            output.setTime(date)
        }
    }

    private static var now: HTTPDate { HTTPDate(seconds: Int64(time(nil))) }

    // MARK: One repetition

    /// Sends the request and follows redirects. Never throws: the facts have the failure.
    private func repetition(in kernel: Kernel) async -> WriteOut.Facts {
        let began = ContinuousClock.now
        var hop = CurlHop(url: request.url, kind: request.kind)
        var facts = WriteOut.Facts(request: Request(.get, hop.url), url: hop.url)
        do {
            while let next = try await send(hop, since: began, &facts, kernel) { hop = next }
        } catch {
            facts.failure = CommandFailure(of: error)
        }
        facts.redirects = hop.count
        facts.total = .now - began
        return facts
    }

    /// Sends one request and writes its response. Returns the next one if a redirect is followed.
    private func send(
        _ hop: CurlHop, since began: ContinuousClock.Instant, _ facts: inout WriteOut.Facts, _ kernel: Kernel
    ) async throws -> CurlHop? {
        let left = try request.timeout.map { limit in
            guard limit > .now - began else { throw CommandFailure(.timeout, "The time of --max-time is up.") }
            return limit - (.now - began)
        }
        var sent = try request.request(for: hop, timeout: left)
        for (name, value) in condition.fields where !sent.fields.contains(name) {
            if let value { sent.fields.append(name, value) }
        }
        facts.request = sent
        facts.url = hop.url
        let observer = ExchangeObserver(
            isVerbose: request.words.output.verbose, showsSecrets: request.words.output.showSecrets,
            progress: ProgressBar(for: request.words.output, output.path))
        let interrupt = Interrupt()
        let exchange = kernel.begin(sent) { observer.hear($0) }
        interrupt.cancels { exchange.cancel() }
        defer {
            observer.progress?.clear()
            facts = observer.completed(facts)
        }
        do {
            let response = try await exchange.response
            facts.response = response.head
            try write(response.head, of: sent)
            if group["anyauth"], let next = hop.answering(response.head) {
                response.body.source.release()
                return next
            }
            if group.follows, CurlHop.isRedirect(response.head) {
                // What the server sends with a redirect is not written.
                response.body.source.release()
                return try hop.next(after: response.head, of: request.url, request.rules)
            }
            try await take(response)
        } catch {
            exchange.cancel()
            throw error
        }
        withExtendedLifetime(interrupt) {}
        return nil
    }

    // MARK: The response

    private func write(_ head: ResponseHead, of sent: Request) throws {
        try heads.map { try ResponseWriter.write([head], to: $0, $0.isTerminal) }
        guard group["include"] || group["head"] else { return }
        if output.isTerminal {
            try ResponseWriter.write([head], to: .standard, true)
        } else {
            try output.write(ResponseWriter.bytes(of: head))
        }
    }

    /// Writes the body, unless an option refuses the response.
    private func take(_ response: Response) async throws {
        let head = response.head
        let isRefused = head.status >= 400 && (group["fail"] || group["fail-with-body"])
        let failure = CommandFailure(.status, "The server responded with status \(head.status).")
        if isRefused, group["fail"] { throw failure }
        try condition.save(head)
        nameFile(head)
        if let limit = try group.bytes("max-filesize"), response.body.length ?? 0 > limit {
            throw CommandFailure(.size, "The body is larger than --max-filesize allows.")
        }
        let isOld = head.status == 304 || condition.excludes(head, now: CurlTransfer.now)
        if isOld { output.leave() }
        guard request.wantsBody, !isOld, try isFurther(response) else {
            response.body.source.release()
            return
        }
        if group["raw"], head.fields["Transfer-Encoding"] != nil {
            throw CommandFailure(.usage, "curl: --raw cannot be used for a body that is sent in chunks.")
        }
        try await write(response.body)
        if isRefused { throw failure }
    }

    private func write(_ body: Body) async throws {
        if output.isTerminal { return try await BodyWriter(.standard, isForReaders: true).write(body) }
        let limit = try group.bytes("max-filesize") ?? .max
        var count = 0
        for try await piece in body {
            count += piece.count
            if count > limit { throw CommandFailure(.size, "The body is larger than --max-filesize allows.") }
            try output.write(piece)
        }
    }

    /// Whether the body continues what is there; throws if it does not. False if nothing is left.
    private func isFurther(_ response: Response) throws(CommandFailure) -> Bool {
        guard request.offset > 0, request.kind == .get else { return true }
        if response.status == 416 { return false }
        if response[.contentRange] != nil || response.body.length == 0 { return true }
        if response.body.length == request.offset { return false }
        throw CommandFailure(.range, "The server does not send the rest of the body, which --continue-at needs.")
    }

    /// Gives the file the name of `Content-Disposition`, for `-J`.
    private func nameFile(_ head: ResponseHead) {
        guard group["remote-header-name"], let text = head.fields["Content-Disposition"] else { return }
        // In ASCII alone: other letters can have another length in lower case.
        let lower = text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        guard let start = lower.firstRange(of: "filename=".utf8)?.upperBound else { return }
        var name = String(decoding: text.utf8.dropFirst(start), as: UTF8.self)
        if let quote = name.first, quote == "\"" || quote == "'" {
            name = String(name.dropFirst().prefix { $0 != quote })
        } else {
            name = String(name.prefix { $0 != ";" })
        }
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? ""
        let visible = last.unicodeScalars.contains { VisibleText.steers($0) || $0 == "\t" || $0 == "\n" }
        if !visible, !["", ".", ".."].contains(last) { output.rename(last) }
    }
}
