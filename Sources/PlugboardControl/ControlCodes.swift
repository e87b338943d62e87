import PlugboardMessages

/// The codes of the socket of a running program.
extension PlugboardError.Code {
    /// The socket cannot be opened, another process listens at it, or its process has ended.
    public static let controlSocket: Self = "control.socket"
    /// What a peer has asked for is not a request that the socket of a program knows.
    public static let controlRequest: Self = "control.request"
}
