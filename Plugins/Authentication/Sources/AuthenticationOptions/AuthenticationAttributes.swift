import PlugboardKit

/// What a request can say to the plugin `authentication`.
public enum AuthenticationAttributes {}
