public import PlugboardMessages

/// The codes of reachability.
extension PlugboardError.Code {
    /// The system does not let the program read its routing table.
    public static let networkUnreadable: Self = "network.unreadable"
}
