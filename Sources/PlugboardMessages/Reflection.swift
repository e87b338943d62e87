// `print`, `dump` and `String(reflecting:)` of messages show no secrets.

extension Fields: CustomReflectable {
    /// Shows the fields in the form of `Printable`.
    public var customMirror: Mirror {
        Mirror(
            self, children: map { (label: Printable.text($0.name), value: Printable.value(of: $0)) },
            displayStyle: .struct)
    }
}

extension Fields.Element: CustomReflectable {
    /// Shows the field in the form of `Printable`.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["name": Printable.text(name), "value": Printable.value(of: self), "isSecret": isSecret],
            displayStyle: .struct)
    }
}

extension Attributes: CustomReflectable {
    /// Shows the names only, because it is not known here which values are secret.
    public var customMirror: Mirror {
        Mirror(self, children: values.keys.sorted().map { (label: $0, value: "…") }, displayStyle: .struct)
    }
}

extension Request: CustomStringConvertible {
    /// Method and URL, the fields, the body's length, the names of the attributes and the options that are set, each on
    /// a line; no secrets, and of the URL's query the names only.
    public var description: String {
        var lines = ["\(Printable.text(method.name)) \(Printable.url(url))"]
        lines += fields.map { "\(Printable.text($0.name)): \(Printable.value(of: $0))" }
        if let body { lines.append("body: \(body.length.map { "\($0) bytes" } ?? "of unknown length")") }
        if !attributes.isEmpty {
            lines.append("attributes: \(attributes.values.keys.sorted().joined(separator: ", "))")
        }
        if hasOptions { lines.append("options: \(Request.set(in: options).joined(separator: ", "))") }
        return lines.joined(separator: "\n")
    }

    private static func set(in options: Any) -> [String] {
        Mirror(reflecting: options).children.flatMap { name, value in
            let mirror = Mirror(reflecting: value)
            // The proxy is stored in a type that shows no password.
            let name = name == "proxyURL" ? "proxy" : name ?? ""
            if mirror.displayStyle == .struct { return set(in: value).map { "\(name).\($0)" } }
            if mirror.displayStyle != .optional { return ["\(name) \(value)"] }
            return mirror.children.map { "\(name) \($0.value)" }
        }
    }
}

extension Request: CustomReflectable {
    /// Shows no secrets, and the body's length instead of the body.
    public var customMirror: Mirror {
        var children: [Mirror.Child] = [
            ("method", method.name), ("url", Printable.url(url)), ("fields", fields),
        ]
        if let body { children.append(("body", body.length.map { "\($0) bytes" } ?? "of unknown length")) }
        if !attributes.isEmpty { children.append(("attributes", attributes)) }
        if hasOptions { children.append(("options", options)) }
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension PlugboardError: CustomReflectable {
    /// Shows all but the refused response.
    public var customMirror: Mirror {
        var children: [Mirror.Child] = [("code", code), ("reason", reason)]
        if let plugin { children.append(("plugin", plugin)) }
        if let attempt { children.append(("attempt", attempt)) }
        if let underlying { children.append(("underlying", underlying)) }
        return Mirror(self, children: children, displayStyle: .struct)
    }
}

extension ResponseExcerpt: CustomReflectable {
    /// Shows no secrets, and the number of bytes instead of the bytes.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "head": head, "url": Printable.url(url), "firstBytes": "\(firstBytes.count) bytes", "isWhole": isWhole,
            ], displayStyle: .struct)
    }
}

/// The URL of a proxy, which may hold a password.
struct ProxyURL: Sendable, Equatable, CustomReflectable, CustomStringConvertible {
    let text: String

    var description: String { Printable.url(text) }
    var customMirror: Mirror { Mirror(reflecting: description) }
}
