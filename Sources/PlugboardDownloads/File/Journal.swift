import PlugboardJSON
import PlugboardMessages
import PlugboardRanges

/// The journal of a partial file: the facts about its bytes. It is written before the first byte.
struct Journal: Sendable, Equatable {
    private static let version = 4
    /// The most ranges of a journal, to keep writing fast. Smaller ranges are left out, and received again.
    static let rangeLimit = 1024
    /// The most URLs of a journal. Bytes of URLs that are left out are received again.
    static let urlLimit = 100

    /// The SHA-256 of the URL that has sent the bytes, because the URL itself may hold credentials.
    var url: String
    /// The same of all URLs of the file, including mirrors.
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

    /// The normalized and hashed form in which URLs are compared.
    static func key(of url: String) -> String { Bytes(NormalURL(url)?.text ?? url).sha256 }

    /// The bytes of a file that can be used.
    ///
    /// - Parameters:
    ///   - size: The length of the file.
    ///   - boot: The present boot of the system.
    func received(size: Int, boot: String) -> ByteRanges {
        guard !boot.isEmpty, boot == self.boot else { return synced.clipped(to: size) }
        return written?.clipped(to: size) ?? ByteRanges(0..<size)
    }

    /// Nil for a journal that is damaged or of another version.
    init?(_ bytes: [UInt8]) {
        guard let object = (try? JSONParser.parse(bytes))?.objectValue,
            object["plugboardDownload"]?.numberValue?.integer(Int.self) == Journal.version,
            let url = object["url"]?.stringValue, let boot = object["boot"]?.stringValue,
            let synced = Journal.ranges(object["synced"]),
            let coding = object["coding"]?.stringValue, let acceptsRanges = object["acceptsRanges"]?.boolValue,
            let marks = object["marks"]?.arrayValue
        else { return nil }
        var length: Int?
        if let value = object["length"] {
            guard let number = value.numberValue?.integer(Int.self), number >= 0 else { return nil }
            length = number
        }
        if let value = object["written"] {
            guard let ranges = Journal.ranges(value), length != nil else { return nil }
            written = ranges
        }
        if let value = object["combination"] {
            guard let known = value.stringValue.flatMap({ Combination($0) }) else { return nil }
            combination = known
        }
        if let value = object["announced"] {
            guard let digest = value.stringValue.flatMap({ ExpectedDigest($0) }) else { return nil }
            announced = digest
        }
        if let value = object["pieces"] {
            guard let digest = value.stringValue.flatMap({ ExpectedDigest($0) }),
                let ranges = Journal.ranges(object["verified"])
            else { return nil }
            pieces = digest
            verified = ranges
        }
        if let value = object["file"] {
            guard let mark = FileMark(value) else { return nil }
            file = mark
        }
        for value in object["digests"]?.arrayValue ?? [] {
            guard let state = Journal.digest(value) else { return nil }
            digests.append(state)
        }
        // The validator is parsed from the original fields again, so that it cannot be a weak one.
        var fields = Fields()
        if let tag = object["entityTag"]?.stringValue { fields.append(.etag, tag) }
        if let modified = object["lastModified"]?.stringValue, let date = object["date"]?.stringValue {
            fields.append(.lastModified, modified)
            fields.append(.date, date)
        }
        self.url = url
        urls = Set((object["urls"]?.arrayValue ?? []).compactMap(\.stringValue)).union([url])
        self.boot = boot
        self.synced = synced
        name = object["name"]?.stringValue
        trust = TransferTrust(
            isVerified: object["isVerified"]?.boolValue ?? true, detour: object["detour"]?.stringValue)
        representation = Representation(
            validator: StrongValidator(fields), length: length, coding: coding, acceptsRanges: acceptsRanges,
            marks: marks.compactMap(\.stringValue))
    }

    var text: [UInt8] {
        let known = representation
        var object: JSONObject = [
            "plugboardDownload": .number(JSONNumber(Journal.version)), "url": .string(url),
            "urls": .array(urls.sorted().prefix(Journal.urlLimit).map { .string($0) }), "boot": .string(boot),
            "synced": Journal.value(synced), "coding": .string(known.coding),
            "acceptsRanges": .bool(known.acceptsRanges), "marks": .array(known.marks.map { .string($0) }),
        ]
        if let length = known.length { object["length"] = .number(JSONNumber(length)) }
        if let written { object["written"] = Journal.value(written) }
        if let name { object["name"] = .string(name) }
        if let combination { object["combination"] = .string(combination.text) }
        if let announced { object["announced"] = .string(announced.text) }
        if let pieces {
            object["pieces"] = .string(pieces.text)
            object["verified"] = Journal.value(verified)
        }
        if !trust.isVerified { object["isVerified"] = false }
        if let detour = trust.detour { object["detour"] = .string(detour) }
        if let file { object["file"] = file.value }
        if !digests.isEmpty { object["digests"] = .array(digests.map { Journal.value($0) }) }
        switch known.validator {
        case .entityTag(let tag): object["entityTag"] = .string(tag)
        case .lastModified(let date):
            object["lastModified"] = .string(date.description)
            object["date"] = .string(HTTPDate(seconds: date.seconds + 86_400).description)
        case nil: break
        }
        return JSONWriter.write(.object(object)) + [UInt8(ascii: "\n")]
    }

    /// `["sha-256", count, "word", …]`, with the words in hexadecimal digits.
    private static func value(_ digest: RunningDigest.State) -> JSONValue {
        .array(
            [.string(digest.algorithm.rawValue), .number(JSONNumber(digest.count))]
                + digest.words.map { .string(String($0, radix: 16)) })
    }

    private static func digest(_ value: JSONValue) -> RunningDigest.State? {
        guard let members = value.arrayValue, members.count == 10,
            let algorithm = members[0].stringValue.flatMap({ ExpectedDigest.Algorithm($0) }),
            let count = members[1].numberValue?.integer(Int.self)
        else { return nil }
        return RunningDigest.State(
            algorithm, count: count,
            words: members[2...].compactMap { $0.stringValue.flatMap { UInt64($0, radix: 16) } })
    }

    /// `[first, end, first, end, …]`, in ascending order.
    private static func value(_ ranges: ByteRanges) -> JSONValue {
        .array(
            ranges.largest(rangeLimit).flatMap {
                [.number(JSONNumber($0.lowerBound)), .number(JSONNumber($0.upperBound))]
            })
    }

    private static func ranges(_ value: JSONValue?) -> ByteRanges? {
        guard let elements = value?.arrayValue, elements.count.isMultiple(of: 2), elements.count <= 2 * rangeLimit
        else { return nil }
        var ranges = ByteRanges()
        var end = -1
        for index in stride(from: 0, to: elements.count, by: 2) {
            guard let first = elements[index].numberValue?.integer(Int.self),
                let next = elements[index + 1].numberValue?.integer(Int.self), first > end, next > first
            else { return nil }
            ranges.insert(first..<next)
            end = next
        }
        return ranges
    }
}
