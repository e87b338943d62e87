import PlugboardJSONSchema
import PlugboardKit
import PlugboardValidatorOptions
import Synchronization

/// The documents that schemas refer to, and the schemas that were compiled, by their content.
final class SchemaStore: Sendable {
    /// A schema as text, and the options of its compilation.
    struct Key: Hashable, Sendable {
        var text: String
        var isShape = false
        var draft: ValidatorDraft
        var formats: Bool
        /// `Exchange.ownRoutes` of the exchange, by whose options its documents are fetched; empty if none is fetched.
        var routes = ""

        // Compares bytes, because canonically equivalent texts are two schemas.
        static func == (left: Key, right: Key) -> Bool {
            left.isShape == right.isShape && left.draft == right.draft && left.formats == right.formats
                && left.routes == right.routes && left.text.utf8.elementsEqual(right.text.utf8)
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(isShape)
            hasher.combine(draft)
            hasher.combine(formats)
            hasher.combine(routes)
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        }
    }

    private struct Compiled {
        let result: Result<JSONSchema, PlugboardError>
        /// The time until which it is used; nil if it is used as long as the documents are the same.
        var until: Duration?

        func isCurrent(at now: Duration) -> Bool {
            guard let until else { return true }
            return now < until
        }
    }

    private struct State {
        var registry = SchemaRegistry()
        /// Includes failures, so that a schema that cannot be compiled is not compiled each time.
        var compiled: [Key: Compiled] = [:]
        /// Changes with the documents, so that a schema of older ones is not kept.
        var edition = 0
    }

    /// The most compiled schemas; with more, all are dropped.
    static let limit = 1024
    /// The most bytes of a text that is compiled on the loop. Texts with references are compiled by another thread.
    static let inlineLimit = 1 << 10
    private let state = Mutex(State())
    private let fetching: SchemaFetching?
    /// Whether contents are checked where a draft asserts them.
    private let contents: Bool
    /// Whether documents may be fetched.
    var fetches: Bool { fetching != nil }

    init(fetching: SchemaFetching?, contents: Bool) {
        self.fetching = fetching
        self.contents = contents
    }

    /// Registers documents by URI. Schemas that were compiled before are compiled again when they are next used.
    func register(_ documents: [(uri: String, document: JSONValue)]) {
        state.withLock { state in
            for (uri, document) in documents { state.registry.add(document, uri: uri) }
            state.compiled = [:]
            state.edition += 1
        }
    }

    /// The compiled form of a text; nil if `load` must be awaited, because the text is large or refers to documents
    /// that may be fetched. Throws an error that says what is wrong with the text.
    ///
    /// - Parameter limit: The bytes of the largest text that is compiled at once.
    func schema(_ key: Key, inline limit: Int) throws(PlugboardError) -> JSONSchema? {
        let (known, registry, edition) = look(key)
        if let known { return try known.get() }
        guard key.text.utf8.count <= limit, limit == .max || SchemaStore.isPlain(key.text) else { return nil }
        let source = try source(key, edition)
        do throws(SchemaError) {
            let schema = try JSONSchema(source, options: options(key), registry: registry)
            keep(.success(schema), key, edition)
            return schema
        } catch {
            if case .missingDocument(let uri) = error.kind, fetching?.allows(uri) == true { return nil }
            let failure = SchemaStore.failure(error)
            keep(.failure(failure), key, edition)
            throw failure
        }
    }

    /// Compiles a text; documents that it refers to are fetched where that is allowed. Not on the loop.
    ///
    /// - Parameter inheritance: What the requests for documents take over.
    func load(_ key: Key, inheriting inheritance: Inheritance) async throws(PlugboardError) -> JSONSchema {
        let (known, registry, edition) = look(key)
        if let known { return try known.get() }
        let source = try source(key, edition)
        do {
            let schema = try await JSONSchema(
                source, options: options(key), registry: registry,
                documentLimit: fetching?.countLimit ?? 0
            ) { [fetching] uri in
                guard let fetching, fetching.allows(uri) else { return nil }
                return try await fetching.document(uri, by: key.routes, inheriting: inheritance)
            }
            keep(.success(schema), key, edition)
            return schema
        } catch let error as SchemaError {
            let failure = SchemaStore.failure(error)
            keep(.failure(failure), key, edition, until: fetching?.retryTime)
            throw failure
        } catch let error as PlugboardError {
            if error.code != .cancelled { keep(.failure(error), key, edition, until: fetching?.retryTime) }
            throw error
        } catch {
            throw PlugboardError(.validatorSchema, "The schema cannot be compiled. \(error)")
        }
    }

    /// Forgets the documents that were fetched, and compiles every schema again when it is next used.
    func forget() {
        fetching?.forget()
        register([])
    }

    private func look(_ key: Key) -> (known: Result<JSONSchema, PlugboardError>?, SchemaRegistry, edition: Int) {
        let now = fetching?.now ?? .zero
        return state.withLock { state in
            let known = state.compiled[key].flatMap { $0.isCurrent(at: now) ? $0 : nil }
            return (known?.result, state.registry, state.edition)
        }
    }

    /// The number of times that documents were registered.
    var edition: Int { state.withLock { $0.edition } }

    /// Whether a text has no reference, which could lead to a document of any size.
    private static func isPlain(_ text: String) -> Bool {
        !text.utf8.contains { $0 == UInt8(ascii: "$") || $0 == UInt8(ascii: "\\") }
    }

    private func keep(
        _ schema: Result<JSONSchema, PlugboardError>, _ key: Key, _ edition: Int, until: Duration? = nil
    ) {
        state.withLock { state in
            guard state.edition == edition else { return }
            if state.compiled.count >= SchemaStore.limit { state.compiled = [:] }
            state.compiled[key] = Compiled(result: schema, until: until)
        }
    }

    private static func failure(_ error: SchemaError) -> PlugboardError {
        PlugboardError(.validatorSchema, "The schema cannot be compiled. \(error.description)")
    }

    private func options(_ key: Key) -> JSONSchema.Options {
        var options = JSONSchema.Options()
        if !key.isShape { options.draft = SchemaDraft(rawValue: key.draft.rawValue) ?? .draft2020 }
        if key.formats { options.formats = true }
        if !contents { options.contents = false }
        return options
    }

    /// The schema of a text, or that of a shape.
    private func source(_ key: Key, _ edition: Int) throws(PlugboardError) -> JSONValue {
        let failure: PlugboardError
        do {
            let value = try JSONParser.parse(key.text)
            return key.isShape ? try Shape(value).schema : value
        } catch let error as ShapeError {
            failure = PlugboardError(.validatorSchema, "The shape cannot be used. \(error.description)")
        } catch {
            failure = PlugboardError(.validatorSchema, "The schema is not valid JSON: \(error).")
        }
        keep(.failure(failure), key, edition)
        throw failure
    }
}
