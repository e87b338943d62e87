import PlugboardJSON
import PlugboardJSONCoding
import Testing

private enum Keys: String, CodingKey { case first, second, third, list }

/// Writes to two containers in turns.
private struct Interleaved: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var first = container.nestedContainer(keyedBy: Keys.self, forKey: .first)
        try container.encode(1, forKey: .second)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try first.encode("a", forKey: .first)
        try list.encode(1)
        try container.encode(["x": 1.5], forKey: .third)
        try list.encode(["y"])
        var inner = list.nestedContainer(keyedBy: Keys.self)
        try first.encodeNil(forKey: .second)
        try list.encode(true)
        try inner.encode(2, forKey: .first)
    }
}

private class Base: Encodable {
    enum BaseKeys: CodingKey { case base }
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: BaseKeys.self)
        try container.encode(1, forKey: .base)
    }
}

/// One encodes its superclass into the same object, the other by `superEncoder`.
private final class Same: Base {
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(1, forKey: .first)
        try super.encode(to: encoder)
        try container.encode(2, forKey: .second)
    }
}
private final class Apart: Base {
    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try super.encode(to: container.superEncoder())
        try container.encode(2, forKey: .second)
    }
}

/// Leaves out what cannot be encoded.
private struct Forgiving: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(1, forKey: .first)
        try? container.encode([[1, Double.nan]], forKey: .second)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try? list.encode(Double.infinity)
        try list.encode(Failing())
        try? list.encode(["a": [Double.nan]])
        try container.encode(3, forKey: .third)
    }
}

private struct Failing: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        do {
            try container.encode(["a": Double.infinity])
        } catch {
            try container.encode("none")
        }
    }
}

private struct Nothing: Encodable {
    func encode(to encoder: any Encoder) throws {}
}

private final class Cycle: Encodable {
    var next: Cycle?
}

/// Gives its container away, to be written to after its end.
private final class Leak: Encodable {
    nonisolated(unsafe) static var container: (any UnkeyedEncodingContainer)?
    func encode(to encoder: any Encoder) throws {
        if Self.container == nil {
            Self.container = encoder.unkeyedContainer()
        } else {
            try Self.container?.encode(1)
        }
    }
}

@Suite struct `Encoding to the text of JSON` {
    private func encode(_ value: some Encodable) throws -> String {
        String(decoding: try JSONValueEncoder().bytes(of: value), as: UTF8.self)
    }

    @Test func `containers are written to in any order until the end`() throws {
        let expected =
            #"{"first":{"first":"a","second":null},"second":1,"list":[1,["y"],{"first":2},true],"third":{"x":1.5}}"#

        #expect(try encode(Interleaved()) == expected)
        #expect(try encode([Interleaved(), Interleaved()]) == "[\(expected),\(expected)]")
    }

    @Test func `a superclass is encoded into the same object or into one of its own`() throws {
        #expect(try encode(Same()) == #"{"first":1,"base":1,"second":2}"#)
        #expect(try encode([Apart()]) == #"[{"super":{"base":1},"second":2}]"#)
    }

    @Test func `what could not be encoded leaves nothing behind`() throws {
        #expect(try encode(Forgiving()) == #"{"first":1,"list":["none"],"third":3}"#)
        #expect(try encode([Nothing(), Nothing()]) == "[{},{}]")
    }

    @Test func `texts have only the escapes that they need`() throws {
        let text = (0..<0x80).map { String(Unicode.Scalar(UInt8($0))) }.joined() + "é€😀"

        for length in 0...text.unicodeScalars.count {
            var part = ""
            part.unicodeScalars.append(contentsOf: text.unicodeScalars.suffix(length))
            let written: String = JSONWriter.write(.string(part))
            #expect(try encode(part) == written)
            #expect(try encode([part: part]) == "{\(written):\(written)}")
        }
    }

    @Test func `numbers are written with all their digits`() throws {
        #expect(
            try encode([Int.min, .max, 0, -1, 10, 99, 100])
                == "[-9223372036854775808,9223372036854775807,0,-1,10,99,100]")
        #expect(try encode([UInt64.max]) == "[18446744073709551615]")
        #expect(try encode([Int128.max, .min]).utf8.count == 82)
        #expect(try encode([0.1, 1e300, -2.5e-10]) == "[0.1,1e+300,-2.5e-10]")
        #expect(try encode(Float(0.1)) == "0.1")
        #expect(try encode([Int8](arrayLiteral: -128, 127)) == "[-128,127]")
    }

    @Test func `an error names the path`() throws {
        let value = ["list": ["second": [[1.5], [Double.infinity]]]]

        let error = #expect(throws: JSONEncodingError.self) { try encode(value) }

        #expect(error?.description == "list.second[1][0]: JSON has no number for infinity or NaN")
    }

    @Test func `a cycle of references is an error`() throws {
        let cycle = Cycle()
        cycle.next = cycle
        defer { cycle.next = nil }

        let error = #expect(throws: JSONEncodingError.self) { try encode(cycle) }

        #expect(error?.reason == "the value is nested deeper than the limit of 512")
    }

    @Test func `a container that is written to after its end is an error`() throws {
        let error = #expect(throws: JSONEncodingError.self) { try encode([Leak(), Leak()]) }

        #expect(error?.reason == "the type writes to a container after or while another value is encoded")
    }
}
