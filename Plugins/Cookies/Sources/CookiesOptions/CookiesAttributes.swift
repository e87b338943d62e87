import PlugboardKit

/// What a request can say to the plugin `cookies`.
public enum CookiesAttributes {}
