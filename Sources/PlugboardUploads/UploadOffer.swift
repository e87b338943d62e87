import PlugboardMessages

/// What a server says of resumable uploads in its response to an OPTIONS request.
package struct UploadOffer: Sendable, Equatable {
    /// `.tus`, `.draft`, or `.automatic` if it says nothing.
    package var resumption: Upload.Resumption
    /// Whether the creation of an upload may have content (the extension `creation-with-upload` of tus).
    var takesContent = false
    /// Whether it verifies the SHA-256 of a request's bytes (the extension `checksum` of tus).
    var verifiesSHA256 = false

    /// A larger content is not sent with the creation: a break would lose it.
    static let contentLimit = 1 << 20

    /// A server that says nothing.
    init() { resumption = .automatic }

    init(_ fields: Fields) {
        let extensions = UploadDialect.list(fields["Tus-Extension"])
        let isTus = UploadDialect.list(fields["Tus-Version"]).contains(UploadDialect.tusVersion)
        // The draft is known by the limits that it tells.
        resumption =
            isTus && extensions.contains("creation")
            ? .tus : fields.contains("Upload-Limit") ? .draft : .automatic
        takesContent = extensions.contains("creation-with-upload")
        verifiesSHA256 =
            extensions.contains("checksum") && UploadDialect.list(fields["Tus-Checksum-Algorithm"]).contains("sha256")
    }
}
