import Plugboard
import PlugboardKit
import PlugboardSystem

extension TransferDisplay {
    /// What to add to the error of a response with this status where the plugin `redirect` would have followed it.
    static func advice(after status: Int, by kernel: Kernel, among statuses: Set<Int>) -> String {
        guard statuses.contains(status), !kernel.plugins.contains(where: { $0.id == "redirect" }) else { return "" }
        return " --plugin redirect follows redirects."
    }

    /// Runs transfers with a kernel that logs through this display and with the cookies of the command line, and waits
    /// until everything is written. SIGINT and SIGTERM cancel the transfers; once they have ended, these signals end
    /// the process.
    ///
    /// - Parameter transfers: Returns the first failure.
    func whileRunning(
        _ configuration: Configuration, catalog: Catalog = .bundled, _ arguments: RequestArguments,
        _ transfers: @escaping @Sendable (Kernel) async throws -> CommandFailure?
    ) async throws {
        // Plugins that draw on the terminal themselves leave it to the progress. No other thread reads it yet.
        setenv("TERM", "dumb", 1)
        let result: Result<CommandFailure?, any Error>
        do {
            let log = log(configuration.kernel.logLevel)
            let failure = try await Kernel.whileRunning(configuration, catalog: catalog, log: log) { kernel in
                try arguments.check(kernel)
                let jar = try arguments.attribute(CookieArguments.jarAttribute)
                return try await arguments.cookies.whileUsed(in: kernel, jar: jar) {
                    let interrupt = Interrupt()
                    let task = Task { try await transfers(kernel) }
                    interrupt.cancels { task.cancel() }
                    let failure = try await task.value
                    withExtendedLifetime(interrupt) {}
                    return failure
                }
            }
            result = .success(failure)
        } catch {
            result = .failure(error)
        }
        await finish()
        if let failure = try result.get() { throw failure }
    }
}
