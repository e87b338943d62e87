import CPlugboard

/// Edits with values that come from outside. They throw if the kernel refuses a value, so that the hook can decide.
extension Head {
    /// Sets the URL of a request.
    ///
    /// Throws `request.url` for a text that is not an absolute `http` or `https` URL, and `plugin.fault` where it
    /// cannot be edited.
    public func setURL(_ url: String) throws(PlugboardError) {
        try check(withText(url) { host.pointee.set_url(raw, $0) }, "the request's URL") {
            PlugboardError(.requestURL, "it set the request's URL to a text that is not an absolute http or https URL")
        }
    }

    /// Sets the method of a request.
    ///
    /// Throws `request.field` for a method that is not a token (RFC 9110 §9.1), and `plugin.fault` where it cannot be
    /// edited.
    public func setMethod(_ method: Method) throws(PlugboardError) {
        try check(withText(method.name) { host.pointee.set_method(raw, $0) }, "the request's method") {
            PlugboardError(.requestField, "it set the request's method to a text that is not a token (RFC 9110 §9.1)")
        }
    }

    /// Sets the status of a response.
    ///
    /// Throws `request.field` for a number that is not within 200 to 999, and `plugin.fault` where it cannot be edited.
    public func setStatus(_ status: Int) throws(PlugboardError) {
        try check(host.pointee.set_status(raw, UInt32(clamping: status)), "the response's status") {
            PlugboardError(.requestField, "it set the response's status to \(status), which is not between 200 and 999")
        }
    }

    /// Replaces all fields of this name by one.
    ///
    /// Throws `request.field` for a name that is not a token and a value with CR, LF or NUL (RFC 9110 §5.1, §5.5), and
    /// `plugin.fault` where it cannot be edited.
    public func setField(_ name: FieldName, _ value: String) throws(PlugboardError) {
        try check(withText(name.text) { name in withUTF8(value) { setField(name, $0) } }, name)
    }

    /// Adds a field in addition to those of the same name; throws as `setField` does.
    public func addField(_ name: FieldName, _ value: String) throws(PlugboardError) {
        try check(withText(name.text) { name in withText(value) { host.pointee.add_field(raw, name, $0) } }, name)
    }

    // MARK: Shared by the setters

    func setField(_ name: plug_text, _ value: UnsafeRawBufferPointer) -> UInt32 {
        host.pointee.set_field(raw, name, plug_text(value))
    }

    func removeField(_ name: FieldName) throws(PlugboardError) {
        try check(withText(name.text) { host.pointee.remove_field(raw, $0) }, name)
    }

    /// Notes a refused edit for the end of the hook; the first one counts.
    func noting(_ edit: () throws(PlugboardError) -> Void) {
        do throws(PlugboardError) {
            try edit()
        } catch {
            if let refusal, refusal.pointee == nil { refusal.pointee = error.reason }
        }
    }

    func check(_ code: UInt32, _ name: FieldName) throws(PlugboardError) {
        if code == PLUG_OK { return }
        let isNamed = isToken(name.text)
        try check(code, isNamed ? "the field \(name)" : "a field") {
            PlugboardError(
                .requestField,
                isNamed
                    ? "it gave the field \(name) a value with a line break or NUL"
                    : "it set a field with a name that is not a token (RFC 9110 §5.1)")
        }
    }

    @inline(__always)
    private func check(
        _ code: UInt32, _ what: @autoclosure () -> String, _ complaint: () -> PlugboardError
    ) throws(PlugboardError) {
        if code == PLUG_OK { return }
        if code == PLUG_BAD_ARGUMENT { throw complaint() }
        throw PlugboardError(
            .pluginFault,
            "it edited \(what()) in a hook that cannot edit it: a request can be edited in onRequest and before resend, a "
                + "response in onResponse")
    }
}
