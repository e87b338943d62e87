import PlugboardKit

/// What a request can say to the plugin `cookies`.
public enum CookiesAttributes {
    public static let jar = AttributeKey<String>(
        "cookies", "jar", "The jar whose cookies are sent, and that keeps those that come.")
    public static let send = AttributeKey<Bool>("cookies", "send", "False sends no cookies.")
    public static let store = AttributeKey<Bool>("cookies", "store", "False keeps none of the cookies that come.")
}

extension Request {
    /// What the request says to the plugin `cookies`; nil leaves it to the plugin's settings.
    public var cookies: CookiesRequest {
        get { CookiesRequest(request: self) }
        set { self = newValue.request }
    }
}

/// A request as the plugin `cookies` sees it: `request.cookies.jar = "alice"`.
public struct CookiesRequest: Sendable {
    fileprivate var request: Request

    /// The jar whose cookies are sent, and that keeps those that come.
    public var jar: String? {
        get { request[CookiesAttributes.jar] }
        set { request[CookiesAttributes.jar] = newValue }
    }

    /// False sends no cookies.
    public var send: Bool? {
        get { request[CookiesAttributes.send] }
        set { request[CookiesAttributes.send] = newValue }
    }

    /// False keeps none of the cookies that come.
    public var store: Bool? {
        get { request[CookiesAttributes.store] }
        set { request[CookiesAttributes.store] = newValue }
    }
}
