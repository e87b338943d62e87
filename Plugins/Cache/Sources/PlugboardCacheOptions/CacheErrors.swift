import PlugboardKit

extension PlugboardError.Code {
    /// A stored body is damaged; its entry has been removed.
    public static let cacheDamaged: Self = "cache.damaged"
    /// A stored body was removed while it was read.
    public static let cacheRemoved: Self = "cache.removed"
    /// The file or the store of the cache cannot be read.
    public static let cacheUnreadable: Self = "cache.unreadable"
    /// A command of the cache has arguments that it cannot use, or its reply cannot be read.
    public static let cacheCommand: Self = "cache.command"
}
