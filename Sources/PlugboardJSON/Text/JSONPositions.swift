/// The positions of the parts of a parsed text, for errors that name a line.
///
/// Keeps the text and reads it again in each call, so that parsing itself costs no more.
package struct JSONPositions: Sendable {
    private let bytes: [UInt8]
    private let options: JSONParser.Options

    /// The bytes must have been parsed with these options.
    init(bytes: [UInt8], options: JSONParser.Options) {
        self.bytes = bytes
        self.options = options
    }

    /// The value of the whole text. Each call parses the text again.
    package var value: JSONValue? { try? JSONParser.parse(bytes, options: options) }

    /// The position at which the value begins; nil if there is no value at the path.
    package func position(of path: JSONPath) -> JSONPosition? {
        bytes.withUnsafeBytes { bytes in
            target(of: path, in: bytes).map { JSONPosition(offset: $0.value, in: bytes) }
        }
    }

    /// The position of the last key of the path; the value's position if the path ends with an index or is the root.
    package func keyPosition(of path: JSONPath) -> JSONPosition? {
        bytes.withUnsafeBytes { bytes in
            target(of: path, in: bytes).map { JSONPosition(offset: $0.key ?? $0.value, in: bytes) }
        }
    }

    private func target(of path: JSONPath, in bytes: UnsafeRawBufferPointer) -> JSONScanner.Target? {
        var scanner = JSONScanner(bytes, options: options)
        // The text was parsed before, so that an error can only mean that there is no value at the path.
        return try? scanner.target(of: path)
    }
}

extension JSONScanner {
    /// Offsets of a value and, in an object, of its key.
    struct Target {
        var key: Int?
        var value: Int
    }

    /// Follows the path from the beginning of the document.
    fileprivate mutating func target(of path: JSONPath) throws(Failure) -> Target? {
        try enterDocument()
        var target = Target(key: nil, value: offset)
        for element in path.elements {
            let next =
                switch element {
                case .key(let key): try self.member(key)
                case .index(let index): try self.element(at: index)
                }
            guard let next else { return nil }
            target = next
            cursor = start + target.value
        }
        return target
    }

    private mutating func member(_ wanted: String) throws(Failure) -> Target? {
        guard cursor < end, cursor.pointee == UInt8(ascii: "{") else { return nil }
        try enter()
        var isFirst = true
        var found: Target?
        while try !leaves(at: UInt8(ascii: "}"), isFirst: isFirst) {
            isFirst = false
            let keyOffset = offset
            // The last of two equal keys is the one that counts.
            if try key().hasSameUTF8(as: wanted) { found = Target(key: keyOffset, value: offset) }
            _ = try value()
        }
        return found
    }

    private mutating func element(at index: Int) throws(Failure) -> Target? {
        guard cursor < end, cursor.pointee == UInt8(ascii: "[") else { return nil }
        try enter()
        var position = 0
        while try !leaves(at: UInt8(ascii: "]"), isFirst: position == 0) {
            if position == index { return Target(key: nil, value: offset) }
            position += 1
            _ = try value()
        }
        return nil
    }
}
