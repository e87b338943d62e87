import Plugboard

/// Sends one request of the command line and writes its response.
struct Sending {
    let arguments: RequestArguments
    let output: OutputArguments

    /// The requests to the targets of a group.
    struct Requests {
        /// The jar of the plugin cookies that they use.
        var jar: String?
        /// The request to a target, and its body as options of curl; nil takes it from the request.
        let request: (CurlTarget) throws -> (request: Request, body: PrintedCurlBody?)
    }

    /// Sends the requests that the command line gives by a method and URLs. Returns true if no further may be sent.
    func run(
        _ method: Method, _ methods: MethodArguments, _ body: BodyArguments, _ group: CurlGroup,
        _ transfers: inout TransferRun
    ) async throws -> Bool {
        let configuration = try arguments.configuration(isDry: output.isDry)
        let items = try RequestItems(body)
        let data = methods.get ? try body.queryData(beside: items) : []
        // What is only printed names standard input, and does not read it.
        let isRepeated = !output.isPrinted && !group.hasOneTarget
        let given =
            methods.get ? nil : try body.content(items, isRepeated: isRepeated, isStreamed: output.isPrinted)
        // Read before the body that no option names, because they can be standard input, and once for all targets.
        let common = try arguments.common()
        let parameters = try methods.parameters(after: items.query(after: data))
        let isInputFree =
            group.values["write-out"] != "@-" && Set(arguments.cookies.files).isDisjoint(with: ["-", "@-"])
        let takesInput = isInputFree && methods.canTakeInput(with: method)
        let content = try given ?? (takesInput ? body.input() : nil)
        let curlBody = methods.get ? PrintedCurlBody.none : try body.curlBody(items)
        let jar = try arguments.attribute(CookieArguments.jarAttribute)
        let requests = Requests(jar: jar) { target in
            let url = methods.url(of: target, adding: parameters)
            var request = try arguments.request(
                methods.method(of: method, uploading: target.upload), url, against: configuration.kernel.baseURL,
                content?.copy, adding: methods.fields, items: items.fields, common: common)
            if let upload = try methods.upload(target.upload, beside: content) { request.body = upload }
            return (request, target.upload.map { .upload($0) } ?? curlBody)
        }
        return try await run(
            configuration, catalog: .needed(by: configuration), group, headOnly: methods.head, &transfers
        ) { _ in requests }
    }

    /// Sends requests that are made when the kernel has started. Returns true if no further may be sent.
    ///
    /// - Parameters:
    ///   - catalog: The plugins that the configuration can name.
    ///   - headOnly: Whether only the response's head is shown, whatever the method, as for `-I`.
    func run(
        _ configuration: Configuration, catalog: Catalog = .bundled, _ group: CurlGroup, headOnly: Bool = false,
        _ transfers: inout TransferRun, _ make: (Kernel) async throws -> Requests
    ) async throws -> Bool {
        var configuration = configuration
        let trace = try output.isDry ? nil : WireTrace(group)
        if output.silent { configuration.kernel.logLevel = .error }
        if isVerbose { configuration.kernel.logLevel = .debug }
        let asked = configuration
        if group["remote-header-name"], output.include {
            throw CommandFailure(.usage, "-i and -J cannot be combined.")
        }
        if let file = group.values["stderr"] { StandardError.redirect(to: file) }
        var catalog = catalog
        let writeOut = try group.values["write-out"].map { try WriteOut($0) }
        let wire = WireFacts(writeOut, group)
        WireOutput.add(
            to: &configuration, &catalog, isVerbose: isVerbose, showingSecrets: output.showSecrets, trace: trace,
            facts: wire)
        if output.showsRequest { SentRequest.add(to: &configuration, &catalog) }
        let transport = output.offline ? DryTransport() : nil
        if output.offline { Session.current?.leave() }
        let first = transfers.count
        return try await Kernel.whileRunning(configuration, catalog: catalog, transport: transport) { kernel in
            let requests = try await make(kernel)
            try arguments.check(kernel)
            if isVerbose { kernel.writePlugins() }
            if output.isPrinted {
                return await transfers.run(group) { target, _ in
                    let (request, body, _) = try await taken(target, requests, group)
                    try await print(request, body, to: target, asked, kernel)
                    return nil
                }
            }
            return try await arguments.cookies.whileUsed(
                in: kernel, jar: requests.jar, isDry: output.isDry
            ) {
                await transfers.run(group) { target, number in
                    var (request, _, receiver) = try await taken(target, requests, group, isFirst: number == first)
                    try receiver.addRange(to: &request)
                    var facts = WriteOut.Facts(request: request, url: request.url)
                    facts.urlNumber = number
                    try await send(&facts, kernel, receiver, try SlowTransfer(group), writeOut, wire, headOnly)
                    return facts.failure
                }
            }
        }
    }

    private var isVerbose: Bool { output.verbose && !output.group.isTraced }

    /// The request to a target with what the options of output need, and what takes its response.
    private func taken(
        _ target: CurlTarget, _ requests: Requests, _ group: CurlGroup, isFirst: Bool = true
    ) async throws -> (Request, PrintedCurlBody?, ResponseReceiver) {
        let made = try requests.request(target)
        var request = try await output.held(made.request)
        let receiver = try output.receiver(for: target, request.url, group, isFirst: isFirst)
        try group.limitSpeed(of: &request.options)
        receiver.condition.add(to: &request)
        receiver.keepRaw(&request)
        if output.raw || request.method == .head && !output.isPrinted { askForCodings(&request) }
        return (request, made.body, receiver)
    }

    /// Asks for compressed content with `--compressed`, which the plugin decode does not do for `--raw` and HEAD.
    private func askForCodings(_ request: inout Request) {
        if arguments.curl.compressed, !request.fields.contains(.acceptEncoding) {
            request.fields.append(.acceptEncoding, CurlArguments.codings)
        }
    }

    /// Sends the request of the facts, and writes its response. The facts have its failure then.
    private func send(
        _ facts: inout WriteOut.Facts, _ kernel: Kernel, _ receiver: ResponseReceiver, _ slow: SlowTransfer?,
        _ writeOut: WriteOut?, _ wire: WireFacts?, _ headOnly: Bool
    ) async throws {
        let request = facts.request
        let observer = ExchangeObserver(
            isVerbose: isVerbose, showsSecrets: output.showSecrets,
            progress: ProgressBar(for: output, receiver.file.path), slow: slow, wire: wire)
        let interrupt = Interrupt()
        let began = ContinuousClock.now
        if !output.offline { try receiver.begin() }
        let exchange = kernel.begin(request) { observer.hear($0) }
        interrupt.cancels { exchange.cancel() }
        slow?.cancels { exchange.cancel() }
        if output.offline {
            return try await output.printDry(request, exchange, receiver)
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
        if output.timing, facts.failure == nil { StandardError.write(observer.timings) }
        withExtendedLifetime(interrupt) {}
    }

    private func write(
        _ response: Response, to request: Request, by receiver: ResponseReceiver, after earlier: [ResponseHead],
        headOnly: Bool
    ) async throws {
        let parts = output.parts
        try await receiver.write(parts ?? [], of: request)
        try receiver.write(
            earlier + [response.head],
            isShown: output.include || parts?.contains(.responseHead) ?? headOnly)
        try await receiver.take(
            response, of: request.method, wantsBody: parts?.contains(.responseBody) ?? !headOnly)
    }
}
