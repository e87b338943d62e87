import Plugboard

/// Sends one request of the command line and writes its response.
struct Sending {
    let arguments: RequestArguments
    let output: OutputArguments

    /// Sends a request that the command line gives by its method and URL.
    func run(_ method: Method, _ url: String, _ body: BodyArguments) async throws {
        let configuration = try arguments.configuration()
        let request = try arguments.request(
            method, url, against: configuration.kernel.baseURL, try body.content())
        try await run(configuration) { _ in request }
    }

    /// Sends a request that is made when the kernel has started.
    func run(_ configuration: Configuration, _ make: (Kernel) async throws -> Request) async throws {
        var configuration = configuration
        if output.silent { configuration.kernel.logLevel = .error }
        if output.verbose { configuration.kernel.logLevel = .debug }
        var catalog = Catalog.bundled
        if output.verbose {
            catalog = catalog.adding([SentHeads.descriptor])
            configuration.plugins.append(PluginEntry(SentHeads.manifest.id))
        }
        let timings = try await Kernel.whileRunning(configuration, catalog: catalog) { kernel in
            let request = try await make(kernel)
            try arguments.check(kernel)
            let jar = request.attributes[CookieArguments.jarAttribute]
            return try await arguments.cookies.whileUsed(in: kernel, jar: jar) { try await send(request, kernel) }
        }
        if output.timing { StandardError.write(timings) }
    }

    /// Returns what `--timing` prints.
    private func send(_ request: Request, _ kernel: Kernel) async throws -> String {
        let observer = ExchangeObserver(
            isVerbose: output.verbose, progress: ProgressBar(for: output))
        let interrupt = Interrupt()
        let exchange = kernel.begin(request) { observer.hear($0) }
        interrupt.cancels { exchange.cancel() }
        do {
            defer { observer.progress?.clear() }
            try await write(try await exchange.response, to: request)
        } catch {
            exchange.cancel()
            throw error
        }
        withExtendedLifetime(interrupt) {}
        return observer.timings
    }

    private func write(_ response: Response, to request: Request) async throws {
        if output.fail && response.status >= 400 {
            throw CommandFailure(.status, "The server responded with status \(response.status).")
        }
        try await ResponseWriter(output, showsHead: output.include || request.method == .head).write(response)
    }
}
