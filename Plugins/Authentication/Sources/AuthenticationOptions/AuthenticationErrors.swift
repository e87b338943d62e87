import PlugboardKit

extension PlugboardError.Code {
    /// What a request or its origin's section says of its credential does not make one.
    public static let authenticationCredential: Self = "authentication.credential"
    /// A secret could not be had, or not be had anew.
    public static let authenticationRefresh: Self = "authentication.refresh"
}
