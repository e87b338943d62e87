import Plugboard

/// One request from the command line to the last byte of its answer.
struct Sending {
    let method: Method
    let url: String
    let body: BodyArguments
    let arguments: RequestArguments
    let output: OutputArguments

    func run() async throws {
        var configuration = try arguments.plugins.configuration()
        if output.silent { configuration.kernel.logLevel = .error }
        if output.verbose { configuration.kernel.logLevel = .debug }
        let request = try arguments.request(method, url, try body.content())
        let kernel = try Kernel(
            configuration: configuration, loader: PluginArguments.loader(for: configuration))
        try arguments.check(request, kernel)

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
        if output.fail && response.status >= 400 {
            throw CommandFailure(.status, "The server answered with status \(response.status).")
        }
        try await ResponseWriter(output, showsHead: output.include || method == .head).write(response)
    }
}
