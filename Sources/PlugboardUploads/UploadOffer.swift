import PlugboardMessages

/// The capabilities for resumable uploads that a server tells in its response to an OPTIONS request.
package struct UploadOffer: Sendable, Equatable {
    /// `.tus`, `.draft`, or `.automatic` if the server tells none.
    package var resumption: Upload.Resumption
    /// Whether the creation of an upload may have content (the extension `creation-with-upload` of tus).
    var takesContent = false
    /// Whether it verifies the SHA-256 of a request's bytes (the extension `checksum` of tus).
    var verifiesSHA256 = false

    /// Larger contents are not sent with the creation, because an interruption would lose them.
    static let contentLimit = 1 << 20

    /// The offer of a server that tells nothing.
    init() { resumption = .automatic }

    init(_ fields: Fields) {
        let extensions = UploadDialect.list(fields["Tus-Extension"])
        let isTus = UploadDialect.list(fields["Tus-Version"]).contains(UploadDialect.tusVersion)
        // The draft is recognized by its field of limits.
        resumption =
            isTus && extensions.contains("creation")
            ? .tus : fields.contains("Upload-Limit") ? .draft : .automatic
        takesContent = extensions.contains("creation-with-upload")
        verifiesSHA256 =
            extensions.contains("checksum") && UploadDialect.list(fields["Tus-Checksum-Algorithm"]).contains("sha256")
    }
}
