import PlugboardKit
import PlugboardValidatorOptions

/// Finds the operation of a request among those of all documents.
struct OpenAPIIndex: Sendable {
    private struct Place: Hashable {
        let method: String
        let count: Int
    }

    private struct Entry: Sendable {
        let operation: OpenAPIOperation
        let draft: ValidatorDraft
    }

    /// The operations by method and number of segments; those with more fixed parts come first.
    private var entries: [Place: [Entry]] = [:]

    var isEmpty: Bool { entries.isEmpty }

    init(_ documents: [OpenAPIDocument]) {
        for document in documents {
            for operation in document.operations {
                let place = Place(method: operation.method, count: operation.segments.count)
                entries[place, default: []].append(Entry(operation: operation, draft: document.draft))
            }
        }
        for place in entries.keys {
            entries[place]?.sort { left, right in
                // The sort is stable, so the first document counts if both are equal.
                left.operation.fixedParts.lexicographicallyPrecedes(right.operation.fixedParts) { $0 && !$1 }
            }
        }
    }

    /// The schema of a request's body, or of the body of the response with this status; nil without one.
    func schema(method: String, url: String, status: Int?, type: String) -> (text: String, draft: ValidatorDraft)? {
        guard let parts = URLParts(url), parts.hostAndPort != nil else { return nil }
        let segments = OpenAPIOperation.segments(Array(parts.path.utf8))
        guard let entries = entries[Place(method: method, count: segments.count)] else { return nil }
        let origin = OpenAPIOperation.origin(url)
        guard let entry = entries.first(where: { $0.operation.applies(origin, segments) }) else { return nil }
        return entry.operation.schema(status: status, type: MediaRange.essence(type)).map { ($0, entry.draft) }
    }
}
