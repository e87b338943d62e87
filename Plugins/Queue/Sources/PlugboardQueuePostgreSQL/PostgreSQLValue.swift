import CPlugboardPostgreSQL

/// A value of a statement.
enum PostgreSQLValue {
    case null
    case integer(Int64)
    case bool(Bool)
    case text(String)
    case bytes([UInt8])
    case texts([String?])
    case integers([Int64])

    static func integer(_ number: Int) -> PostgreSQLValue { .integer(Int64(number)) }
    static func optional(_ text: String?) -> PostgreSQLValue { text.map { .text($0) } ?? .null }
    static func optional(_ number: Int64?) -> PostgreSQLValue { number.map { .integer($0) } ?? .null }

    /// Texts and bytes are sent with their length, because a text ends at a zero byte otherwise.
    var isBinary: Bool {
        switch self {
        case .text, .bytes: true
        default: false
        }
    }

    var bytes: [UInt8]? {
        switch self {
        case .null: nil
        case .integer(let number): Array("\(number)".utf8)
        case .bool(let isTrue): [UInt8(ascii: isTrue ? "t" : "f")]
        case .text(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .integers(let numbers): Array("{\(numbers.map { "\($0)" }.joined(separator: ","))}".utf8)
        case .texts(let texts): Array("{\(texts.map(PostgreSQLValue.quoted).joined(separator: ","))}".utf8)
        }
    }

    /// Bytes as digits, for `decode(…, 'hex')`.
    static func digits(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            for (index, byte) in bytes.enumerated() {
                for (place, digit) in [byte >> 4, byte & 15].enumerated() {
                    buffer[index * 2 + place] = digit < 10 ? 48 + digit : 87 + digit
                }
            }
            return bytes.count * 2
        }
    }

    /// An element of an array. A zero byte, which no text of PostgreSQL has, becomes a sign that is in no other text.
    private static func quoted(_ text: String?) -> String {
        guard let text else { return "NULL" }
        var quoted = "\""
        for character in text.unicodeScalars {
            if character == "\"" || character == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(character == "\0" ? "\u{FFFD}" : character)
        }
        return quoted + "\""
    }
}

/// A row of a result, column by column.
struct PostgreSQLRow: Sendable {
    private let columns: [[UInt8]?]

    static func rows(_ result: OpaquePointer) -> [PostgreSQLRow] {
        (0..<PQntuples(result)).map { row in
            PostgreSQLRow(
                columns: (0..<PQnfields(result)).map { column in
                    guard PQgetisnull(result, row, column) == 0, let value = PQgetvalue(result, row, column) else {
                        return nil
                    }
                    return Array(UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, row, column))))
                })
        }
    }

    var count: Int { columns.count }
    func text(_ column: Int) -> String? { self[column].map { String(decoding: $0, as: UTF8.self) } }
    func integer(_ column: Int) -> Int64? { text(column).flatMap { Int64($0) } }
    func bool(_ column: Int) -> Bool { self[column] == [UInt8(ascii: "t")] }

    /// Bytes, which the server writes in the form that its setting `bytea_output` says.
    func bytes(_ column: Int) -> [UInt8]? {
        guard let text = self[column] else { return nil }
        var count = 0
        guard let bytes = PQunescapeBytea(text + [0], &count) else { return nil }
        defer { PQfreemem(bytes) }
        return Array(UnsafeBufferPointer(start: bytes, count: count))
    }

    /// Nil where somebody has replaced a function by one with fewer columns.
    private subscript(column: Int) -> [UInt8]? { column < columns.count ? columns[column] : nil }
}
