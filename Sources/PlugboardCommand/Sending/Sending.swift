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
        let timings = try await Kernel.whileRunning(configuration) { try await send(request, $0) }
        if output.timing { StandardError.write(timings) }
    }

    /// Returns what to say of the times it took.
    private func send(_ request: Request, _ kernel: Kernel) async throws -> String {
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
            throw error
        }
        withExtendedLifetime(interrupt) {}
        return observer.timings
    }

    private func write(_ response: Response) async throws {
        if output.fail && response.status >= 400 {
            throw CommandFailure(.status, "The server answered with status \(response.status).")
        }
        try await ResponseWriter(output, showsHead: output.include || method == .head).write(response)
    }
}
