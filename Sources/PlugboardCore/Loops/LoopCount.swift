import CPlugboardEpoll
import PlugboardBorder
import PlugboardSystem

/// How many event loops a kernel runs.
public struct LoopCount: Sendable, Hashable, ExpressibleByIntegerLiteral {
    /// The most loops that a kernel can have.
    public static let limit = 64
    /// As many as there are processor cores that the program may use, by its affinity (sched_getaffinity) and by the
    /// quota of its control group (cpu.max), but not so many that a loop's share of `connections` or
    /// `connectionsPerHost` is less than 8 connections.
    public static let automatic = LoopCount(number: nil)

    /// Nil for `automatic`.
    private let number: Int?

    private init(number: Int?) { self.number = number }

    /// This number of loops; a number outside 1...64 becomes the nearest one inside.
    public init(_ count: Int) { number = min(max(count, 1), LoopCount.limit) }

    /// This number of loops; a number outside 1...64 becomes the nearest one inside.
    public init(integerLiteral value: Int) { self.init(value) }

    /// The number of loops in this process.
    public var count: Int { number ?? min(max(LoopCount.usableCores, 1), LoopCount.limit) }

    var isAutomatic: Bool { number == nil }

    private static var usableCores: Int {
        let cores = Int(cepoll_usable_cores())
        return CPUQuota.current.map { min(cores, $0) } ?? cores
    }

    /// Reads a number from 1 to 64, or `automatic`; nil for any other text.
    init?(_ text: String) {
        if text == LoopCount.automaticWord {
            self = .automatic
        } else if let number = Int(text), (1...LoopCount.limit).contains(number) {
            self.init(number)
        } else {
            return nil
        }
    }

    package static let automaticWord = "automatic"
    /// The end of an error that begins with "must be".
    package static let wanted = "a whole number between 1 and \(limit), or \"\(automaticWord)\""

    /// The environment variable that is used if the settings give no number.
    static let variable = "PLUGBOARD_LOOPS"

    /// Reads the environment variable; nil if it is not set or empty. Throws `configuration` for a bad value.
    init?(environment text: String? = environment(LoopCount.variable)) throws(PlugboardError) {
        guard let text, !text.isEmpty else { return nil }
        guard let count = LoopCount(text) else {
            throw PlugboardError(
                .configuration,
                "The environment variable \(LoopCount.variable) must be \(LoopCount.wanted), "
                    + "not \"\(Printable.text(text))\".")
        }
        self = count
    }
}

extension KernelSettings {
    /// The fewest connections that a loop has if the number of loops is automatic.
    private static let connectionsOfLoop = 8

    /// How many loops a kernel with these settings runs: never more than one of the limits of connections, so that each
    /// loop may have a connection. An automatic number leaves each loop some more.
    ///
    /// - Parameter warn: Called with a sentence if there are fewer loops than the number that was set.
    func loopCount(_ warn: (String) -> Void) throws(PlugboardError) -> Int {
        var wanted = loops
        if wanted == nil { wanted = try LoopCount() }
        guard let wanted else { return 1 }
        let limits = [("connections", connections), ("connectionsPerHost", connectionsPerHost)].filter { $0.1 > 0 }
        guard let (name, limit) = limits.min(by: { $0.1 < $1.1 }) else { return wanted.count }
        if wanted.isAutomatic { return min(wanted.count, max(limit / KernelSettings.connectionsOfLoop, 1)) }
        if wanted.count > limit {
            warn(
                "The kernel runs \(limit) of \(wanted.count) loops, because \(name) allows no more connections. Raise "
                    + "\(name) or lower loops.")
        }
        return min(wanted.count, limit)
    }
}
