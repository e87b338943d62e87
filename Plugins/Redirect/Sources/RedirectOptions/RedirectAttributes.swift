import PlugboardKit

/// What a request can say to the plugin `redirect`.
public enum RedirectAttributes {
    public static let follow = AttributeKey<Bool>(
        "redirect", "follow", "False lets an answer that redirects pass as it is.")
    public static let limit = AttributeKey<Int>(
        "redirect", "limit", "Redirects that are followed; one more fails the exchange.", in: 0...1000)
    public static let keepMethod = AttributeKey<Bool>(
        "redirect", "keepMethod", "True repeats a POST after 301 and 302 as it was, instead of as a GET.")
    public static let allowDowngrade = AttributeKey<Bool>(
        "redirect", "allowDowngrade", "True follows from https to http.")
}

extension Request {
    /// What the request says to the plugin `redirect`; nil leaves it to the plugin's settings.
    public var redirect: RedirectRequest {
        get { RedirectRequest(request: self) }
        set { self = newValue.request }
    }
}

/// A request as the plugin `redirect` sees it: `request.redirect.limit = 5`.
public struct RedirectRequest: Sendable {
    fileprivate var request: Request

    /// False lets an answer that redirects pass as it is.
    public var follow: Bool? {
        get { request[RedirectAttributes.follow] }
        set { request[RedirectAttributes.follow] = newValue }
    }

    /// Redirects that are followed; one more fails the exchange with `redirect.limit`.
    public var limit: Int? {
        get { request[RedirectAttributes.limit] }
        set { request[RedirectAttributes.limit] = newValue }
    }

    /// True repeats a POST after 301 and 302 as it was, instead of as a GET.
    public var keepMethod: Bool? {
        get { request[RedirectAttributes.keepMethod] }
        set { request[RedirectAttributes.keepMethod] = newValue }
    }

    /// True follows from https to http.
    public var allowDowngrade: Bool? {
        get { request[RedirectAttributes.allowDowngrade] }
        set { request[RedirectAttributes.allowDowngrade] = newValue }
    }
}
