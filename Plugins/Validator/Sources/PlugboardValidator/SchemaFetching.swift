import PlugboardKit
import PlugboardValidatorOptions
import Synchronization

/// Fetches documents that schemas refer to, as sub-requests that outlive the exchange that asked first. They take its
/// options, and a document is used for exchanges with the same `Exchange.ownRoutes`.
///
/// Redirects are not followed, because they could lead past the list of allowed URLs. Cookies and credentials are not
/// sent, neither those of an exchange nor those of the configuration.
final class SchemaFetching: Sendable {
    private enum Known {
        /// A document, with the number of bytes of its text.
        case document(JSONValue, size: Int)
        /// A failure, with the time until which the document is not requested again.
        case failure(PlugboardError, until: Duration)
        /// All exchanges that need the document wait for one request.
        case underway(Task<Result<JSONValue, PlugboardError>, Never>)
    }

    /// The most documents that are remembered, and the most bytes of their texts; with more, all that have arrived are
    /// dropped.
    private static let memoryLimit = (count: 1024, bytes: 32 << 20)
    /// How long a document that could not be fetched is not asked for again.
    private static let pause = Duration.seconds(10)
    private static let timeout = Duration.seconds(30)

    private let prefixes: [String]
    private let sizeLimit: ByteCount
    let countLimit: Int
    private let host: PluginHost
    private let memory = Mutex(Memory())

    private struct Memory {
        var known: [[UInt8]: Known] = [:]
        /// The bytes of the documents.
        var size = 0
        /// The number of calls of `forget`.
        var edition = 0

        mutating func makeRoom(for size: Int) {
            let limit = SchemaFetching.memoryLimit
            guard known.count >= limit.count || self.size + size > limit.bytes else { return }
            known = known.filter { if case .underway = $0.value { true } else { false } }
            self.size = 0
        }
    }

    var now: Duration { host.now }
    /// The time from which a schema that could not be compiled is compiled again.
    var retryTime: Duration { host.now + SchemaFetching.pause }

    /// Forgets all documents. The results of requests under way are not kept either.
    func forget() { memory.withLock { $0 = Memory(edition: $0.edition + 1) } }

    /// Nil if nothing may be fetched. An error refuses the configuration.
    init?(_ settings: ValidatorSettings, _ host: PluginHost) throws {
        guard !settings.fetch.isEmpty else { return nil }
        for prefix in settings.fetch {
            guard let parts = URLParts(prefix), SchemaFetching.isPlain(parts) else {
                throw PlugboardError(
                    .configuration,
                    "\(Printable.url(prefix)) of validator.fetch must be the beginning of URLs, with scheme, host and "
                        + "a slash after it, such as https://schemas.example.com/.")
            }
        }
        prefixes = settings.fetch
        sizeLimit = settings.fetchSize
        countLimit = settings.fetchCount
        self.host = host
    }

    /// Whether this is an absolute http or https URL without user and fragment, whose path cannot lead elsewhere.
    private static func isPlain(_ parts: URLParts) -> Bool {
        guard parts.scheme == "https" || parts.scheme == "http", parts.userinfo == nil, parts.fragment == nil,
            parts.host?.isEmpty == false, parts.path.utf8.first == UInt8(ascii: "/"),
            parts.path.utf8.elementsEqual(parts.pathWithoutDotSegments.utf8)
        else { return false }
        // Escaped dots and slashes, and backslashes, mean a different path to some servers.
        let path = Array(parts.path.utf8)
        return !path.contains(UInt8(ascii: "\\"))
            && !path.indices.dropLast(2).contains { index in
                path[index] == UInt8(ascii: "%") && path[index + 1] == UInt8(ascii: "2")
                    && [UInt8(ascii: "e"), UInt8(ascii: "f")].contains(path[index + 2] | 0x20)
            }
    }

    func allows(_ uri: String) -> Bool {
        guard prefixes.contains(where: { uri.utf8.starts(with: $0.utf8) }), let parts = URLParts(uri) else {
            return false
        }
        return SchemaFetching.isPlain(parts)
    }

    /// Fetches a document, or returns the one that was fetched before with the same `Exchange.ownRoutes`.
    func document(
        _ uri: String, by routes: String, inheriting inheritance: Inheritance
    ) async throws(PlugboardError) -> JSONValue {
        // Uses bytes, because canonically equivalent texts are not the same URL. No URI contains a line break.
        let key = Array("\(uri)\n\(routes)".utf8)
        let known: Known = memory.withLock { memory in
            switch memory.known[key] {
            case .document(let document, let size): return .document(document, size: size)
            case .underway(let task): return .underway(task)
            case .failure(let error, let until) where host.now < until: return .failure(error, until: until)
            default: break
            }
            memory.makeRoom(for: 0)
            // A separate task, because the exchange that asked first may be cancelled.
            let edition = memory.edition
            let found = Known.underway(Task { [self] in await result(uri, key, edition, inheritance) })
            memory.known[key] = found
            return found
        }
        switch known {
        case .document(let document, _): return document
        case .failure(let error, _): throw error
        case .underway(let task): return try await task.value.get()
        }
    }

    private func result(
        _ uri: String, _ key: [UInt8], _ edition: Int, _ inheritance: Inheritance
    ) async -> Result<JSONValue, PlugboardError> {
        let result: Result<JSONValue, PlugboardError>
        let found: Known?
        do throws(PlugboardError) {
            let (document, size) = try await fetch(uri, inheritance)
            result = .success(document)
            found = .document(document, size: size)
        } catch {
            let failure = PlugboardError(
                .validatorSchema, "The schema refers to \(Printable.url(uri)), which cannot be fetched. \(error.reason)"
            )
            result = .failure(failure)
            found = error.code == .cancelled ? nil : .failure(failure, until: host.now + SchemaFetching.pause)
        }
        memory.withLock { memory in
            guard memory.edition == edition else { return }
            if case .document(_, let size) = found {
                memory.makeRoom(for: size)
                memory.size += size
            }
            memory.known[key] = found
        }
        return result
    }

    private func fetch(
        _ uri: String, _ inheritance: Inheritance
    ) async throws(PlugboardError) -> (JSONValue, size: Int) {
        var request = Request(.get, uri)
        request.fields[.accept] = "application/schema+json, application/json"
        request.options.timeout = SchemaFetching.timeout
        for plugin in ["redirect", "cookies", "authentication"] { request.attributes["\(plugin).enabled"] = "false" }
        request.inherit(inheritance)
        let response = try await host.send(request, for: nil, isDetached: true)
        guard response.head.status == 200 else {
            throw PlugboardError(.validatorSchema, "The response has the status \(response.head.status), not 200.")
        }
        let bytes = try await response.collect(upTo: sizeLimit)
        do throws(JSONError) {
            return (try JSONParser.parse(bytes.array), bytes.count)
        } catch {
            throw PlugboardError(.validatorSchema, "The response is not valid JSON: \(error.description).")
        }
    }
}
