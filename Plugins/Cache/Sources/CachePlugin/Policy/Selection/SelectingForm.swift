import PlugboardKit

/// The normal form in which selecting fields are compared (RFC 9111 §4.1).
///
/// Lines become one list, and blanks beside its commas go. Where the field is defined as preferences (RFC 9110 §12.5), case, the order of members and the way
/// a weight is written go too: none of them means anything. Credentials are kept as a digest, so that none stands in a store.
enum SelectingForm {
    /// Names in `Vary` that are compared; each costs a look at all fields of each later request.
    static let nameLimit = 100

    /// The fields of a request that an answer's `Vary` names. Of `*`, and of too many names, one of that name, which no request has.
    static func selecting(_ answer: Fields, _ request: Fields) -> [StoredResponse.SelectingField] {
        var names: [String] = []
        var known: Set<String> = []
        answer.forEachMember(.vary) { member in
            let name = String(decoding: member.lazy.map(lowercaseASCII), as: UTF8.self)
            if known.insert(name).inserted { names.append(name) }
        }
        if names.count > nameLimit || known.contains("*") {
            return [StoredResponse.SelectingField(name: "*", value: nil)]
        }
        return names.map { StoredResponse.SelectingField(name: $0, value: value(of: $0, in: request)) }
    }

    /// - Parameter name: In lower case.
    /// - Returns: Nil if the request has no such field.
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
        return storable(members.joined(separator: ","), of: name)
    }

    /// What a store may hold of a request's field: of credentials, a digest, which tells them apart as well.
    ///
    /// - Parameter name: In lower case.
    static func storable(_ value: String, of name: String) -> String {
        credentials.contains(name) ? withUTF8Bytes(value) { SHA256.hexadecimal(of: $0) } : value
    }

    private static let preferences: Set = ["accept", "accept-charset", "accept-encoding", "accept-language"]
    private static let credentials: Set = ["authorization", "cookie", "proxy-authorization"]
}

/// One member of a field of preferences: `en;q=0.5` (RFC 9110 §12.4.2).
struct Preference: CustomStringConvertible {
    /// In lower case.
    let name: String
    /// As they came, but for blanks: their values may be case-sensitive.
    let parameters: [String]
    /// Thousandths.
    let weight: Int

    init(_ member: UnsafeRawBufferPointer) {
        // Semicolons in quotes are rare, and in no member that is common: what comes apart at them is compared all the same.
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

    /// `q=0.25` as 250; nil for what is no weight.
    private static func quality(_ part: UnsafeRawBufferPointer) -> Int? {
        guard part.count >= 3, part.part(0, 2).equals("q="), part.count <= 7 else { return nil }
        let digits = part.part(2, part.count)
        guard digits[0] == 0x30 || digits[0] == 0x31, digits.count == 1 || digits[1] == UInt8(ascii: ".") else {
            return nil
        }
        var weight = Int(digits[0] - 0x30) * 1000
        var place = 100
        for digit in digits.dropFirst(2) {
            guard (0x30...0x39).contains(digit) else { return nil }
            weight += Int(digit - 0x30) * place
            place /= 10
        }
        return min(weight, 1000)
    }
}
