/// Checks a document while its text arrives, and fails at the first byte that makes it invalid.
///
///     let validation = schema.validation()
///     for try await piece in response.body {
///         if let result = try piece.withUnsafeBytes({ try validation.update($0) }) { … }  // it is not valid
///     }
///     let result = try validation.finish()
///
/// Members, elements, types, bounds, patterns and constants of scalars are checked as soon as their bytes arrive, and
/// need memory only for the open arrays and objects; the same applies to schemas of `$ref` and `allOf`. Schemas of
/// `anyOf`, `oneOf`, `if` and `not` that cannot match the kind of an array or object (by `type`, `const` or `enum`) are
/// excluded when it begins; if one schema of `anyOf` or `oneOf` is left, it is applied like a reference. An object
/// fails at the scalar member that excludes all of them. `contains` is checked at the end of each element, which is
/// kept until then. `uniqueItems` fails at the first scalar that equals an earlier element. In other cases, keywords
/// for a whole array or object (`anyOf`, `oneOf`, `if`, `not`, constants, dependencies, `unevaluated…`) are checked at
/// its end; until then it is kept, and so is an array with `uniqueItems`.
///
/// The result equals that of `JSONSchema.isValid`, except near the limits of the evaluation (depth and work): they
/// apply separately to each value that is checked by itself, and early decisions need other steps, so that a document
/// may pass in one way and exceed a limit in the other. The text may be larger than 1 GiB; its kept part must not.
///
/// The result has the errors that were found first, with their places in the whole document. If the kind of a value
/// leaves one schema of `anyOf` or `oneOf`, they are those of this schema; if a member leaves none, that member's.
///
/// Must be used by one thread at a time.
public final class StreamedValidation {
    private var check: StreamedCheck
    private var outcome: Result<ValidationResult, JSONDocumentError>?
    private let program: Program
    private let scratches: ScratchPool
    private let scratch: Scratch

    init(_ program: Program, _ scratches: ScratchPool, _ options: JSONDocument.Options, _ errors: ErrorOptions) {
        self.program = program
        self.scratches = scratches
        scratch = scratches.take()
        check = StreamedCheck(program, scratch, options, errors)
    }

    deinit {
        check.release()
        scratches.give(scratch)
    }

    /// Reads the next bytes of the text. Returns the result as soon as the document is known to be invalid.
    ///
    /// Throws as soon as the text cannot be JSON, or exceeds a limit. After either, further bytes are ignored.
    public func update(_ piece: UnsafeRawBufferPointer) throws(JSONDocumentError) -> ValidationResult? {
        if let outcome { return try outcome.get() }
        do throws(JSONDocumentError) {
            guard let result = try check.update(piece) else { return nil }
            outcome = .success(result)
            return result
        } catch {
            outcome = .failure(error)
            throw error
        }
    }

    /// Ends the text, and returns the result.
    public func finish() throws(JSONDocumentError) -> ValidationResult {
        if let outcome { return try outcome.get() }
        do throws(JSONDocumentError) {
            let result = try check.finish() ?? ValidationResult(errors: [])
            outcome = .success(result)
            return result
        } catch {
            outcome = .failure(error)
            throw error
        }
    }

    /// The number of bytes that are kept for keywords of whole arrays or objects, and for an unfinished
    /// value.
    public var keptByteCount: Int { check.keptByteCount }
}

extension JSONSchema {
    /// Creates a check of one document that arrives in pieces.
    ///
    /// - Parameters:
    ///   - options: The limits of the text.
    ///   - limit: The most errors that are collected if a kept array or object is not valid.
    ///   - valueLimit: The most bytes of the value that an error quotes, if the value is in memory. With 0, errors
    ///     never contain the data.
    public func validation(
        options: JSONDocument.Options = JSONDocument.Options(), limit: Int = 100, valueLimit: Int = 0
    ) -> StreamedValidation {
        StreamedValidation(program, scratches, options, ErrorOptions(limit: limit, valueLimit: valueLimit))
    }
}
