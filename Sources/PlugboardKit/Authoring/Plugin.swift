// Arguments and answers of commands are JSON: whoever writes a plugin has these types without another import.
@_exported import JSON

/// A part of the life of exchanges: see the picture in `plugboard.h`.
///
/// One instance an id. Hooks run on the loop and must not block: slow work is `.wait { … }`. Hooks of one exchange never overlap; those of
/// several may run at once on several loops. An error that a hook throws is a fault of the plugin, and the configuration says what
/// follows (`onFault`); to fail an exchange on purpose return `.fail`. Only the hooks that the manifest lists are called.
public protocol Plugin: Sendable {
    associatedtype Settings: PluginSettings = NoSettings

    static var manifest: Manifest { get }

    /// Makes the instance; an error refuses the configuration with its description. Of the host only log, clocks, random, counters and data directory work here.
    init(settings: Settings, host: PluginHost) throws

    /// Judges together what the configuration says to this plugin in the section of one origin; each value alone fits
    /// the manifest.
    ///
    /// After `init` and before `start`, for each section with attributes of this plugin, unless the section switches
    /// the plugin off. An error refuses the configuration with its description, which must hold no secrets. What a
    /// request says itself is not asked about: its hooks judge that.
    func check(_ attributes: Attributes) throws

    /// All plugins are created, and the host works in full; an error ends the start-up.
    func start() throws

    /// No exchange will come any more, and the tasks of `PluginHost.startTask` have ended. Off the loop, on a thread
    /// that may be blocked; what has not returned by the deadline is not waited for.
    func stop(within: Duration) async

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict
    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict
    func onFailure(_ exchange: borrowing Exchange) throws -> FailureVerdict

    /// Once for each turn that was opened, on every path.
    func onClose(_ exchange: borrowing Exchange, _ outcome: Outcome)

    /// A fact of an exchange, or of the kernel (nil).
    func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?)

    /// A command of the manifest. Not on the loop; may block; answers once, now or later.
    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply)
}

extension Plugin {
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
