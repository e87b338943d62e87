import PlugboardKit

/// What a request can say to the plugin `cache`.
public enum CacheAttributes {}
