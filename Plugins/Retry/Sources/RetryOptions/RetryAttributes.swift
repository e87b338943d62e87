import PlugboardKit

/// What a request can say to the plugin `retry`.
public enum RetryAttributes {}
