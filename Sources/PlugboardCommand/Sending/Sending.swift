import Plugboard

/// One request from the command line to the last byte of its answer.
struct Sending {
    let method: Method
    let url: String
    let arguments: RequestArguments

    func run() async throws {
        let output = arguments.output
        var configuration = try arguments.plugins.configuration()
        if output.silent { configuration.kernel.logLevel = .error }
        if output.verbose { configuration.kernel.logLevel = .debug }
        let request = try arguments.request(method, url)
        let kernel = try Kernel(
            configuration: configuration, loader: PluginArguments.loader(for: configuration))
        try checkAttributes(of: request, kernel)

        let observer = ExchangeObserver(
            isVerbose: output.verbose, progress: ProgressBar(for: output))
        observer.tell(request)
        let exchange = kernel.begin(request) { observer.hear($0) }
        let interrupt = Interrupt { exchange.cancel() }
        do {
            defer { observer.progress?.clear() }
            try await write(try await exchange.response)
        } catch {
            exchange.cancel()
            await kernel.shutDown(within: .zero)
            throw error
        }
        withExtendedLifetime(interrupt) {}
        await kernel.shutDown(within: .seconds(5))
        if output.timing { StandardError.write(observer.timings) }
    }

    private func write(_ response: Response) async throws {
        let output = arguments.output
        if output.fail && response.status >= 400 {
            throw CommandFailure(.status, "The server answered with status \(response.status).")
        }
        try await ResponseWriter(output, showsHead: output.include || method == .head).write(response)
    }

    /// The kernel lets attributes of unknown plugins pass; on a command line they are slips.
    private func checkAttributes(of request: Request, _ kernel: Kernel) throws(CommandFailure) {
        let ids = kernel.plugins.map(\.id)
        for name in request.attributes.values.keys.sorted() where !ids.contains(where: { name.hasPrefix("\($0).") }) {
            throw PluginArguments.stranger("--attribute \(name)", name, among: ids)
        }
    }
}
