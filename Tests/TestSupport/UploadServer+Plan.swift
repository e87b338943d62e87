extension UploadServer {
    /// Deviations of the server from correct behaviour.
    package struct Plan: Sendable {
        package var dialect: Dialect
        /// For each request with content, the number of bytes after which the connection is reset; nil receives all.
        package var cuts: [Int?] = []
        /// The numbers, from 1, of requests with content whose response is lost after the content was received.
        package var losesResponse: Set<Int> = []
        /// The closure is called when an upload has this many bytes. Nothing more is received until the client has
        /// disconnected.
        package var stop: (count: Int, reached: @Sendable () -> Void)?
        /// The numbers, from 1 over all requests, of requests before which the server forgets all uploads.
        package var forgetsBefore: Set<Int> = []
        /// Whether the resource of an upload is announced while its content arrives (104).
        package var announces = true
        /// The version of the draft that the announcement names.
        package var announcedVersion = "6"
        /// Whether the draft is announced in responses to OPTIONS requests, by the field of limits.
        package var tellsLimits = false
        /// Called after each piece of content, at most 16 KiB, with the number of bytes of the upload. It may wait.
        package var onPiece: (@Sendable (LoopbackServer.Connection, _ count: Int) throws -> Void)?
        /// The extensions that tus announces (`Tus-Extension`), and its functions of checksums.
        package var extensions = "creation,expiration"
        package var checksums: String?
        /// `Upload-Limit` of the draft, and fields of tus in responses to creations.
        package var creationFields: [ServerResponse.Field] = []
        /// A response that replaces the correct one; gets the number of the request, counted from 1.
        package var override: (@Sendable (Int, ReceivedRequest) -> ServerResponse?)?
        /// The base of the URLs of resources; the server's own by default.
        package var base: String?
        /// The number of bytes by which the reported offset of an upload is too high.
        package var exaggeration = 0

        package init(_ dialect: Dialect) { self.dialect = dialect }
    }
}
