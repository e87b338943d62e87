import PlugboardJSON
import Synchronization

/// A compiled schema. Values are checked against it without allocating, on any thread.
///
/// Compiling takes as long as reading the schema; do it once and keep the result.
public struct JSONSchema: Sendable {
    /// Options for reading a schema.
    public struct Options: Sendable {
        /// The draft of a schema without `$schema`.
        public var draft = SchemaDraft.draft2020
        /// Whether `format` is asserted. Nil asserts it if the meta-schema requires that; no draft's meta-schema does.
        public var formats: Bool?
        /// Whether contentEncoding and contentMediaType are asserted. Nil asserts them in draft 7.
        public var contents: Bool?
        /// The base URI of relative references in the schema.
        public var baseURI = ""
        /// The most subschemas, including those of documents that the schema refers to.
        public var schemaLimit = 200_000

        /// Creates options: the newest draft, with formats and contents as the draft defines.
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
        var compiler = SchemaCompiler(schema, options: options, registry: registry)
        if let missing = try compiler.advance().first { throw missing }
        self.init(try compiler.finish())
        try Metaschemas.check(schema, compiler.index)
    }

    /// Compiles a schema and everything it refers to. Loads documents that are missing in the registry, one after the
    /// other, each once.
    ///
    /// - Parameters:
    ///   - documentLimit: The most documents that are loaded.
    ///   - load: Returns the document of a URI without fragment; nil if it must not be loaded.
    /// - Throws: Errors of `load`; a `SchemaError` if the schema does not follow its draft, or refers to a document
    ///   that is not loaded.
    public init(
        _ schema: JSONValue, options: Options = Options(), registry: SchemaRegistry = SchemaRegistry(),
        documentLimit: Int, load: @escaping @Sendable (_ uri: String) async throws -> JSONValue?
    ) async throws {
        var documents = DocumentLoading(registry: registry, limit: documentLimit, load: load)
        var compiler = SchemaCompiler(schema, options: options, registry: registry)
        while true {
            let missing = try compiler.advance()
            for error in missing { try await documents.load(error) }
            if missing.isEmpty { break }
            if compiler.index.isIncomplete {
                compiler = SchemaCompiler(schema, options: options, registry: documents.registry)
            } else {
                compiler.index.registry = documents.registry
            }
        }
        let program = try compiler.finish()
        var isChecked = false
        while !isChecked {
            do throws(SchemaError) {
                try Metaschemas.check(schema, compiler.index)
                isChecked = true
            } catch {
                // A custom meta-schema may refer to further documents.
                guard case .missingDocument = error.kind else { throw error }
                try await documents.load(error)
                compiler.index.registry = documents.registry
            }
        }
        self.init(program)
    }

    /// Whether it has regular expressions whose matches may take long. Plain text at the start of a string does not.
    public var usesPatterns: Bool { program.usesPatterns }

    /// The number of its rules: a measure of the longest time for checking one value.
    public var ruleCount: Int { program.ruleCount }

    /// Whether a document is valid. A document that exceeds a limit of the evaluation counts as not valid.
    public func isValid(_ document: JSONDocument) -> Bool {
        let scratch = scratches.take()
        var evaluation = Evaluation(program, document, scratch)
        let isValid = withExtendedLifetime(program) { evaluation.check(program.root, 0) }
        scratches.give(scratch)
        return isValid && evaluation.stop == .none
    }

    /// Whether a document is valid, and the reasons if it is not.
    ///
    /// - Parameters:
    ///   - limit: The most errors that are collected.
    ///   - valueLimit: The most bytes of the value that an error quotes. With 0, errors never contain the data.
    public func validate(_ document: JSONDocument, limit: Int = 100, valueLimit: Int = 0) -> ValidationResult {
        if isValid(document) { return ValidationResult(errors: []) }
        let scratch = scratches.take()
        var explanation = RefusalReport(
            program, Evaluation(program, document, scratch), ErrorOptions(limit: limit, valueLimit: valueLimit))
        let result = withExtendedLifetime(document) { explanation.run() }
        scratches.give(scratch)
        return result
    }
}

/// Loads the documents that a schema refers to.
private struct DocumentLoading {
    private(set) var registry: SchemaRegistry
    let limit: Int
    let load: @Sendable (_ uri: String) async throws -> JSONValue?
    private var count = 0

    init(registry: SchemaRegistry, limit: Int, load: @escaping @Sendable (_ uri: String) async throws -> JSONValue?) {
        self.registry = registry
        self.limit = limit
        self.load = load
    }

    /// Adds the document that an error names.
    mutating func load(_ error: SchemaError) async throws {
        guard case .missingDocument(let uri) = error.kind, let document = try await load(uri) else { throw error }
        count += 1
        guard count <= limit else {
            throw SchemaError(
                kind: .limit, location: error.location,
                reason: "The schema refers to more than \(limit) documents that would be loaded.")
        }
        registry.add(document, uri: uri)
    }
}

/// The scratches that no evaluation uses.
final class ScratchPool: Sendable {
    /// The address of the scratch that was returned last, which is retained, or 0. Taking it needs no lock.
    private let last = Atomic<UInt>(0)
    private let free = Mutex<[Scratch]>([])

    deinit { _ = ScratchPool.scratch(last.exchange(0, ordering: .acquiring)) }

    func take() -> Scratch {
        ScratchPool.scratch(last.exchange(0, ordering: .acquiring)) ?? free.withLock { $0.popLast() } ?? Scratch()
    }

    func give(_ scratch: Scratch) {
        scratch.reset()
        let address = UInt(bitPattern: Unmanaged.passRetained(scratch).toOpaque())
        guard let other = ScratchPool.scratch(last.exchange(address, ordering: .acquiringAndReleasing)) else { return }
        free.withLock { if $0.count < 64 { $0.append(other) } }
    }

    private static func scratch(_ address: UInt) -> Scratch? {
        UnsafeRawPointer(bitPattern: address).map { Unmanaged<Scratch>.fromOpaque($0).takeRetainedValue() }
    }
}
