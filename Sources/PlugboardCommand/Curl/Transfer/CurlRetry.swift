import PlugboardKit

/// Decides when a transfer is repeated, and how long that waits, as curl does for `--retry`.
struct CurlRetry {
    private let limit: Int
    private let delay: Duration?
    private let totalTime: Duration?
    private let (allErrors, refused): (Bool, Bool)
    private(set) var count = 0
    /// The next delay if `--retry-delay` is not given.
    private var growing = Duration.seconds(1)

    init(_ group: CurlGroup) throws(CommandFailure) {
        limit = try group.number("retry") ?? 0
        delay = try group.seconds("retry-delay")
        totalTime = try group.seconds("retry-max-time")
        (allErrors, refused) = (group["retry-all-errors"], group["retry-connrefused"])
    }

    private static let transientStatuses: Set<Int> = [408, 429, 500, 502, 503, 504]

    /// How long to wait before the transfer is repeated; nil ends it.
    ///
    /// - Parameters:
    ///   - head: The head of the last response.
    ///   - spent: The time since the transfer began.
    mutating func wait(after head: ResponseHead?, _ failure: CommandFailure?, spent: Duration) -> Duration? {
        guard count < limit, isTransient(head, failure) else { return nil }
        var wait = delay ?? growing
        if failure == nil || failure?.status == .status,
            let seconds = head?.fields["Retry-After"].flatMap({ Int64($0) }), seconds > 0
        {
            wait = max(wait, .seconds(min(seconds, 1 << 31)))
        }
        // A repetition that would begin too late is not waited for.
        if let totalTime, spent + wait > totalTime { return nil }
        count += 1
        growing = min(growing * 2, .seconds(600))
        return wait
    }

    private func isTransient(_ head: ResponseHead?, _ failure: CommandFailure?) -> Bool {
        switch failure?.status {
        case .timeout?, .dns?, .proxy?: true
        case .connect? where refused: true
        case nil, .status?:
            head.map { CurlRetry.transientStatuses.contains($0.status) } ?? false || allErrors && failure != nil
        default: allErrors
        }
    }
}
