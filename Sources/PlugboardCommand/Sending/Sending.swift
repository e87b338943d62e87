import Plugboard

/// Sends one request of the command line and writes its response.
struct Sending {
    let arguments: RequestArguments
    let output: OutputArguments

    /// Sends a request that the command line gives by its method and URL.
    func run(_ method: Method, _ url: String, _ methods: MethodArguments, _ body: BodyArguments) async throws {
        let configuration = try arguments.configuration(isDry: output.printing.isDry)
        let items = try RequestItems(body.items)
        let data = methods.get ? try body.queryData(beside: items) : []
        let url = try methods.url(url, adding: items.query(after: data))
        let content = methods.get ? nil : try body.content(items)
        var request = try arguments.request(
            methods.method(of: method), url, against: configuration.kernel.baseURL, content, adding: methods.fields,
            items: items.fields)
        if let upload = try methods.upload(beside: content) { request.body = upload }
        let curlBody = methods.get ? PrintedCurlBody.none : try body.curlBody(items)
        try await run(
            configuration, catalog: .needed(by: configuration), as: methods.uploadFile.map { .upload($0) } ?? curlBody, headOnly: methods.head
        ) { [request] _ in request }
    }

    /// Sends a request that is made when the kernel has started.
    ///
    /// - Parameters:
    ///   - curlBody: Its body as options of curl; nil takes it from the request.
    ///   - headOnly: Whether only the response's head is shown, whatever the method, as for `-I`.
    func run(
        _ configuration: Configuration, catalog: Catalog = .bundled, as curlBody: PrintedCurlBody? = nil,
        headOnly: Bool = false,
        _ make: (Kernel) async throws -> Request
    ) async throws {
        var configuration = configuration
        let group = output.group
        let trace = try output.printing.isDry ? nil : WireTrace(group)
        if output.silent { configuration.kernel.logLevel = .error }
        let isVerbose = output.verbose && !group.isTraced
        if isVerbose { configuration.kernel.logLevel = .debug }
        let asked = configuration
        if group["remote-header-name"], output.include {
            throw CommandFailure(.usage, "-i and -J cannot be combined.")
        }
        if let file = group.values["stderr"] { StandardError.redirect(to: file) }
        var catalog = catalog
        if isVerbose || trace != nil {
            WireOutput.add(to: &configuration, &catalog, showingSecrets: output.showSecrets, trace: trace)
        }
        if output.printing.showsRequest { SentRequest.add(to: &configuration, &catalog) }
        let transport = output.printing.offline ? DryTransport() : nil
        if output.printing.offline { Session.current?.leave() }
        let writeOut = try group.values["write-out"].map { try WriteOut($0) }
        let timings = try await Kernel.whileRunning(configuration, catalog: catalog, transport: transport) { kernel in
            var request = try await output.printing.held(try await make(kernel))
            let receiver = try output.receiver(for: request.url, group)
            try group.limitSpeed(of: &request.options)
            receiver.condition.add(to: &request)
            receiver.keepRaw(&request)
            if output.receiving.raw { askForCodings(&request) }
            try arguments.check(kernel)
            if isVerbose { kernel.writePlugins() }
            if try await prints(request, curlBody, asked, kernel) { return "" }
            try receiver.addRange(to: &request)
            let jar = request.attributes[CookieArguments.jarAttribute]
            return try await arguments.cookies.whileUsed(in: kernel, jar: jar, isDry: output.printing.isDry) {
                try await send(request, kernel, receiver, try SlowTransfer(group), writeOut, headOnly)
            }
        }
        if output.timing { StandardError.write(timings) }
    }

    /// Asks for compressed content with `--compressed`, which the plugin decode does not do for `--raw`.
    private func askForCodings(_ request: inout Request) {
        if arguments.curl.compressed, !request.fields.contains(.acceptEncoding) {
            request.fields.append(.acceptEncoding, CurlArguments.codings)
        }
    }

    /// Returns what `--timing` prints.
    private func send(
        _ request: Request, _ kernel: Kernel, _ receiver: ResponseReceiver, _ slow: SlowTransfer?,
        _ writeOut: WriteOut?, _ headOnly: Bool
    ) async throws -> String {
        let observer = ExchangeObserver(
            isVerbose: output.verbose && !output.group.isTraced, showsSecrets: output.showSecrets,
            progress: ProgressBar(for: output), slow: slow)
        let interrupt = Interrupt()
        var facts = WriteOut.Facts(request: request, url: request.url)
        let began = ContinuousClock.now
        if !output.printing.offline { try receiver.begin() }
        let exchange = kernel.begin(request) { observer.hear($0) }
        interrupt.cancels { exchange.cancel() }
        slow?.cancels { exchange.cancel() }
        if output.printing.offline {
            try await output.printDry(request, exchange, receiver)
            return ""
        }
        do {
            defer { observer.progress?.clear() }
            let response = try await exchange.response
            (facts.response, facts.url) = (response.head, response.url)
            try await write(
                response, to: request, by: receiver, after: observer.earlierHeads,
                headOnly: headOnly || request.method == .head)
        } catch {
            exchange.cancel()
            facts.failure = slow?.failure ?? CommandFailure(of: error)
        }
        do throws(CommandFailure) {
            try receiver.finish(facts.response, facts.failure)
        } catch {
            facts.failure = error
        }
        facts.file = receiver.file.path
        facts.total = .now - began
        try writeOut?.write(observer.completed(facts))
        if let failure = facts.failure { throw failure }
        withExtendedLifetime(interrupt) {}
        return observer.timings
    }

    private func write(
        _ response: Response, to request: Request, by receiver: ResponseReceiver, after earlier: [ResponseHead],
        headOnly: Bool
    ) async throws {
        let parts = output.printing.parts
        try await receiver.write(parts ?? [], of: request)
        try receiver.write(
            earlier + [response.head],
            isShown: output.include || parts?.contains(.responseHead) ?? headOnly)
        try await receiver.take(
            response, of: request.method, wantsBody: parts?.contains(.responseBody) ?? !headOnly)
    }
}
