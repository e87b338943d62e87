// Secret fields are never printed, are dropped when a resend goes to another origin, and are stored only by plugins
// that were told to store them.

extension Fields {
    /// Whether the field at this index is secret.
    @inlinable
    public func isSecret(at index: Int) -> Bool {
        withContents { entries, _ in
            precondition(entries.indices.contains(index), "There is no field of this index.")
            return entries[index].isSecret
        }
    }

    /// Whether there is a field of this name that is secret.
    public func isSecret(_ name: FieldName) -> Bool {
        withUTF8(name.text) { name in
            withContents { entries, bytes in entries.contains { $0.isSecret && Fields.matches($0, bytes, name) } }
        }
    }

    /// Marks the fields of this name as secret: never printed, and not sent to another origin on a resend.
    public mutating func markSecret(_ name: FieldName) {
        withUTF8(name.text) { markSecret($0) }
    }

    /// Marks the fields of this name as secret.
    public mutating func markSecret(_ name: UnsafeRawBufferPointer) {
        let open = withContents { entries, bytes in
            entries.indices.filter { !entries[$0].isSecret && Fields.matches(entries[$0], bytes, name) }
        }
        if open.isEmpty { return }
        let storage = writableStorage()
        storage.withEntries { entries, _ in for index in open { entries[index].isSecret = true } }
    }

    /// Removes all secret fields.
    public mutating func removeSecrets() {
        let first = withContents { entries, _ in entries.firstIndex { $0.isSecret } }
        if let first { removeEntries(from: first) { entry, _ in entry.isSecret } }
    }

    /// Whether fields of this name are always secret: those that usually hold credentials. This is the one list of such
    /// names; `kernel.secretFields` of a configuration adds others.
    @inline(__always)
    static func isAlwaysSecret(_ name: UnsafeRawBufferPointer) -> Bool {
        guard name.count >= 4 else { return false }
        if lowercased(name[0]) == UInt8(ascii: "x") { return isSecretExtension(name) }
        // The secret endings are those of the list below; most other names have other last letters.
        switch (lowercased(name[name.count - 2]), lowercased(name[name.count - 1])) {
        case (UInt8(ascii: "e"), UInt8(ascii: "n")), (UInt8(ascii: "e"), UInt8(ascii: "t")),
            (UInt8(ascii: "e"), UInt8(ascii: "y")), (UInt8(ascii: "o"), UInt8(ascii: "n")):
            if hasSecretEnding(name) { return true }
        default: break
        }
        return switch name.count {
        case 4: equals(name, "dpop")
        case 5: equals(name, "token")
        case 6: equals(name, "cookie") || equals(name, "apikey")
        case 7: equals(name, "api-key")
        case 10: equals(name, "set-cookie") || equals(name, "fastly-key")
        case 13: equals(name, "authorization")
        case 18: equals(name, "dd-application-key")
        case 19: equals(name, "authentication-info")
        case 25: equals(name, "proxy-authentication-info") || equals(name, "ocp-apim-subscription-key")
        default: false
        }
    }

    /// Not inlined, because few messages have such fields.
    @inline(never)
    private static func isSecretExtension(_ name: UnsafeRawBufferPointer) -> Bool {
        hasSecretEnding(name)
            || secretExtensions.contains { $0.utf8CodeUnitCount == name.count && equals(name, $0) }
    }

    private static let secretExtensions: [StaticString] = [
        "x-apikey", "x-auth", "x-auth-key", "x-functions-key", "x-honeycomb-team", "x-parse-master-key", "x-password",
        "x-rapidapi-key", "x-secret", "x-secret-key", "x-session-id", "x-token",
    ]

    /// Whether the name ends as `X-Amz-Security-Token`, `CF-Access-Client-Secret` and `Proxy-Authorization` do.
    @inline(never)
    private static func hasSecretEnding(_ name: UnsafeRawBufferPointer) -> Bool {
        secretEndings.contains { ending in
            let count = ending.utf8CodeUnitCount
            return name.count > count && equals(UnsafeRawBufferPointer(rebasing: name[(name.count - count)...]), ending)
        }
    }

    private static let secretEndings: [StaticString] = [
        "-token", "-secret", "-api-key", "-access-key", "-customer-key", "-encryption-key", "-authorization",
        "-jwt-assertion",
    ]

    private static func equals(_ name: UnsafeRawBufferPointer, _ lowercase: StaticString) -> Bool {
        for offset in 0..<name.count where lowercased(name[offset]) != lowercase.utf8Start[offset] { return false }
        return true
    }
}
