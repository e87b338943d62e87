import PlugboardKit

/// The content of one `Set-Cookie` field (RFC 6265bis §5.6), parsed without a jar or a clock. Names and values stay
/// bytes.
struct SetCookie: Equatable, Sendable {
    /// Empty for a cookie without a name.
    var name: [UInt8] = []
    var value: [UInt8] = []
    /// The last valid `Max-Age`, in seconds, clamped to 64 bits.
    var maxAge: Int64?
    /// The last valid `Expires`, in seconds since 1970.
    var expires: Int64?
    /// The last `Domain`, in lower case and without its leading dot; empty if its value is empty, nil without the
    /// attribute.
    var domain: [UInt8]?
    /// The last `Path`; empty, for the default path, if it is invalid; nil without the attribute.
    var path: [UInt8]?
    var isSecure = false
    var isHTTPOnly = false
    var sameSite = SameSite.unset

    /// The most octets that name and value may have together.
    static let pairLimit = 4096
    /// The most octets that an attribute's value may have.
    static let attributeLimit = 1024

    init(name: [UInt8], value: [UInt8]) {
        self.name = name
        self.value = value
    }

    init(_ text: [UInt8]) throws(Refusal) {
        self = try text.withUnsafeBufferPointer { (text) throws(Refusal) in try SetCookie(UnsafeRawBufferPointer(text))
        }
    }

    /// Parses a field's value, in linear time.
    init(_ text: UnsafeRawBufferPointer) throws(Refusal) {
        guard !text.contains(where: SetCookie.isControl) else { throw .controlCharacter }
        var rest = text[...]
        let pair = SetCookie.next(&rest)
        let (first, second) = SetCookie.split(pair)
        // Without an equals sign, the whole pair is the value.
        let (name, value) = second.map { (first, $0) } ?? (text[text.endIndex...], first)
        guard name.count + value.count <= SetCookie.pairLimit else { throw .tooLong }
        self.name = Array(name)
        self.value = Array(value)
        while !rest.isEmpty {
            rest = rest.dropFirst()
            take(SetCookie.next(&rest))
        }
    }

    private mutating func take(_ attribute: Slice<UnsafeRawBufferPointer>) {
        let (name, given) = SetCookie.split(attribute)
        let value = given ?? attribute[attribute.endIndex...]
        guard value.count <= SetCookie.attributeLimit else { return }
        // The longest known attribute name has eight letters.
        guard name.count <= 8 else { return }
        switch String(decoding: name.map(lowercaseASCII), as: UTF8.self) {
        case "expires": expires = CookieDate(value)?.seconds ?? expires
        case "max-age": maxAge = SetCookie.seconds(value) ?? maxAge
        case "domain":
            let isDotted = value.first == UInt8(ascii: ".")
            domain = value.dropFirst(isDotted ? 1 : 0).map(lowercaseASCII)
        case "path": path = value.first == UInt8(ascii: "/") ? Array(value) : []
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite": sameSite = SameSite(attribute: value)
        default: break
        }
    }

    /// §5.6 step 1: tabs are allowed, other control characters are not.
    static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }

    /// The text before the next semicolon, which stays in `rest`.
    private static func next(_ rest: inout Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
        defer { rest = rest[end...] }
        return rest[..<end]
    }

    /// The texts before and after the first equals sign, without surrounding blanks; the second is nil without a sign.
    private static func split(
        _ text: Slice<UnsafeRawBufferPointer>
    ) -> (Slice<UnsafeRawBufferPointer>, Slice<UnsafeRawBufferPointer>?) {
        guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return (trimmed(text), nil) }
        return (trimmed(text[..<equals]), trimmed(text[text.index(after: equals)...]))
    }

    private static func trimmed(_ text: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        guard let start = text.firstIndex(where: { !isBlank($0) }), let end = text.lastIndex(where: { !isBlank($0) })
        else { return text[text.endIndex...] }
        return text[start...end]
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// §5.6.2: an optional minus sign and digits; nil for anything else.
    private static func seconds(_ text: Slice<UnsafeRawBufferPointer>) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = text.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        var seconds: Int64 = 0
        for digit in digits {
            let (product, isTooLarge) = seconds.multipliedReportingOverflow(by: 10)
            let (sum, isOut) = product.addingReportingOverflow(Int64(digit & 0x0F))
            if isTooLarge || isOut { return isNegative ? .min : .max }
            seconds = sum
        }
        return isNegative ? -seconds : seconds
    }
}

/// The value of `SameSite` (RFC 6265bis §5.6.7). Stored and listed, but not enforced, because there is no navigation.
enum SameSite: String, Sendable, CaseIterable {
    /// No attribute, or an unknown value: the draft's "Default".
    case unset = "default"
    case none, lax, strict

    init(attribute value: some Collection<UInt8>) {
        // The longest known value has six letters.
        let word = value.count <= 6 ? String(decoding: value.map(lowercaseASCII), as: UTF8.self) : ""
        self = word == "default" ? .unset : SameSite(rawValue: word) ?? .unset
    }
}

/// An ASCII letter in lower case; any other byte unchanged.
func lowercaseASCII(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
