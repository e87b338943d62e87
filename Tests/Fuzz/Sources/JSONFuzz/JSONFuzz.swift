// Feeds the parser arbitrary bytes and checks what must hold whatever they are.
import Fuzzing

@testable import PlugboardJSON
@testable import PlugboardJSONCoding

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    checkTime(bytes) { _ = try? JSONParser.parse($0) }
    for options in [JSONParser.Options(), JSONParser.configuration] {
        guard let value = try? JSONParser.parse(bytes, options: options) else {
            // The slow path through a sequence must agree.
            precondition((try? JSONParser.parse(AnySequence(bytes), options: options)) == nil)
            continue
        }
        checkRoundTrip(value)
        checkPositions(Array(bytes), options, value)
        checkNumbers(in: value)
    }
    return 0
}

private func checkRoundTrip(_ value: JSONValue) {
    for options in [JSONWriter.Options(), JSONWriter.Options(pretty: true, sortedKeys: true, escapesSlashes: true)] {
        let text: [UInt8] = JSONWriter.write(value, options: options)
        let again = try? JSONParser.parse(text)
        precondition(again == value && again?.hashValue == value.hashValue, "what was written does not read back")
    }
    let encoded = try? JSONValueEncoder().encode(value)
    precondition(encoded == value)
    precondition((try? JSONValueDecoder().decode(JSONValue.self, from: value)) == value)
    _ = try? JSONValueDecoder().decode([String: [Int: [Double?]]].self, from: value)
}

private func checkPositions(_ bytes: [UInt8], _ options: JSONParser.Options, _ value: JSONValue) {
    guard let (_, positions) = try? JSONParser.parseWithPositions(bytes, options: options) else {
        preconditionFailure("a text reads only without positions")
    }
    var path = JSONPath()
    var value = value
    while let position = positions.position(of: path) {
        precondition(bytes.indices.contains(position.offset) && position.line > 0 && position.column > 0)
        if let (key, member) = value.objectValue?.reversed().first {
            path = path.appending(.key(key))
            value = member
        } else if let element = value.arrayValue?.last {
            path = path.appending(.index((value.arrayValue?.count ?? 0) - 1))
            value = element
        } else {
            return
        }
    }
    preconditionFailure("a part of the value has no position")
}

private func checkNumbers(in value: JSONValue) {
    switch value {
    case .array(let elements):
        let numbers = elements.compactMap(\.numberValue)
        for (left, right) in zip(numbers, numbers.dropFirst()) {
            precondition([left < right, left == right, right < left].filter { $0 }.count == 1)
            // Long division by long numbers is slow by nature, and not what is sought here.
            if right.text.utf8.count < 200 { _ = left.isMultiple(of: right) }
        }
        elements.forEach(checkNumbers)
    case .object(let object):
        object.values.forEach(checkNumbers)
    case .number(let number):
        precondition(JSONNumber(text: number.text) == number)
        precondition(number.int64.map { JSONNumber($0) == number } ?? true)
        precondition(number.int64 == nil || number.isInteger)
        _ = number.double
    default: break
    }
}
