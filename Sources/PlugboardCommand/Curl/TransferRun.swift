import PlugboardKit

/// Runs the transfers of a command line one after another, prints their failures, and keeps the last one's result, as
/// curl does.
struct TransferRun {
    /// The transfers so far.
    private(set) var count = 0
    /// The failure of the last transfer; nil if it succeeded.
    private(set) var failure: CommandFailure?

    /// Runs the transfers to all URLs of a group. Returns true if no further transfer may be made.
    ///
    /// - Parameter transfer: Runs a transfer; its number is counted from 0.
    mutating func run(
        _ group: CurlGroup, _ transfer: (_ target: CurlTarget, _ number: Int) async throws -> CommandFailure?
    ) async -> Bool {
        for (index, text) in group.urls.enumerated() {
            let (pattern, files): (URLGlob, URLGlob)
            do throws(CommandFailure) {
                files = try URLGlob(
                    index < group.uploads.count ? group.uploads[index] : "", isLiteral: group["globoff"])
                pattern = try URLGlob(text, isLiteral: group["globoff"])
            } catch {
                return note(error, group)
            }
            // Each file is sent to each URL.
            for number in 0..<(files.count * pattern.count) {
                let (url, values) = pattern.url(at: number % pattern.count)
                let file = files.url(at: number / pattern.count).url
                var result: CommandFailure?
                do {
                    result = try await transfer(group.target(index, url, values, file.isEmpty ? nil : file), count)
                } catch {
                    result = CommandFailure(of: error)
                }
                count += 1
                if note(result, group) { return true }
            }
        }
        return false
    }

    /// Throws the failure of the last transfer, without its message, which is printed already.
    func end() throws(CommandFailure) {
        if let failure { throw CommandFailure(failure.status, nil) }
    }

    /// Prints a failure. Returns true if no further transfer may be made.
    private mutating func note(_ result: CommandFailure?, _ group: CurlGroup) -> Bool {
        failure = result
        guard let result else { return false }
        if !group.isQuiet, let message = result.message {
            StandardError.say(FoundConfiguration.explained(message, result.status))
        }
        // A failure without a message is that of a reader that has gone.
        return group["fail-early"] || result.message == nil || [.interrupted, .usage].contains(result.status)
    }
}
