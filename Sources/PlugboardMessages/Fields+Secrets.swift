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
        guard name.count >= 6 else { return false }
        if lowercased(name[0]) == UInt8(ascii: "x") { return isSecretExtension(name) }
        return switch name.count {
        case 6: equals(name, "cookie") || equals(name, "apikey")
        case 7: equals(name, "api-key")
        case 9: equals(name, "job-token")
        case 10: equals(name, "set-cookie") || equals(name, "dd-api-key")
        case 12: equals(name, "deploy-token") || equals(name, "circle-token")
        case 13: equals(name, "authorization") || equals(name, "private-token")
        case 18: equals(name, "dd-application-key")
        case 19: equals(name, "proxy-authorization") || equals(name, "authentication-info")
        case 25: equals(name, "proxy-authentication-info") || equals(name, "ocp-apim-subscription-key")
        default: false
        }
    }

    /// Not inlined, because few messages have such fields.
    @inline(never)
    private static func isSecretExtension(_ name: UnsafeRawBufferPointer) -> Bool {
        secretExtensions.contains { $0.utf8CodeUnitCount == name.count && equals(name, $0) }
    }

    private static let secretExtensions: [StaticString] = [
        "x-access-key", "x-access-token", "x-algolia-api-key", "x-amz-security-token", "x-api-key", "x-api-secret",
        "x-api-token", "x-apikey", "x-app-token", "x-auth", "x-auth-key", "x-auth-token", "x-authorization",
        "x-client-secret", "x-consul-token", "x-csrf-token", "x-figma-token", "x-forwarded-access-token",
        "x-functions-key", "x-gitlab-token", "x-goog-api-key", "x-hasura-admin-secret", "x-id-token", "x-jwt-assertion",
        "x-parse-master-key", "x-parse-rest-api-key", "x-plex-token", "x-rapidapi-key", "x-refresh-token",
        "x-secret-key", "x-service-token", "x-session-token", "x-shopify-access-token", "x-subject-token", "x-token",
        "x-user-token", "x-vault-token", "x-xsrf-token",
    ]

    private static func equals(_ name: UnsafeRawBufferPointer, _ lowercase: StaticString) -> Bool {
        for offset in 0..<name.count where lowercased(name[offset]) != lowercase.utf8Start[offset] { return false }
        return true
    }
}
