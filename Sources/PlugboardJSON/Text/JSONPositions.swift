/// The positions of the parts of a parsed text, for errors that name a line.
///
/// Keeps the text and parses it again in each call, so that the first parsing costs no more.
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
    package func position(of path: JSONPath) -> JSONPosition? { place(of: path)?.value }

    /// The position of the last key of the path; the value's position if the path ends with an index or is the root.
    package func keyPosition(of path: JSONPath) -> JSONPosition? { place(of: path).map { $0.key ?? $0.value } }

    private func place(of path: JSONPath) -> (key: JSONPosition?, value: JSONPosition)? {
        bytes.withUnsafeBytes { bytes in
            // The text was parsed successfully before.
            guard let tape = try? JSONTape(bytes, options: options), let place = tape.view.place(of: path) else {
                return nil
            }
            func position(_ token: Int) -> JSONPosition {
                JSONPosition(offset: tape.view[token].position, in: bytes)
            }
            return (place.key.map(position), position(place.value))
        }
    }
}

extension JSONTokens {
    /// The tokens of a value and, in an object, of its key.
    fileprivate func place(of path: JSONPath) -> (key: Int?, value: Int)? {
        var place: (key: Int?, value: Int)? = (nil, 0)
        for element in path.elements {
            guard let container = place?.value else { return nil }
            place = nil
            switch (element, self[container].kind) {
            case (.key(var name), .object):
                name.withUTF8 { name in
                    forEachKey(of: container) { if key($0, equals: name) { place = ($0, $0 &+ 1) } }
                }
            case (.index(let index), .array) where (0..<Int(self[container].count)).contains(index):
                place = (nil, (0..<index).reduce(container &+ 1) { element, _ in after(element) })
            default: break
            }
        }
        return place
    }
}
