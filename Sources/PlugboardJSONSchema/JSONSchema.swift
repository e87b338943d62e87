import PlugboardJSON
import Synchronization

/// A compiled schema. Values are checked against it without allocating, on any thread.
///
/// Compiling costs as much as reading the schema; do it once and keep the result.
public struct JSONSchema: Sendable {
    /// How a schema is read.
    public struct Options: Sendable {
        /// The draft of a schema without `$schema`.
        public var draft = SchemaDraft.draft2020
        /// Whether `format` is asserted. Nil asserts it where the meta-schema says so, which none of the drafts' does.
        public var formats: Bool?
        /// Whether contentEncoding and contentMediaType are asserted. Nil asserts them in draft 7.
        public var contents: Bool?
        /// The URI that relative references of the schema start from.
        public var baseURI = ""
        /// The most subschemas, with those of the documents that it refers to.
        public var schemaLimit = 200_000

        /// The newest draft; formats and contents as the draft says.
        public init() {}
    }

    let program: Program
    let scratches: ScratchPool

    init(_ program: Program) {
        self.program = program
        scratches = ScratchPool()
    }

    /// Compiles a schema and everything it refers to.
    ///
    /// - Throws: If the schema does not follow its draft, or refers to a document that the registry does not have.
    public init(
        _ schema: JSONValue, options: Options = Options(), registry: SchemaRegistry = SchemaRegistry()
    ) throws(SchemaError) {
        program = try SchemaCompiler.compile(schema, options: options, registry: registry)
        try Metaschemas.check(schema, program)
        scratches = ScratchPool()
    }

    /// Compiles a schema and everything it refers to. Documents that the registry does not have are loaded, one after
    /// the other, each once.
    ///
    /// - Parameters:
    ///   - documentLimit: The most documents that are loaded.
    ///   - load: Returns the document of a URI without fragment; nil if it must not be loaded.
    /// - Throws: What `load` throws; a `SchemaError` if the schema does not follow its draft, or refers to a document
    ///   that is not loaded.
    public init(
        _ schema: JSONValue, options: Options = Options(), registry: SchemaRegistry = SchemaRegistry(),
        documentLimit: Int, load: @Sendable (_ uri: String) async throws -> JSONValue?
    ) async throws {
        var registry = registry
        var count = 0
        while true {
            do throws(SchemaError) {
                try self.init(schema, options: options, registry: registry)
                return
            } catch {
                guard case .missingDocument(let uri) = error.kind, let document = try await load(uri) else {
                    throw error
                }
                count += 1
                guard count <= documentLimit else {
                    throw SchemaError(
                        kind: .limit, location: error.location,
                        reason: "The schema refers to more than \(documentLimit) documents that would be loaded.")
                }
                registry.add(document, uri: uri)
            }
        }
    }

    /// Whether it has regular expressions whose matches may take long; plain text at the begin of a string does not.
    public var usesPatterns: Bool { program.usesPatterns }

    /// The number of its rules: a measure of how long the check of one value may take.
    public var ruleCount: Int { program.code.count }

    /// Whether a document is valid. One that exceeds a limit of the evaluation is not.
    public func isValid(_ document: JSONDocument) -> Bool {
        let scratch = scratches.take()
        var evaluation = Evaluation(program, document, scratch)
        let isValid = withExtendedLifetime(program) { evaluation.check(program.root, 0) }
        scratches.give(scratch)
        return isValid && evaluation.stop == .none
    }

    /// Whether a document is valid, and if not, why.
    ///
    /// - Parameter limit: The most errors that are collected.
    public func validate(_ document: JSONDocument, limit: Int = 100) -> ValidationResult {
        if isValid(document) { return ValidationResult(errors: []) }
        let scratch = scratches.take()
        var explanation = Explanation(program, Evaluation(program, document, scratch), limit: limit)
        let result = withExtendedLifetime(document) { explanation.run() }
        scratches.give(scratch)
        return result
    }
}

/// Scratches that no evaluation uses.
final class ScratchPool: Sendable {
    private let free = Mutex<[Scratch]>([])

    func take() -> Scratch { free.withLock { $0.popLast() } ?? Scratch() }

    func give(_ scratch: Scratch) {
        scratch.reset()
        free.withLock { if $0.count < 64 { $0.append(scratch) } }
    }
}
