import PlugboardKit

extension PlugboardError.Code {
    /// The attributes of a request and of its origin's section do not describe a credential.
    public static let authenticationCredential: Self = "authentication.credential"
    /// A secret could not be fetched.
    public static let authenticationRefresh: Self = "authentication.refresh"
}
