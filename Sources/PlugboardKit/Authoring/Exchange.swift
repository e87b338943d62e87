import CPlugboard

/// One request and its outcome, as a hook sees it. Valid until the hook returns; it cannot be kept.
public struct Exchange: ~Copyable {
    let raw: OpaquePointer
    // Unowned without reference counting, because the kernel keeps the instance until its last hook has returned.
    unowned(unsafe) let instance: Instance
    let host: UnsafePointer<plug_host_v1>
    /// The first of the hook's edits that the kernel refused: see `Head`.
    let refusal: UnsafeMutablePointer<String?>
    let stage: Stage

    /// The body around which the hook may put a source.
    enum Stage { case request, response, other }

    /// Why this hook runs.
    public var visit: Visit { Visit(rawValue: host.pointee.visit(raw)) ?? .first }

    /// A number that no other exchange of this kernel has. Also valid after the hook, for `PluginHost.publish` and
    /// `PluginHost.send`.
    public var id: UInt64 { host.pointee.exchange_id(raw) }

    /// The number of attempts so far, including the current one; 0 before the first.
    public var attempt: Int { Int(host.pointee.attempt(raw)) }

    /// The request as this plugin sees it. Edits take effect in `onRequest`, and before `resend`.
    public var request: Head {
        // plugboard.h promises that it is never NULL.
        Head(raw: host.pointee.request(raw)!, host: host, refusal: refusal)
    }

    /// The response; nil before there is one. It can be edited in `onResponse`.
    public var response: Head? {
        guard let head = host.pointee.response(raw) else { return nil }
        return Head(raw: head, host: host, refusal: refusal)
    }

    /// The error, in `onFailure` and in `onClose` after a failure; otherwise nil.
    public var failure: PlugboardError? {
        var code = plug_text()
        var reason = plug_text()
        guard host.pointee.failure(raw, &code, &reason) == PLUG_OK else { return nil }
        return PlugboardError(.init(code.string), reason.string)
    }

    /// Whether `resend` would be accepted. False if the request's body has begun and cannot be rewound.
    public var canResend: Bool { host.pointee.can_resend(raw) == PLUG_OK }

    /// Resolves a reference against the request's URL (RFC 3986 §5). Returns a normalized URL; nil if it is invalid.
    public func resolve(_ reference: String) -> String? {
        withText(reference) { host.pointee.resolve_url(raw, $0).optionalString }
    }

    /// The attributes that the request itself carries, without those that the configuration gives for its origin.
    ///
    /// - Parameter includesSecrets: Whether to include attributes that their plugin's table marks as secret.
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

    /// The request's own options, without those of the configuration. They can hold secrets.
    public var options: RequestOptions {
        var options = RequestOptions()
        // The kernel gives only names and values that `set` accepts.
        for option in optionTexts { _ = options.set(option.name, to: option.value) }
        return options
    }

    /// `options` as texts, with the names and words of the configuration's `kernel`, and whether a value holds a
    /// secret, such as the password of a proxy.
    public var optionTexts: [(name: String, value: String, isSecret: Bool)] {
        var options: [(name: String, value: String, isSecret: Bool)] = []
        var (option, flags): (plug_field, plug_option_flags) = (plug_field(), 0)
        while host.pointee.option_at(raw, UInt64(options.count), &option, &flags) == PLUG_OK {
            options.append((option.name.string, option.value.string, flags & PLUG_FLAG_SECRET != 0))
        }
        return options
    }

    // MARK: Attributes

    /// Whether there is any attribute, of this plugin or of another one. Most requests have none: a hook that reads
    /// several asks this first.
    public var hasAttributes: Bool { host.pointee.attribute_at(raw, 0, nil) == PLUG_OK }

    /// An attribute that the request carries, or that the configuration gives for its origin.
    public subscript<Value>(key: AttributeKey<Value>) -> Value? {
        let text = host.pointee.attribute(raw, key.text)
        // Most requests have none; the rest is code without specialization.
        guard text.bytes != nil else { return nil }
        return Value.optionForm.read(text.string)
    }

    /// The attribute with this name, as text.
    public func attribute(_ name: String) -> String? {
        withText(name) { host.pointee.attribute(raw, $0).optionalString }
    }

    /// All attributes that `attribute(_:)` would find, by their full names (`ID.NAME`).
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
    /// not fit that plugin's table, and if all attributes together would exceed 64 KiB.
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
        get {
            let kept = kept
            guard let box = box(kept) else { return kept }
            return box.state
        }
        nonmutating set {
            if let box = box(kept) { box.state = newValue } else { keep(newValue) }
        }
    }

    /// A ticket for `.wait(_:)`: the exchange waits until the ticket is woken, or for at most `within`. Each
    /// ticket has its own time limit.
    public func ticket(within: Duration? = nil) -> Ticket {
        var number: plug_ticket = 0
        _ = host.pointee.wait(raw, within.map { max($0.nanoseconds, 0) } ?? -1, &number)
        if number == 0 { refused("it asked for a ticket in a hook that cannot wait") }
        return Ticket(number: number, host: instance.host)
    }

    // MARK: Bodies

    /// Calls `body` with the whole body after a `hold`, in place. The pointer is valid until `body` returns.
    public func withHeldBody<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(host.pointee.held_body(raw).buffer)
    }

    /// Puts a source around the request's body, if there is one. Call it in `onRequest`; in another hook it is a fault.
    /// The closure gets the current body, and owns it.
    public func wrapRequestBody(_ wrap: (InnerBody) -> any BodySource) {
        guard stage == .request else { return refused("it wrapped the request's body outside onRequest") }
        guard let body = host.pointee.take_request_body(raw) else { return }
        let source = wrap(InnerBody(body, host: host))
        set(host.pointee.set_request_body, ExportedSource.make(source, host: instance.host), "request")
    }

    /// In `onResponse`, calls `body` with the whole body of the response, in place, if it is already in memory, as most
    /// small bodies are. The pointer is valid until `body` returns. Otherwise, and for a response without a body,
    /// returns nil and does not call `body`.
    ///
    /// A plugin that only reads the body then needs no source around it. The reader gets the body unchanged;
    /// only `onClose` shows whether the body ends without an error.
    public func withWholeResponseBody<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result? {
        var bytes = plug_text()
        guard host.pointee.whole_response_body(raw, &bytes) == 1 else { return nil }
        return try body(bytes.buffer)
    }

    /// Puts a source around the response's body, if there is one. Call it in `onResponse`; in another hook it is a
    /// fault. The closure gets the current body, and owns it.
    public func wrapResponseBody(_ wrap: (InnerBody) -> any BodySource) {
        guard stage == .response else { return refused("it wrapped the response's body outside onResponse") }
        guard let body = host.pointee.take_response_body(raw) else { return }
        let source = wrap(InnerBody(body, host: host))
        set(host.pointee.set_response_body, ExportedSource.make(source, host: instance.host), "response")
    }

    /// Replaces the request's body by another one, or removes it.
    public func replaceRequestBody(_ body: Body?) {
        let exported = body.map { ExportedSource.make($0.source, host: instance.host) } ?? nil
        set(host.pointee.set_request_body, exported, "request")
    }

    private func set(_ set: (OpaquePointer?, OpaquePointer?) -> UInt32, _ body: OpaquePointer?, _ whose: String) {
        if set(raw, body) != PLUG_OK { refused("it replaced the \(whose)'s body in a hook that cannot edit it") }
    }

    /// Notes a refused edit, which becomes a fault of the plugin when the hook returns.
    private func refused(_ what: String) {
        if refusal.pointee == nil { refusal.pointee = what }
    }

    // MARK: State of PlugboardKit

    /// The plugin's state with its work. Most plugins have no work: their state needs no box.
    final class StateBox {
        var state: AnyObject?
        var work: PendingWork?
    }

    /// The object that the kernel stores for this plugin and exchange: its state, or the box with it.
    private var kept: AnyObject? {
        host.pointee.exchange_state(raw).map { Unmanaged<AnyObject>.fromOpaque($0).takeUnretainedValue() }
    }

    // Each event of a plugin asks for its state, and a cast takes longer.
    @inline(__always)
    private func box(_ kept: AnyObject?) -> StateBox? {
        guard let kept, type(of: kept) == StateBox.self else { return nil }
        return unsafeDowncast(kept, to: StateBox.self)
    }

    private func keep(_ object: AnyObject?) {
        let state = object.map { Unmanaged.passRetained($0).toOpaque() }
        if host.pointee.set_exchange_state(raw, state, releaseObject) != PLUG_OK { releaseObject(state) }
    }

    func slot(makingOne: Bool) -> StateBox? {
        let state = kept
        if let box = box(state) { return box }
        guard makingOne else { return nil }
        let box = StateBox()
        box.state = state
        keep(box)
        return box
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

    /// Lets the waiting hook run again. From any thread. Returns false if the hook no longer waits.
    @discardableResult
    public func wake() -> Bool { host.raw.pointee.wake(host.raw, number) == PLUG_OK }
}
