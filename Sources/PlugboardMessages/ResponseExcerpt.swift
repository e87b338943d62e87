/// The head and the first bytes of a response that a program refused, as a `PlugboardError` keeps them.
///
/// It is not part of the error's texts: what a server sends may be secret.
public struct ResponseExcerpt: Sendable {
    /// Status and fields.
    public let head: ResponseHead
    /// The URL that responded.
    public let url: String
    /// The first bytes of the body.
    public let firstBytes: Bytes
    /// Whether `firstBytes` are the whole body.
    public let isWhole: Bool

    /// An excerpt of a response.
    public init(head: ResponseHead, url: String, firstBytes: Bytes, isWhole: Bool) {
        self.head = head
        self.url = url
        self.firstBytes = firstBytes
        self.isWhole = isWhole
    }

    /// The status of the head, such as 404.
    public var status: Int { head.status }
}

/// An excerpt in a shared object, which says whether two errors are about the same response.
final class StoredExcerpt: Sendable, Equatable {
    let excerpt: ResponseExcerpt

    init(_ excerpt: ResponseExcerpt) { self.excerpt = excerpt }

    /// Two errors are equal if they are about the same response.
    static func == (left: StoredExcerpt, right: StoredExcerpt) -> Bool { left === right }
}
