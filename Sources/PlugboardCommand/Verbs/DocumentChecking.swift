import PlugboardJSONSchema

/// Checks one document that is read in pieces: a small one as a whole, which finds all errors; a larger one while it is
/// read, in bounded memory, up to the first error.
struct DocumentChecking {
    /// The largest document that is kept.
    private static let wholeLimit = 64 << 20

    private let schema: JSONSchema
    private let valueLimit: Int
    private var bytes: [UInt8] = []
    private var validation: StreamedValidation?
    private var outcome: Result<ValidationResult, JSONDocumentError>?

    /// - Parameter streams: Whether a small document is checked while it is read, too.
    init(_ schema: JSONSchema, valueLimit: Int, streams: Bool) {
        self.schema = schema
        self.valueLimit = valueLimit
        if streams { validation = DocumentChecking.validation(schema, valueLimit) }
    }

    private static func validation(_ schema: JSONSchema, _ valueLimit: Int) -> StreamedValidation {
        var options = JSONDocument.Options()
        options.sizeLimit = .max
        return schema.validation(options: options, valueLimit: valueLimit)
    }

    /// Returns whether more is needed.
    mutating func take(_ piece: UnsafeRawBufferPointer) -> Bool {
        if validation == nil {
            bytes += piece
            guard bytes.count > DocumentChecking.wholeLimit else { return true }
            validation = DocumentChecking.validation(schema, valueLimit)
            let begin = bytes
            bytes = []
            return begin.withUnsafeBytes { update($0) }
        }
        return update(piece)
    }

    private mutating func update(_ piece: UnsafeRawBufferPointer) -> Bool {
        do throws(JSONDocumentError) {
            guard let result = try validation?.update(piece) else { return true }
            outcome = .success(result)
        } catch {
            outcome = .failure(error)
        }
        return false
    }

    /// The result of the whole document.
    mutating func finish() -> Result<ValidationResult, JSONDocumentError> {
        if let outcome { return outcome }
        do throws(JSONDocumentError) {
            if let validation { return .success(try validation.finish()) }
            return .success(schema.validate(try JSONDocument(bytes), valueLimit: valueLimit))
        } catch {
            return .failure(error)
        }
    }
}
