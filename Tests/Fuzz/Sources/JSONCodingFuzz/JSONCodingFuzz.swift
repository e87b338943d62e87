// Decodes arbitrary bytes as models, straight and through the parser's values, and compares the results. What is
// decoded is encoded again.
import Fuzzing

@testable import PlugboardJSON
@testable import PlugboardJSONCoding

/// Of all kinds, and named by short keys that a fuzzer finds.
private struct Model: Codable, Equatable {
    enum Word: String, Codable, CaseIterable { case a, b }
    enum Case: Codable, Equatable {
        case one(x: Int)
        case two
    }

    var i: Int?
    var u: UInt8?
    var w: Int128?
    var d: Double?
    var f: Float?
    var s: String?
    var b: Bool?
    var e: Word?
    var c: Case?
    var m: [String: Model]?
    var l: [Model]?
    var n: [Double]?
    var k: [Int: [String?]]?
    var v: JSONValue?
    var aB: Int?
}

/// Tries one type after the other.
private enum Any1: Decodable, Equatable {
    case number(Double), text(String), list([Any1]), model(Model), object([String: Any1]), null

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([Any1].self) {
            self = .list(list)
        } else if let model = try? container.decode(Model.self) {
            self = .model(model)
        } else {
            self = .object(try container.decode([String: Any1].self))
        }
    }
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    checkTime(bytes) { _ = try? JSONValueDecoder(strict: false).decode([String: [Model]].self, from: $0) }
    for strict in [false, true] {
        for keys in [JSONKeyStrategy.unchanged, .snakeCase] {
            for isConfiguration in [false, true] {
                let options = isConfiguration ? JSONParser.configuration : JSONParser.Options()
                let decoder = JSONValueDecoder(strict: strict, keys: keys, options: options)
                check(Model.self, bytes, decoder)
                check([String: Model].self, bytes, decoder)
                check([Model].self, bytes, decoder)
                check(Any1.self, bytes, decoder)
                check([[Int]].self, bytes, decoder)
                check([String: String].self, bytes, decoder)
            }
        }
    }
    checkValue(bytes)
    return 0
}

/// The two ways give the same value, or the same error at the same path.
private func check<Value: Decodable & Equatable>(
    _ type: Value.Type, _ bytes: UnsafeRawBufferPointer, _ decoder: JSONValueDecoder
) {
    let straight = Result { try decoder.decode(type, from: bytes) }
    let parsed = Result { try JSONParser.parse(bytes, options: decoder.options) }
    switch (straight, parsed) {
    case (.success(let value), .success(let json)):
        let other = try? decoder.decode(type, from: json)
        precondition(other == value, "the text and its value are decoded differently")
        if let value = value as? any (Codable & Equatable) { checkRoundTrip(value, decoder) }
    case (.failure(let error), .success(let json)):
        guard case .failure(let other) = Result(catching: { try decoder.decode(type, from: json) }) else {
            preconditionFailure("the text fails, and its value does not")
        }
        // Of two errors, another may come first if a key is repeated: a value has it at its first place.
        var strictly = decoder.options
        strictly.duplicateKeys = .error
        let isRepeated = (try? JSONParser.parse(bytes, options: strictly)) == nil
        precondition(isRepeated || "\(other)" == "\(error)", "the text and its value fail differently")
    case (.failure(let error), .failure(let other)):
        precondition("\(error)" == "\(other)", "the decoder and the parser say different things")
    case (.success, .failure):
        preconditionFailure("what the parser refuses was decoded")
    }
}

private func checkRoundTrip<Value: Codable & Equatable>(_ value: Value, _ decoder: JSONValueDecoder) {
    guard let encoded = try? JSONValueEncoder(keys: decoder.keys).bytes(of: value) else { return }
    precondition((try? decoder.decode(Value.self, from: encoded)) == value, "what was encoded is decoded differently")
}

/// Values, whose numbers keep their texts.
private func checkValue(_ bytes: UnsafeRawBufferPointer) {
    guard let value = try? JSONParser.parse(bytes) else { return }
    let decoder = JSONValueDecoder(strict: false)
    precondition((try? decoder.decode([JSONValue].self, from: bytes)) == value.arrayValue)
    precondition((try? decoder.decode(JSONObject.self, from: bytes)) == value.objectValue)
    let written: [UInt8] = JSONWriter.write(value)
    precondition((try? JSONValueEncoder().bytes(of: value)) == written)
    if let object = value.objectValue, let text = try? decoder.decode([String: JSONValue].self, from: bytes) {
        precondition(text.count == object.count && text.allSatisfy { object[$0.key] == $0.value })
    }
}
