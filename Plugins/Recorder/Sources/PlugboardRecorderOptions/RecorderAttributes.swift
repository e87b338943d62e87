import PlugboardKit

/// The attributes of the plugin `recorder`.
public struct RecorderAttributes: AttributeTable {
    /// All keys.
    public static let keys = RecorderAttributes()

    /// What is recorded of the request: off, heads, capped or whole.
    public let bodies = AttributeKey<RecordedBodies>(
        "recorder", "bodies", "What is recorded of the request: off, heads, capped or whole.")
    /// A word that the record carries, by which it can be found.
    public let label = AttributeKey<String>(
        "recorder", "label", "A word that the record carries, by which it can be found.")
}

extension Request {
    /// The attributes for the plugin `recorder`.
    public var recorder: RequestAttributes<RecorderAttributes> {
        get { RequestAttributes<RecorderAttributes>(self) }
        set { self = newValue.request }
    }
}

extension PlugboardError.Code {
    /// The arguments of a command of the plugin `recorder` are not valid.
    public static let recorderArgument: Self = "recorder.argument"
    /// A file is not HAR 1.2, or cannot be read or written.
    public static let recorderFile: Self = "recorder.file"
    /// The file of recorded exchanges cannot be read or written.
    public static let recorderStore: Self = "recorder.store"
}
