/// Limits that Foundation's parser does not have, to protect the stack and the running time: the depth of a property
/// list, and the number of values of a binary one when its references are followed.
enum PropertyListShape {
    struct Refused: Error {
        let reason: String
    }

    /// The most levels of arrays and dictionaries.
    static let depthLimit = 256
    /// The most values of a binary list, each counted as often as it is referred to.
    static let valueLimit = 10_000_000

    /// Also throws for text that is neither XML nor binary: Foundation would read it as a string of the old format.
    static func check(_ bytes: UnsafeRawBufferPointer) throws(Refused) {
        if isBinary(bytes) {
            var list = try BinaryPropertyList(bytes)
            try list.check()
        } else {
            try checkXML(bytes)
        }
    }

    static func isBinary(_ bytes: UnsafeRawBufferPointer) -> Bool { bytes.starts(with: "bplist".utf8) }

    static var tooDeep: Refused { Refused(reason: "it is nested deeper than the limit of \(depthLimit)") }

    private static func checkXML(_ bytes: UnsafeRawBufferPointer) throws(Refused) {
        var index = 0
        while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: "<") else {
            throw Refused(reason: "it begins neither as XML nor as a binary property list")
        }
        var depth = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "<") else {
                index += 1
                continue
            }
            let rest = bytes[index...]
            if rest.starts(with: "<!--".utf8) {
                index = end(of: "-->", in: bytes, from: index + 4)
            } else if rest.starts(with: "<![CDATA[".utf8) {
                index = end(of: "]]>", in: bytes, from: index + 9)
            } else if rest.starts(with: "<?".utf8) {
                index = end(of: "?>", in: bytes, from: index + 2)
            } else if rest.starts(with: "<!".utf8) {
                index = end(of: ">", in: bytes, from: index)
            } else if rest.starts(with: "<plist".utf8) {
                // `plist` may have attributes, and is a level itself.
                index = end(of: ">", in: bytes, from: index)
                depth += 1
                guard depth <= depthLimit + 2 else { throw tooDeep }
            } else if rest.starts(with: "</".utf8) {
                depth -= 1
                guard depth >= 0 else { throw Refused(reason: "an element ends that has not begun") }
                index += 2
            } else {
                depth += try isSelfClosing(bytes, &index) ? 0 : 1
                // The level of a text or a number is included.
                guard depth <= depthLimit + 2 else { throw tooDeep }
            }
        }
    }

    /// Skips a tag. Elements of a property list must not have attributes, which could hide the end of a tag.
    private static func isSelfClosing(_ bytes: UnsafeRawBufferPointer, _ index: inout Int) throws(Refused) -> Bool {
        index += 1
        while index < bytes.count, bytes[index] > 0x20, bytes[index] != UInt8(ascii: ">"),
            bytes[index] != UInt8(ascii: "/")
        {
            index += 1
        }
        while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
        let isClosed = index < bytes.count && bytes[index] == UInt8(ascii: "/")
        if isClosed { index += 1 }
        guard index < bytes.count, bytes[index] == UInt8(ascii: ">") else {
            throw Refused(reason: "a tag is not ended, or has attributes")
        }
        return isClosed
    }

    /// The index after a mark, or the end.
    private static func end(of mark: StaticString, in bytes: UnsafeRawBufferPointer, from first: Int) -> Int {
        let mark = UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount)
        var index = first
        while index + mark.count <= bytes.count {
            if bytes[index..<index + mark.count].elementsEqual(mark) { return index + mark.count }
            index += 1
        }
        return bytes.count
    }
}

/// The references between the objects of a binary property list.
struct BinaryPropertyList {
    private let bytes: UnsafeRawBufferPointer
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let top: Int
    private let table: Int
    /// The number of values of an object, including repeated ones, when it is known.
    private var sizes: [Int: Int] = [:]

    /// An object, and the number of its parts that were visited.
    private struct Visited {
        let object: Int
        let parts: [Int]
        var next = 0
        var size = 1
    }

    private static let damaged = PropertyListShape.Refused(reason: "its table of objects is damaged")

    init(_ bytes: UnsafeRawBufferPointer) throws(PropertyListShape.Refused) {
        guard bytes.count >= 40 else { throw Self.damaged }
        self.bytes = bytes
        offsetSize = Int(bytes[bytes.count - 26])
        referenceSize = Int(bytes[bytes.count - 25])
        func number(_ offset: Int) -> Int {
            bytes[offset..<offset + 8].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }.clamped
        }
        count = number(bytes.count - 24)
        top = number(bytes.count - 16)
        table = number(bytes.count - 8)
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), top < count, count <= bytes.count,
            table <= bytes.count - 32, count * offsetSize <= bytes.count - 32 - table
        else { throw Self.damaged }
    }

    /// Throws if the objects form a cycle, are nested too deeply, or are too many when their references are followed.
    mutating func check() throws(PropertyListShape.Refused) {
        // The path of objects from the top object down.
        var path = [Visited(object: top, parts: try parts(of: top))]
        while let last = path.last {
            guard last.next < last.parts.count else {
                sizes[last.object] = last.size
                path.removeLast()
                try add(last.size, to: &path)
                continue
            }
            let part = last.parts[last.next]
            path[path.count - 1].next += 1
            if let size = sizes[part] {
                try add(size, to: &path)
            } else {
                // A cycle has infinite depth.
                guard path.count <= PropertyListShape.depthLimit else { throw PropertyListShape.tooDeep }
                path.append(Visited(object: part, parts: try parts(of: part)))
            }
        }
    }

    private func add(_ size: Int, to path: inout [Visited]) throws(PropertyListShape.Refused) {
        guard !path.isEmpty else { return }
        path[path.count - 1].size += size
        guard path[path.count - 1].size <= PropertyListShape.valueLimit else {
            throw .init(reason: "it has more than \(PropertyListShape.valueLimit) values, with references")
        }
    }

    private func number(_ offset: Int, _ size: Int) throws(PropertyListShape.Refused) -> Int {
        guard offset >= 0, size > 0, offset <= bytes.count - size else { throw Self.damaged }
        return bytes[offset..<offset + size].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }.clamped
    }

    /// The objects that an array, a set or a dictionary refers to; none for others.
    private func parts(of object: Int) throws(PropertyListShape.Refused) -> [Int] {
        guard object < count else { throw Self.damaged }
        var offset = try number(table + object * offsetSize, offsetSize)
        let marker = try number(offset, 1)
        guard [0xA, 0xB, 0xC, 0xD].contains(marker >> 4) else { return [] }
        offset += 1
        var length = marker & 0x0F
        if length == 0x0F {
            let size = 1 << (try number(offset, 1) & 0x0F)
            guard size <= 8 else { throw Self.damaged }
            length = try number(offset + 1, size)
            offset += 1 + size
        }
        guard length <= bytes.count else { throw Self.damaged }
        if marker >> 4 == 0xD { length *= 2 }
        guard offset <= bytes.count, length * referenceSize <= bytes.count - offset else { throw Self.damaged }
        var parts: [Int] = []
        parts.reserveCapacity(length)
        for position in 0..<length { parts.append(try number(offset + position * referenceSize, referenceSize)) }
        return parts
    }
}

extension UInt64 {
    fileprivate var clamped: Int { Int(clamping: self) }
}
