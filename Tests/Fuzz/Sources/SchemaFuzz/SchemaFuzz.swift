// Feeds arbitrary documents to the parser of JSON Schema, arbitrary schemas to the compiler and arbitrary patterns to
// the translator, and checks what must hold whatever they are.
import Fuzzing
import PlugboardJSON

@testable import PlugboardJSONSchema

private let everything = try? JSONSchema(true)
private let schema = try? JSONSchema(["items": ["$ref": "#"], "additionalProperties": ["$ref": "#"]])

/// A schema, an empty line, and the document; without an empty line, one text for each reader.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    checkTime(bytes) { _ = try? JSONDocument($0) }
    checkParsers(bytes)
    checkTime(bytes) { bytes in
        guard let schema else { return }
        let validation = schema.validation()
        _ = try? validation.update(bytes) ?? validation.finish()
    }
    checkTime(bytes) { checkPattern($0) }
    var parts: [[UInt8]] = [[]]
    var isLineEmpty = false
    for byte in bytes {
        if byte == UInt8(ascii: "\n"), isLineEmpty, parts.count == 1 {
            parts.append([])
        } else {
            parts[parts.count - 1].append(byte)
        }
        isLineEmpty = byte == UInt8(ascii: "\n")
    }
    for draft in SchemaDraft.allCases {
        var options = JSONSchema.Options()
        options.draft = draft
        options.formats = true
        options.contents = true
        guard let value = try? JSONParser.parse(parts[0]), let schema = try? JSONSchema(value, options: options) else {
            continue
        }
        for text in [parts.count > 1 ? parts[1] : parts[0], parts[0]] {
            guard let document = try? JSONDocument(text) else { continue }
            let isValid = schema.isValid(document)
            let result = schema.validate(document)
            precondition(result.isValid == isValid, "the errors and the verdict differ")
            _ = result.json(.detailed).description
            checkStreaming(schema, text, result)
        }
    }
    return 0
}

/// A document that arrives in pieces has the verdict of the whole one.
private func checkStreaming(_ schema: JSONSchema, _ text: [UInt8], _ whole: ValidationResult) {
    // What is beyond a limit may differ.
    guard whole.errors.first?.message.utf8.starts(with: "The document cannot be judged".utf8) != true else { return }
    let cut = text.count / 3
    for pieces in [[text[...]], [text[..<cut], text[cut...]], text.indices.map { text[$0...$0] }] {
        let validation = schema.validation(limit: 3)
        var result: ValidationResult?
        for piece in pieces where result == nil {
            result = Array(piece).withUnsafeBytes { bytes in try! validation.update(bytes) }
        }
        let isValid = try! result ?? validation.finish()
        precondition(isValid.isValid == whole.isValid, "a document in pieces has another verdict")
    }
}

/// Values, documents and streams accept the same texts.
private func checkParsers(_ bytes: UnsafeRawBufferPointer) {
    let value = try? JSONParser.parse(bytes)
    let document = try? JSONDocument(bytes)
    let isStreamed = {
        guard let everything else { return false }
        let validation = everything.validation()
        return (try? validation.update(bytes) ?? validation.finish()) != nil
    }()
    precondition(isStreamed == (document != nil), "a text in pieces is read in another way")
    precondition((value == nil) == (document == nil), "a value and a document are read in different ways")
    guard let value, let document, let same = try? JSONDocument(JSONWriter.write(value) as [UInt8]),
        let schema = try? JSONSchema(["const": value])
    else { return }
    precondition(schema.isValid(document) && schema.isValid(same), "a text is not its own constant")
}

private func checkPattern(_ bytes: UnsafeRawBufferPointer) {
    guard let text = String(validating: bytes, as: UTF8.self), let pattern = try? Pattern(text) else { return }
    let scratch = Scratch()
    let subject = Array(text.utf8) + [UInt8](repeating: 0, count: 16)
    var time = PatternTime(seed: 1)
    subject.withUnsafeBufferPointer {
        guard let base = $0.baseAddress else { return }
        _ = pattern.code.match(base, text.utf8.count, scratch, &time)
    }
}
