import PlugboardKit

/// The settings of the plugin `mock`, for configurations and for programs in code.
///
///     .mock { $0.rules = "mock.json" }
public struct MockSettings: PluginSettings {
    /// A file of rules.
    @Setting("A file of rules.")
    public var rules: String? = nil
    /// A HAR 1.2 file, whose responses are given again.
    @Setting("A HAR 1.2 file, whose responses are given again.")
    public var har: String? = nil
    /// What happens to a request that no rule matches: it fails, or passes to the network, and may be recorded.
    @Setting(
        "What happens to a request that no rule matches: fail, pass (to the network), or record (pass, and add a rule with the response to the file rules)."
    )
    public var unmatched = Unmatched.fail
    /// The seed of the random choices of rules with a probability.
    @Setting("The seed of the random choices of rules with a probability.")
    public var seed = 1
    /// The most bytes of a request's body that are held, to compare it with rules for bodies, and of a response's body
    /// that is recorded.
    @Setting(
        "The most bytes of a request's body that are held, to compare it with rules for bodies, and of a response's body that is recorded."
    )
    public var bodyLimit = ByteCount.mebibytes(1)

    /// What happens to a request that no rule matches.
    public enum Unmatched: String, WordOption {
        /// It fails with `mock.unmatched`.
        case fail
        /// It passes to the network.
        case pass
        /// It passes to the network, and its response becomes a rule in the file `rules`.
        case record
    }

    /// All settings at their defaults.
    public init() {}
}

/// The attributes of the plugin `mock`.
public struct MockAttributes: AttributeTable {
    /// All keys.
    public static let keys = MockAttributes()

    /// How long the request waits before it is sent, or has its response.
    public let latency = AttributeKey<Duration>(
        "mock", "latency", "How long the request waits before it is sent, or has its response.")
    /// The most bytes of the response's body in a second.
    public let rate = AttributeKey<ByteCount>("mock", "rate", "The most bytes of the response's body in a second.")
}

extension Request {
    /// The attributes for the plugin `mock`.
    public var mock: RequestAttributes<MockAttributes> {
        get { RequestAttributes<MockAttributes>(self) }
        set { self = newValue.request }
    }
}

extension PlugboardError.Code {
    /// No rule is for the request.
    public static let mockUnmatched: Self = "mock.unmatched"
    /// A command of the plugin `mock` lacks an argument.
    public static let mockArgument: Self = "mock.argument"
}
