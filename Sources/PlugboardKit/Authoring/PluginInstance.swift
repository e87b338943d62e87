import JSON

/// The life and the hooks of a plugin: a part of the life of exchanges, see the picture in `plugboard.h`.
///
/// A program gives a kernel an instance of its own with `PluginEntry.linked`; instances of a `Plugin` are made by the kernel.
///
/// One instance an id. Hooks run on the loop and must not block: slow work is `.wait { … }`. Hooks of one exchange never overlap; those of
/// several may run at once on several loops. An error that a hook throws is a fault of the plugin, and the configuration says what
/// follows (`onFault`); to fail an exchange on purpose return `.fail`. Only the hooks that the manifest lists are called.
public protocol PluginInstance: Sendable {
    /// What configurations can say to the plugin; nothing by default.
    associatedtype Settings: PluginSettings = NoSettings

    /// What the plugin says of itself.
    static var manifest: Manifest { get }

    /// Judges together what the configuration says to this plugin in the section of one origin; each value alone fits
    /// the manifest.
    ///
    /// After the instance is made and before `start`, for each section with attributes of this plugin, unless the section switches
    /// the plugin off. An error refuses the configuration with its description, which must hold no secrets. What a
    /// request says itself is not asked about: its hooks judge that.
    func check(_ attributes: Attributes) throws

    /// All plugins are created, and the host works in full; an error ends the start-up.
    func start() throws

    /// No exchange will come any more, and the tasks of `PluginHost.startTask` have ended. Off the loop, on a thread
    /// that may be blocked; what has not returned by the deadline is not waited for.
    func stop(within: Duration) async

    /// The request's head on its way in; at each attempt that a plugin further out asks for.
    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict

    /// The response's head on its way out, where the plugin's `onRequest` has let the request pass.
    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict

    /// There is no response; `exchange.failure` says why.
    func onFailure(_ exchange: borrowing Exchange) throws -> FailureVerdict

    /// Once for each turn that was opened, on every path.
    func onClose(_ exchange: borrowing Exchange, _ outcome: Outcome)

    /// A fact of an exchange, or of the kernel (nil).
    func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?)

    /// A command of the manifest. Not on the loop; may block; answers once, now or later.
    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply)
}

extension PluginInstance {
    public func check(_ attributes: Attributes) throws {}
    public func start() throws {}
    public func stop(within: Duration) async {}
    public func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict { .next }
    public func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict { .next }
    public func onFailure(_ exchange: borrowing Exchange) throws -> FailureVerdict { .next }
    public func onClose(_ exchange: borrowing Exchange, _ outcome: Outcome) {}
    public func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?) {}

    public func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        reply.fail(PlugboardError(.pluginCommand, "\(Self.manifest.id) lists \(name) but does not answer it."))
    }
}
