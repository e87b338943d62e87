import PlugboardFieldValues
import PlugboardJSONCoding
import PlugboardMessages
import PlugboardRanges

/// The journal of a partial file: the facts about its bytes. It is written before the first byte.
struct Journal: Sendable, Equatable {
    private static let version = 4
    /// The most ranges of a journal, to keep writing fast. Smaller ranges are left out, and received again.
    static let rangeLimit = 1024
    /// The most URLs of a journal. Bytes of URLs that are left out are received again.
    static let urlLimit = 100

    /// The `resourceKey` of the request whose response had the bytes.
    var url: String
    /// The `resourceKey` of each request for the file, including mirrors.
    var urls: Set<String>
    /// The boot of the system in which the bytes were written.
    var boot: String
    var representation: Representation
    /// The name that the server gave the file, as it was sent.
    var name: String?
    /// The bytes that are certainly on the disk, even after a crash of the system.
    var synced = ByteRanges()
    /// The written bytes of a file that already has its whole length. Nil if the file consists of the first bytes
    /// only.
    var written: ByteRanges?
    /// The reason why bytes of several servers could be combined; nil if all are of one server.
    var combination: Combination?
    /// The trust with which the bytes were received.
    var trust = TransferTrust()
    /// The partial file when the journal was written. Digests of its bytes are valid only while the mark is the same.
    var file: FileMark?
    /// The states from which the digests of the first bytes continue.
    var digests: [RunningDigest.State] = []
    /// The digest that the server announced with the first bytes.
    var announced: ExpectedDigest?
    /// Identifies the digests of pieces to which `verified` belongs.
    var pieces: ExpectedDigest?
    /// The bytes of the verified pieces.
    var verified = ByteRanges()

    /// Two servers can have different files under one validator, so that combining needs a reason.
    enum Combination: Sendable, Equatable {
        /// The complete file is verified with this digest.
        case verified(ExpectedDigest)
        /// The caller knows that all servers have the same bytes.
        case trusted

        init?(_ text: String) {
            if text == "trusted" {
                self = .trusted
            } else if let digest = ExpectedDigest(text) {
                self = .verified(digest)
            } else {
                return nil
            }
        }

        var text: String {
            switch self {
            case .verified(let digest): digest.text
            case .trusted: "trusted"
            }
        }
    }

    init(url: String, boot: String, representation: Representation) {
        self.url = url
        urls = [url]
        self.boot = boot
        self.representation = representation
    }

    /// The bytes of a file that can be used.
    ///
    /// - Parameters:
    ///   - size: The length of the file.
    ///   - boot: The present boot of the system.
    func received(size: Int, boot: String) -> ByteRanges {
        guard !boot.isEmpty, boot == self.boot else { return synced.clipped(to: size) }
        return written?.clipped(to: size) ?? ByteRanges(0..<size)
    }

    /// The members of the text. URLs are hashed, and the validator is in the fields of the response.
    private struct Text: Codable {
        struct Digest: Codable {
            let function: String
            let count: Int
            let words: [UInt64]
        }

        let plugboardDownload: Int
        let url: String
        let urls: [String]
        let boot: String
        let synced: ByteRanges
        let coding: String
        let acceptsRanges: Bool
        let marks: [String]
        let length: Int?
        let written: ByteRanges?
        let name: String?
        let combination: String?
        let announced: String?
        let pieces: String?
        let verified: ByteRanges
        let isVerified: Bool
        let detour: String?
        let file: FileMark?
        let digests: [Digest]
        var entityTag: String?
        var lastModified: String?
        var date: String?
    }

    /// Nil for a journal that is damaged or of another version.
    init?(_ bytes: [UInt8]) {
        guard let text = try? JSONValueDecoder(strict: false).decode(Text.self, from: bytes),
            text.plugboardDownload == Journal.version, text.length ?? 0 >= 0, text.written == nil || text.length != nil
        else { return nil }
        // The validator is parsed from the original fields again, so that it cannot be a weak one.
        var fields = Fields()
        if let tag = text.entityTag { fields.append(.etag, tag) }
        if let modified = text.lastModified, let date = text.date {
            fields.append(.lastModified, modified)
            fields.append(.date, date)
        }
        self.init(
            url: text.url, boot: text.boot,
            representation: Representation(
                validator: StrongValidator(fields), length: text.length, coding: text.coding,
                acceptsRanges: text.acceptsRanges, marks: text.marks))
        combination = text.combination.flatMap { Combination($0) }
        announced = text.announced.flatMap { ExpectedDigest($0) }
        pieces = text.pieces.flatMap { ExpectedDigest($0) }
        digests = text.digests.compactMap { digest in
            ExpectedDigest.Algorithm(digest.function).flatMap {
                RunningDigest.State($0, count: digest.count, words: digest.words)
            }
        }
        guard (combination == nil) == (text.combination == nil), (announced == nil) == (text.announced == nil),
            (pieces == nil) == (text.pieces == nil), digests.count == text.digests.count
        else { return nil }
        urls.formUnion(text.urls)
        (synced, written, verified) = (text.synced, text.written, text.verified)
        name = text.name
        trust = TransferTrust(isVerified: text.isVerified, detour: text.detour)
        file = text.file
    }

    var text: [UInt8] {
        let limit = Journal.rangeLimit
        var text = Text(
            plugboardDownload: Journal.version, url: url, urls: Array(urls.sorted().prefix(Journal.urlLimit)),
            boot: boot, synced: synced.largest(limit), coding: representation.coding,
            acceptsRanges: representation.acceptsRanges, marks: representation.marks, length: representation.length,
            written: written?.largest(limit), name: name, combination: combination?.text, announced: announced?.text,
            pieces: pieces?.text, verified: verified.largest(limit), isVerified: trust.isVerified,
            detour: trust.detour, file: file,
            digests: digests.map { Text.Digest(function: $0.algorithm.rawValue, count: $0.count, words: $0.words) })
        switch representation.validator {
        case .entityTag(let tag): text.entityTag = tag
        case .lastModified(let date):
            text.lastModified = date.description
            text.date = HTTPDate(seconds: date.seconds + 86_400).description
        case nil: break
        }
        // Encoding fails only for infinite numbers and NaN, and a journal has neither.
        return ((try? JSONValueEncoder().bytes(of: text)) ?? []) + [UInt8(ascii: "\n")]
    }
}
