import PlugboardKit

/// What a plugin in Swift that provides a store writes: how its engine carries out commands.
///
/// `StoreService` checks commands, keeps their times and watches, and makes the table in C.
public protocol StoreEngine: AnyObject, Sendable {
    /// The engine, in a word.
    var name: String { get }

    /// Carries a valid command out. Called on any thread, by several at once, in the order of each caller.
    ///
    /// It must not block. Call `done` once, within this call or later, from any thread; also for a command whose time
    /// is over by then. Commands for one key take effect in the order of the calls. Changes of keys that were read with
    /// a watch are told by `service.changed`.
    func perform(
        _ command: StoreCommand, for service: StoreService,
        _ done: @escaping @Sendable (Result<StoreReply, StoreFailure>) -> Void)

    /// Ends a watch: no change is told to it any more.
    func unwatch(_ watch: StoreWatch)
}
