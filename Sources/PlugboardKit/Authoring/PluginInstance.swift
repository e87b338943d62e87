import PlugboardJSON

/// The hooks of a plugin, through which it takes part in the life of exchanges.
///
/// A program gives its kernel an instance of its own with `PluginEntry.linked`. Instances of a `Plugin` are made by the
/// kernel.
///
/// A kernel has one instance of each id. Hooks run on the loop and must not block: slow work is `.wait { … }`. Hooks of
/// one exchange never overlap; hooks of several exchanges may run at once on several loops. An error that a hook throws
/// is a fault of the plugin, and the configuration says what follows (`onFault`). To fail an exchange on purpose,
/// return `.fail`. Only the hooks that the manifest lists are called.
public protocol PluginInstance: Sendable {
    /// The plugin's settings; `NoSettings` if it has none.
    associatedtype Settings: PluginSettings = NoSettings

    /// The plugin's description of itself: its id, version, priority, hooks, attributes and commands.
    static var manifest: Manifest { get }

    /// Checks the combination of the attributes that the configuration gives to requests to one origin. Each single
    /// attribute already fits the manifest.
    ///
    /// Called after the instance was made and before `start`, once for each origin with attributes of this plugin,
    /// unless the configuration switches the plugin off for that origin. An error refuses the configuration with its
    /// description, which must hold no secrets. Attributes that a request itself carries are not checked here, but by
    /// the hooks.
    func check(_ attributes: Attributes) throws

    /// Called when all plugins are created, on the thread that makes the kernel. The whole host works from now on. An
    /// error ends the start-up.
    func start() throws

    /// Returns the service of that id, one of the manifest's `provides`: the address of a table of functions in C,
    /// whose layout the id defines permanently.
    ///
    /// Called once for each id after `start`, before the plugins that need it are started. The table stays valid as
    /// long as this instance. Nil ends the start-up.
    func service(_ id: String) -> UnsafeRawPointer?

    /// Called after the last exchange, when the tasks of `PluginHost.startTask` have ended.
    ///
    /// Not on the loop, and may block for up to `within`; after that it is cancelled.
    func stop(within: Duration) async

    /// Called with the head of a request on its way in, before any plugin further in. [loop]
    ///
    /// It may edit `exchange.request`, put a source around its body, and decide: `.next`, `.respond`, `.hold`, `.wait`
    /// or `.fail`. After `.hold` and `.wait` it is called again, with another `exchange.visit`. It is also called for
    /// each attempt that a plugin further out asks for with a resend.
    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict

    /// Called with the head of a response on its way out, after all plugins further in, if the plugin's `onRequest` has
    /// let the request pass. [loop]
    ///
    /// It may edit `exchange.response`, put a source around its body, and decide: `.next`, `.respond`, `.resend`,
    /// `.hold`, `.wait` or `.fail`.
    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict

    /// Called in place of `onResponse` when there is no response, with the reason in `exchange.failure`. [loop]
    ///
    /// It may decide: `.next`, `.respond`, `.resend`, `.wait`, or `.fail` with another error.
    func onFailure(_ exchange: borrowing Exchange) throws -> FailureVerdict

    /// Called exactly once for each turn that the plugin opened with `.next`, on every path, after the body's end.
    /// [loop]
    func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome)

    /// Called with an event of an exchange, or of the kernel (nil). The hook cannot change anything. [loop]
    func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?)

    /// Called for a command of the manifest, with its arguments as a JSON object.
    ///
    /// Not on the loop; may block. Give the result through `reply`, once, now or later.
    func command(_ name: String, _ arguments: JSONValue, _ reply: Reply)
}

extension PluginInstance {
    public func check(_ attributes: Attributes) throws {}
    public func start() throws {}
    public func service(_ id: String) -> UnsafeRawPointer? { nil }
    public func stop(within: Duration) async {}
    public func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict { .next }
    public func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict { .next }
    public func onFailure(_ exchange: borrowing Exchange) throws -> FailureVerdict { .next }
    public func onClose(_ exchange: borrowing Exchange, _ outcome: TurnOutcome) {}
    public func onEvent(_ event: borrowing Event, _ exchange: borrowing Exchange?) {}

    public func command(_ name: String, _ arguments: JSONValue, _ reply: Reply) {
        reply.fail(PlugboardError(.commandFailed, "\(Self.manifest.id) lists \(name) but has no function for it."))
    }
}
