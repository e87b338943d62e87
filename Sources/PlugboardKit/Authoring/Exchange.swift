import CPlugboard

/// One request and its outcome, as a hook sees it. Valid until the hook returns; it cannot be kept.
public struct Exchange: ~Copyable {
    let raw: OpaquePointer
    // Without counting references, because the kernel keeps the instance until its last hook has returned.
    unowned(unsafe) let instance: Instance
    let host: UnsafePointer<plug_host_v1>
    /// The first of the hook's edits that the kernel refused: see `Head`.
    let refusal: UnsafeMutablePointer<String?>
    let stage: Stage

    /// Which body a hook may put a source around.
    enum Stage { case request, response, other }

    /// Why this hook runs.
    public var visit: Visit { Visit(rawValue: host.pointee.visit(raw)) ?? .first }

    /// A number that no other exchange of this kernel has. Valid also after the hook, for `PluginHost.publish` and
    /// `PluginHost.send`.
    public var id: UInt64 { host.pointee.exchange_id(raw) }

    /// How many attempts there were, the one under way included: 0 before the first.
    public var attempt: Int { Int(host.pointee.attempt(raw)) }

    /// The request as this plugin sees it. Edits count in `onRequest`, and before `resend`.
    public var request: Head {
        // plugboard.h promises that it is never NULL.
        Head(raw: host.pointee.request(raw)!, host: host, refusal: refusal)
    }

    /// The response, once there is one. It can be edited in `onResponse`.
    public var response: Head? {
        guard let head = host.pointee.response(raw) else { return nil }
        return Head(raw: head, host: host, refusal: refusal)
    }

    /// In `onFailure`, and in `onClose` after a failure: what went wrong.
    public var failure: PlugboardError? {
        var code = plug_text()
        var reason = plug_text()
        guard host.pointee.failure(raw, &code, &reason) == PLUG_OK else { return nil }
        return PlugboardError(.init(code.string), reason.string)
    }

    /// Whether `resend` would be accepted: not when a body that has begun cannot be rewound.
    public var canResend: Bool { host.pointee.can_resend(raw) == PLUG_OK }

    /// The URL that a reference means here (RFC 3986 §5, against the request's URL), normalized; nil if it is not
    /// valid.
    public func resolve(_ reference: String) -> String? {
        withText(reference) { host.pointee.resolve_url(raw, $0).optionalString }
    }

    /// The attributes that the request itself carries, without those that the configuration gives for its origin.
    ///
    /// - Parameter includesSecrets: Whether those are among them that their plugin's table calls secret.
    public func ownAttributes(includesSecrets: Bool) -> Attributes {
        var own = Attributes()
        for (name, value) in attributes {
            let flags = attributeFlags(name)
            guard flags & PLUG_ATTRIBUTE_OWN != 0 else { continue }
            if includesSecrets || flags & PLUG_ATTRIBUTE_SECRET == 0 { own[name] = value }
        }
        return own
    }

    /// Whether the request itself carries an attribute; false for one that the configuration gives for its origin.
    public func carries(_ attribute: String) -> Bool { attributeFlags(attribute) & PLUG_ATTRIBUTE_OWN != 0 }

    private func attributeFlags(_ name: String) -> plug_attribute_flags {
        withText(name) { host.pointee.attribute_flags(raw, $0) }
    }

    /// The id of the plugin that sent the request as a sub-request; nil for a request of the program.
    public var sender: String? { host.pointee.sender(raw).optionalString }

    /// The options that the request itself has, beside those of the configuration. They can hold secrets.
    public var options: RequestOptions {
        var options = RequestOptions()
        // The kernel gives only names and values that it takes.
        for option in optionTexts { _ = options.set(option.name, to: option.value) }
        return options
    }

    /// The same as texts, in the names and words of the configuration's `kernel`, and whether a value holds a secret,
    /// such as the password of a proxy.
    public var optionTexts: [(name: String, value: String, isSecret: Bool)] {
        var options: [(name: String, value: String, isSecret: Bool)] = []
        var (option, flags): (plug_field, plug_option_flags) = (plug_field(), 0)
        while host.pointee.option_at(raw, UInt64(options.count), &option, &flags) == PLUG_OK {
            options.append((option.name.string, option.value.string, flags & PLUG_FLAG_SECRET != 0))
        }
        return options
    }

    // MARK: Attributes

    /// An attribute that the request carries, or that the configuration gives for its origin.
    public subscript<Value>(key: AttributeKey<Value>) -> Value? {
        withText(key.name) { host.pointee.attribute(raw, $0).optionalString }.flatMap { Value.optionForm.read($0) }
    }

    /// The attribute of any name, as text.
    public func attribute(_ name: String) -> String? {
        withText(name) { host.pointee.attribute(raw, $0).optionalString }
    }

    /// All attributes that `attribute(_:)` would find, by their whole names.
    public var attributes: [String: String] {
        var attributes: [String: String] = [:]
        var attribute = plug_field()
        while host.pointee.attribute_at(raw, UInt64(attributes.count), &attribute) == PLUG_OK {
            attributes[attribute.name.string] = attribute.value.string
        }
        return attributes
    }

    /// Sets an attribute of the request, in a steering hook.
    ///
    /// Returns false, and sets nothing, for a name that is not an attribute of an enabled plugin, for a value that does
    /// not fit that plugin's table, and where all attributes were more than 64 KiB.
    @discardableResult
    public func setAttribute(_ name: String, _ value: String) -> Bool {
        withText(name) { name in withText(value) { host.pointee.set_attribute(raw, name, $0) == PLUG_OK } }
    }

    // MARK: State

    /// The plugin's state of this turn, released after its `onClose`.
    public var turnState: AnyObject? {
        get { host.pointee.turn_state(raw).map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() } }
        nonmutating set {
            let state = newValue.map { Unmanaged.passRetained($0).toOpaque() }
            if host.pointee.set_turn_state(raw, state, releaseObject) == PLUG_OK { return }
            if let state { releaseObject(state) }
            refused("it set its turn's state when the exchange had ended")
        }
    }

    /// The plugin's state of this exchange, over all its turns and resends, released at its end.
    public var state: AnyObject? {
        get { slot(makingOne: false)?.state }
        nonmutating set { slot(makingOne: newValue != nil)?.state = newValue }
    }

    /// A ticket for `.wait(_:)`: the exchange waits until the ticket is woken, or for at most `within`. Each ticket
    /// starts its own time.
    public func ticket(within: Duration? = nil) -> Ticket {
        var number: plug_ticket = 0
        _ = host.pointee.wait(raw, within.map { max($0.nanoseconds, 0) } ?? -1, &number)
        if number == 0 { refused("it asked for a ticket in a hook that cannot wait") }
        return Ticket(number: number, host: instance.host)
    }

    // MARK: Bodies

    /// After `hold`: the whole body, in place; the pointer is valid until `body` returns.
    public func withHeldBody<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(host.pointee.held_body(raw).buffer)
    }

    /// Puts a source around the request's body, if it has one, in `onRequest`; a fault in another hook. The closure
    /// gets the body as it is, and owns it.
    public func wrapRequestBody(_ wrap: (InnerBody) -> any BodySource) {
        guard stage == .request else { return refused("it wrapped the request's body outside onRequest") }
        guard let body = host.pointee.take_request_body(raw) else { return }
        let source = wrap(InnerBody(body, host: host))
        set(host.pointee.set_request_body, ExportedSource.make(source, host: instance.host), "request")
    }

    /// In `onResponse`: all bytes of the response's body, in place, if they are in memory already, as those of most
    /// small bodies are. The pointer is valid until `body` returns. Nil, without a call of `body`, otherwise, and for a
    /// response without a body.
    ///
    /// A plugin that only reads the body needs no source around it then. The reader gets the body as without this call;
    /// whether it ends well is known in `onClose`.
    public func withWholeResponseBody<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result? {
        var bytes = plug_text()
        guard host.pointee.whole_response_body(raw, &bytes) == 1 else { return nil }
        return try body(bytes.buffer)
    }

    /// Puts a source around the response's body, if it has one, in `onResponse`; a fault in another hook. The closure
    /// gets the body as it is, and owns it.
    public func wrapResponseBody(_ wrap: (InnerBody) -> any BodySource) {
        guard stage == .response else { return refused("it wrapped the response's body outside onResponse") }
        guard let body = host.pointee.take_response_body(raw) else { return }
        let source = wrap(InnerBody(body, host: host))
        set(host.pointee.set_response_body, ExportedSource.make(source, host: instance.host), "response")
    }

    /// Gives the request another body, or none, in place of what it has.
    public func replaceRequestBody(_ body: Body?) {
        let exported = body.map { ExportedSource.make($0.source, host: instance.host) } ?? nil
        set(host.pointee.set_request_body, exported, "request")
    }

    private func set(_ set: (OpaquePointer?, OpaquePointer?) -> UInt32, _ body: OpaquePointer?, _ whose: String) {
        if set(raw, body) != PLUG_OK { refused("it replaced the \(whose)'s body in a hook that cannot edit it") }
    }

    /// Notes an edit that was refused: a fault of the plugin when the hook returns.
    private func refused(_ what: String) {
        if refusal.pointee == nil { refusal.pointee = what }
    }

    // MARK: State of PlugboardKit beside the plugin's own

    /// The one object that stands in the kernel's slot for this plugin and exchange.
    final class StateBox {
        var state: AnyObject?
        var work: PendingWork?
    }

    func slot(makingOne: Bool) -> StateBox? {
        if let state = host.pointee.exchange_state(raw) {
            return Unmanaged<StateBox>.fromOpaque(state).takeUnretainedValue()
        }
        guard makingOne else { return nil }
        let slot = StateBox()
        let state = Unmanaged.passRetained(slot).toOpaque()
        if host.pointee.set_exchange_state(raw, state, releaseObject) != PLUG_OK { releaseObject(state) }
        return slot
    }
}

/// Releases an object that was handed over as a pointer.
let releaseObject: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void = { state in
    if let state { Unmanaged<AnyObject>.fromOpaque(state).release() }
}

/// An exchange that waits.
public struct Ticket: Sendable {
    let number: plug_ticket
    let host: PluginHost

    /// Lets the waiting hook run again. From any thread. Returns false if it does not wait any more.
    @discardableResult
    public func wake() -> Bool { host.raw.pointee.wake(host.raw, number) == PLUG_OK }
}
