// What `print`, `dump` and `String(reflecting:)` show of messages: never a secret.

extension Fields: CustomReflectable {
    /// Each field as `printable` leaves it.
    public var customMirror: Mirror {
        Mirror(self, children: map { (label: printable($0.name), value: printable($0)) }, displayStyle: .struct)
    }
}

extension Fields.Element: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(
            self, children: ["name": printable(name), "value": printable(self), "isSecret": isSecret],
            displayStyle: .struct)
    }
}

extension Attributes: CustomReflectable {
    /// The names alone: only a plugin's table tells which values are secret.
    public var customMirror: Mirror {
        Mirror(self, children: values.keys.sorted().map { (label: $0, value: "…") }, displayStyle: .struct)
    }
}

extension Request: CustomReflectable {
    /// The body shows as its length.
    public var customMirror: Mirror {
        var children: [Mirror.Child] = [
            ("method", method.name), ("url", printable(redacted(url: url))), ("fields", fields),
        ]
        if let body { children.append(("body", body.length.map { "\($0) bytes" } ?? "of unknown length")) }
        if !attributes.isEmpty { children.append(("attributes", attributes)) }
        if hasOptions { children.append(("options", options)) }
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

/// The URL of a proxy, which may hold a password.
struct ProxyURL: Sendable, Equatable, CustomReflectable, CustomStringConvertible {
    let text: String

    var description: String { printable(redacted(url: text)) }
    var customMirror: Mirror { Mirror(reflecting: description) }
}
