import PlugboardKit

extension PlugboardError.Code {
    /// More redirects than allowed.
    public static let redirectLimit: Self = "redirect.limit"
    /// A redirect to where nobody should be sent.
    public static let redirectRefused: Self = "redirect.refused"
    /// A body that would have to be sent again cannot begin again.
    public static let redirectBody: Self = "redirect.body"
}
