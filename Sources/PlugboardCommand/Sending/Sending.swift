import Plugboard

/// Sends one request of the command line and writes its response.
struct Sending {
    let arguments: RequestArguments
    let output: OutputArguments

    /// Sends a request that the command line gives by its method and URL.
    func run(_ method: Method, _ url: String, _ methods: MethodArguments, _ body: BodyArguments) async throws {
        let configuration = try arguments.configuration()
        let items = try RequestItems(body.items)
        let data = methods.get ? try body.queryData(beside: items) : []
        let url = try methods.url(url, adding: items.query(after: data))
        let request = try methods.transfer.completed(
            try arguments.request(
                methods.method(of: method), methods.transfer.url(url), against: configuration.kernel.baseURL,
                methods.get ? nil : try body.content(items), adding: methods.fields, items: items.fields))
        let curlBody = methods.get ? PrintedCurlBody.none : try body.curlBody(items)
        try await run(configuration, as: methods.transfer.uploadFile.map { .upload($0) } ?? curlBody) { _ in request }
    }

    /// Sends a request that is made when the kernel has started.
    ///
    /// - Parameter curlBody: Its body as options of curl; nil takes it from the request.
    func run(
        _ configuration: Configuration, as curlBody: PrintedCurlBody? = nil, _ make: (Kernel) async throws -> Request
    ) async throws {
        var configuration = configuration
        if output.silent { configuration.kernel.logLevel = .error }
        if output.verbose { configuration.kernel.logLevel = .debug }
        let asked = configuration
        var catalog = Catalog.bundled
        if output.verbose {
            WireOutput.begin(for: &configuration, &catalog, showingSecrets: output.showSecrets)
        }
        if output.printing.showsRequest {
            catalog = catalog.adding([SentRequest.descriptor])
            configuration.plugins.append(PluginEntry(SentRequest.manifest.id))
        }
        let transport = output.printing.offline ? DryTransport() : nil
        if output.printing.offline { Session.current?.leave() }
        let writeOut = try output.writeOut.map { try WriteOut($0) }
        let timings = try await Kernel.whileRunning(configuration, catalog: catalog, transport: transport) { kernel in
            let request = try await output.printing.held(try await make(kernel))
            try arguments.check(kernel)
            if try await prints(request, curlBody, asked, kernel) { return "" }
            let jar = request.attributes[CookieArguments.jarAttribute]
            return try await arguments.cookies.whileUsed(in: kernel, jar: jar) {
                try await send(request, kernel, writeOut)
            }
        }
        if output.timing { StandardError.write(timings) }
    }

    /// Returns what `--timing` prints.
    private func send(_ request: Request, _ kernel: Kernel, _ writeOut: WriteOut?) async throws -> String {
        let observer = ExchangeObserver(
            isVerbose: output.verbose, showsSecrets: output.showSecrets, progress: ProgressBar(for: output))
        let interrupt = Interrupt()
        var facts = WriteOut.Facts(request: request, url: request.url)
        let began = ContinuousClock.now
        let exchange = kernel.begin(request) { observer.hear($0) }
        interrupt.cancels { exchange.cancel() }
        if output.printing.offline {
            try await output.printDry(request, exchange)
            return ""
        }
        do {
            defer { observer.progress?.clear() }
            let response = try await exchange.response
            (facts.response, facts.url) = (response.head, response.url)
            facts.file = try output.path(for: request.url)
            facts.failure = try await write(response, to: request, facts.file, after: observer.earlierHeads)
        } catch {
            exchange.cancel()
            facts.failure = CommandFailure(of: error)
        }
        facts.total = .now - began
        try writeOut?.write(observer.completed(facts))
        if let failure = facts.failure { throw failure }
        withExtendedLifetime(interrupt) {}
        return observer.timings
    }

    /// Returns the failure of a status that `--fail-with-body` does not accept, after the body was written.
    private func write(
        _ response: Response, to request: Request, _ file: String?, after earlier: [ResponseHead]
    ) async throws -> CommandFailure? {
        let isRefused = response.status >= 400 && (output.fail || output.failWithBody)
        let failure =
            isRefused
            ? CommandFailure(.status, "The server responded with status \(response.status).") : nil
        let parts = output.printing.parts
        let heads = earlier + [response.head]
        if let path = output.dumpHeader {
            let dump = try path == "-" ? ByteOutput.standard : ByteOutput(path: path)
            try ResponseWriter.write(heads, to: dump, dump.isTerminal)
        }
        let showsHeads = output.include || parts?.contains(.responseHead) ?? (request.method == .head)
        let writer = try ResponseWriter(output, file)
        try await writer.write(parts ?? [], of: request)
        if showsHeads { try writer.write(heads) }
        if let failure, output.fail { throw failure }
        if parts?.contains(.responseBody) ?? true {
            try await writer.write(response)
        } else {
            response.body.source.release()
        }
        return failure
    }
}
