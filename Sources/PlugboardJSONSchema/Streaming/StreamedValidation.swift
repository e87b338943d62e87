/// Checks a document while its text arrives, and fails at the first byte that decides.
///
///     let validation = schema.validation()
///     for try await piece in response.body {
///         if let result = try piece.withUnsafeBytes({ try validation.update($0) }) { … }  // it is not valid
///     }
///     let result = try validation.finish()
///
/// Members, elements, types, bounds, patterns and constants of scalars are checked as soon as their bytes are there,
/// and need no memory but for the open arrays and objects; so are schemas behind `$ref` and `allOf`. Of `anyOf`,
/// `oneOf`, `if` and `not`, schemas that cannot match the kind of an array or object (by `type`, `const` or `enum`) are
/// left out when it begins; where one schema of `anyOf` or `oneOf` is left, it is applied like a reference. An object
/// fails at the scalar member that leaves none of them. `contains` is checked at the end of each element, which is kept
/// until then, and `uniqueItems` fails at the first scalar that an earlier element equals. Otherwise keywords that look
/// at a whole array or object (these, constants, dependencies, `unevaluated…`) are checked at its end; until then, that
/// array or object is kept, and so is an array with `uniqueItems`.
///
/// The verdict is that of `JSONSchema.isValid`. Limits of the evaluation (depth and work) begin at each value that is
/// checked by itself, and keywords that are decided early need other steps, so that a document near a limit may pass in
/// one way and exceed the limit in the other. The text may be larger than 1 GiB; what has to be kept of it must not.
///
/// The errors are those that decide, in the places of the whole document. Where the kind of a value leaves one schema
/// of `anyOf` or `oneOf`, they are that schema's; where a member leaves none, they are that member's.
///
/// One thread at a time may use it.
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

    /// Takes the next bytes of the text. Returns why the document is not valid as soon as that is known; else nil.
    ///
    /// Throws as soon as the text cannot be JSON, or exceeds a limit. After either, nothing is read any more.
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

    /// Says that the text has ended, and returns the result.
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

    /// How many bytes of the text are kept for keywords that look at a whole array or object, and for a value that has
    /// not ended.
    public var keptByteCount: Int { check.keptByteCount }
}

extension JSONSchema {
    /// A check of one document that arrives in pieces.
    ///
    /// - Parameters:
    ///   - options: The limits of the text.
    ///   - limit: The most errors that are collected where a kept array or object is not valid.
    ///   - valueLimit: The most bytes of the value that an error quotes, where the value is in memory. With 0, errors
    ///     never contain the data.
    public func validation(
        options: JSONDocument.Options = JSONDocument.Options(), limit: Int = 100, valueLimit: Int = 0
    ) -> StreamedValidation {
        StreamedValidation(program, scratches, options, ErrorOptions(limit: limit, valueLimit: valueLimit))
    }
}
