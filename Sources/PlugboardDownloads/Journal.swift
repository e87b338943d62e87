import PlugboardJSON
import PlugboardMessages
import PlugboardRanges

/// What is known about the bytes of a partial file. It is written before the first of them.
struct Journal: Sendable, Equatable {
    private static let version = 1

    /// The SHA-256 of the URL, because the URL itself may hold credentials.
    let url: String
    /// The start of the system in which the bytes were written.
    let boot: String
    var representation: Representation
    /// How many bytes are on the disk for certain, whatever happened to the system.
    var synced = 0

    init(url: String, boot: String, representation: Representation) {
        self.url = url
        self.boot = boot
        self.representation = representation
    }

    /// The form in which URLs are compared.
    static func key(of url: String) -> String { Bytes(NormalURL(url)?.text ?? url).sha256 }

    /// Nil for a journal that is damaged or of another version.
    init?(_ bytes: [UInt8]) {
        guard let object = (try? JSONParser.parse(bytes))?.objectValue,
            object["plugboardDownload"]?.numberValue?.integer(Int.self) == Journal.version,
            let url = object["url"]?.stringValue, let boot = object["boot"]?.stringValue,
            let synced = object["synced"]?.numberValue?.integer(Int.self), synced >= 0,
            let coding = object["coding"]?.stringValue, let acceptsRanges = object["acceptsRanges"]?.boolValue,
            let marks = object["marks"]?.arrayValue
        else { return nil }
        var length: Int?
        if let value = object["length"] {
            guard let number = value.numberValue?.integer(Int.self), number >= 0 else { return nil }
            length = number
        }
        // The validator is read again from the fields that it came from, so that no weak one can stand here.
        var fields = Fields()
        if let tag = object["entityTag"]?.stringValue { fields.append(.etag, tag) }
        if let modified = object["lastModified"]?.stringValue, let date = object["date"]?.stringValue {
            fields.append(.lastModified, modified)
            fields.append(.date, date)
        }
        self.url = url
        self.boot = boot
        self.synced = synced
        representation = Representation(
            validator: StrongValidator(fields), length: length, coding: coding, acceptsRanges: acceptsRanges,
            marks: marks.compactMap(\.stringValue))
    }

    var text: [UInt8] {
        let known = representation
        var object: JSONObject = [
            "plugboardDownload": .number(JSONNumber(Journal.version)), "url": .string(url), "boot": .string(boot),
            "synced": .number(JSONNumber(synced)), "coding": .string(known.coding),
            "acceptsRanges": .bool(known.acceptsRanges), "marks": .array(known.marks.map { .string($0) }),
        ]
        if let length = known.length { object["length"] = .number(JSONNumber(length)) }
        switch known.validator {
        case .entityTag(let tag): object["entityTag"] = .string(tag)
        case .lastModified(let date):
            object["lastModified"] = .string(date.description)
            object["date"] = .string(HTTPDate(seconds: date.seconds + 86_400).description)
        case nil: break
        }
        return JSONWriter.write(.object(object)) + [UInt8(ascii: "\n")]
    }
}
