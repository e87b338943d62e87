import PlugboardKit

/// The normal form in which selecting fields are compared (RFC 9111 §4.1).
///
/// All lines of a field become one list without blanks around the commas. In fields of preferences (RFC 9110 §12.5),
/// case, the order of the members and the spelling of weights are normalized too, because they have no meaning.
/// Credentials are replaced by a digest, so that no store contains them.
enum SelectingForm {
    /// The most names in `Vary` that are compared, because each is searched in all fields of every later request.
    static let nameLimit = 100

    /// The request's fields that `Vary` names. For `*` and for too many names, a field `*`, which no request has.
    static func selecting(_ response: Fields, _ request: Fields) -> [StoredResponse.SelectingField] {
        if !response.contains(.vary) { return [] }
        var names: [String] = []
        var known: Set<String> = []
        response.forEachMember(.vary) { member in
            let name = String(decoding: member.lazy.map(lowercaseASCII), as: UTF8.self)
            if known.insert(name).inserted { names.append(name) }
        }
        if names.count > nameLimit || known.contains("*") {
            return [StoredResponse.SelectingField(name: "*", value: nil)]
        }
        return names.map { StoredResponse.SelectingField(name: $0, value: value(of: $0, in: request)) }
    }

    /// - Parameter name: The name in lower case.
    /// - Returns: Nil if the request does not have the field.
    static func value(of name: String, in request: Fields) -> String? {
        var members: [String] = []
        var isThere = false
        let isPreference = preferences.contains(name)
        request.forEachValue(FieldName(name)) { value in
            isThere = true
            var list = FieldList(value)
            while let member = list.next() {
                if !isPreference {
                    members.append(Fields.text(member))
                } else if !member.isEmpty {
                    members.append(Preference(member).description)
                }
            }
        }
        guard isThere else { return nil }
        if isPreference { members.sort() }
        return storable(members.joined(separator: ","), of: name, in: request)
    }

    /// The form of a request's field that may be stored: a digest of a secret one, others unchanged.
    static func storable(_ value: String, of name: String, in request: Fields) -> String {
        request.isSecret(FieldName(name)) ? withUTF8Bytes(value) { Bytes.sha256(of: $0) } : value
    }

    private static let preferences: Set = ["accept", "accept-charset", "accept-encoding", "accept-language"]
}

/// A member of a field of preferences: `en;q=0.5` (RFC 9110 §12.4.2).
struct Preference: CustomStringConvertible {
    /// The name in lower case.
    let name: String
    /// The parameters without blanks, otherwise unchanged, because their values may be case-sensitive.
    let parameters: [String]
    /// The weight in thousandths.
    let weight: Int

    init(_ member: UnsafeRawBufferPointer) {
        // Semicolons in quotes are rare; parts split at them are still compared.
        let parts = member.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: true)
            .map { UnsafeRawBufferPointer(rebasing: $0).trimmed }
        var weight = 1000
        var parameters: [String] = []
        for part in parts.dropFirst() {
            if let quality = Preference.quality(part) { weight = quality } else { parameters.append(Fields.text(part)) }
        }
        name = Fields.text(parts.first?.map(lowercaseASCII) ?? [])
        self.parameters = parameters
        self.weight = weight
    }

    var description: String {
        ([name] + parameters).joined(separator: ";") + (weight == 1000 ? "" : ";q=\(weight)")
    }

    /// `q=0.25` as 250; nil if the part is not a weight.
    private static func quality(_ part: UnsafeRawBufferPointer) -> Int? {
        guard part.count >= 3, part.part(0, 2).equals("q="), part.count <= 7 else { return nil }
        let digits = part.part(2, part.count)
        guard digits[0] == 0x30 || digits[0] == 0x31, digits.count == 1 || digits[1] == UInt8(ascii: ".") else {
            return nil
        }
        var weight = Int(digits[0] - 0x30) * 1000
        var decimal = 100
        for digit in digits.dropFirst(2) {
            guard (0x30...0x39).contains(digit) else { return nil }
            weight += Int(digit - 0x30) * decimal
            decimal /= 10
        }
        return min(weight, 1000)
    }
}
