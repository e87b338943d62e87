import PlugboardKit

extension PlugboardError.Code {
    /// The exchange was redirected more often than the limit allows.
    public static let redirectLimit: Self = "redirect.limit"
    /// A redirect led to a scheme other than http and https, from https to http, or to a host that is not ASCII.
    public static let redirectRefused: Self = "redirect.refused"
    /// A redirect needs the request's body again, but it cannot be rewound.
    public static let redirectBody: Self = "redirect.body"
}
