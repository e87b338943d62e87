import PlugboardJSON
import PlugboardKit
import PlugboardValidatorOptions

/// An OpenAPI document (3.0 or 3.1) as a source of schemas: the operations with the places of their schemas.
///
/// The document is registered twice, because a property that is only read is not required in requests, and one that is
/// only written is not required in responses. References within it are followed by the compiler of schemas.
struct OpenAPIDocument {
    /// The most operations of one document.
    private static let operationLimit = 100_000
    private static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

    private let root: JSONValue
    private let isVersion30: Bool
    private let uri: String
    private(set) var operations: [OpenAPIOperation] = []
    /// Why operations and paths were left out; the first hundred reasons.
    private(set) var defects: [String] = []

    var draft: ValidatorDraft { isVersion30 ? .draft4 : .draft2020 }

    /// Reads a document. `number` distinguishes it from the others.
    init(_ root: JSONValue, number: Int) throws(PlugboardError) {
        guard let version = root["openapi"]?.stringValue,
            let minor = OpenAPIDocument.minor(of: version)
        else { throw OpenAPIDocument.error("must have the version 3.0 or 3.1 under openapi") }
        self.root = root
        isVersion30 = minor == 0
        if minor > 1 { defects.append("The OpenAPI document is newer than 3.1, and is read as 3.1.") }
        uri = "urn:plugboard:validator:openapi:\(number)"
        guard let paths = root["paths"]?.objectValue ?? (root["paths"] == nil ? [:] : nil) else {
            throw OpenAPIDocument.error("must have an object of paths")
        }
        for (path, item) in paths where path.utf8.first == UInt8(ascii: "/") {
            let own = OpenAPINode(item, "/paths/\(JSONPointer.escaped(path))")
            guard let item = leavingOut({ document throws(PlugboardError) in try document.resolve(own) }) else {
                continue
            }
            for method in OpenAPIDocument.methods {
                guard let operation = item[method] else { continue }
                leavingOut { document throws(PlugboardError) in
                    try document.read(try document.resolve(operation), of: item, path, method)
                }
                guard operations.count <= OpenAPIDocument.operationLimit else {
                    throw OpenAPIDocument.error("has more than \(OpenAPIDocument.operationLimit) operations")
                }
            }
        }
    }

    /// The number after the first dot of a version 3; nil for another version.
    private static func minor(of version: String) -> Int? {
        let parts = version.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count > 1, parts[0].elementsEqual("3".utf8) else { return nil }
        return Int(Substring(parts[1]))
    }

    /// Notes an error as a defect, so that the rest of the document can be used.
    @discardableResult
    private mutating func leavingOut<Value>(
        _ body: (inout OpenAPIDocument) throws(PlugboardError) -> Value
    ) -> Value? {
        do throws(PlugboardError) {
            return try body(&self)
        } catch {
            if defects.count < 100 { defects.append(error.reason) }
            return nil
        }
    }

    private static func error(_ reason: String) -> PlugboardError {
        PlugboardError(.configuration, "An OpenAPI document of validator \(reason).")
    }

    /// The forms of the document that its schemas refer to, by URI.
    func documents() -> [(uri: String, document: JSONValue)] {
        [
            ("\(uri):responses", OpenAPISchemas.schemas(of: root, hiding: "writeOnly", isVersion30: isVersion30)),
            ("\(uri):requests", OpenAPISchemas.schemas(of: root, hiding: "readOnly", isVersion30: isVersion30)),
        ]
    }

    private mutating func read(
        _ operation: OpenAPINode, of item: OpenAPINode, _ path: String, _ method: String
    ) throws(PlugboardError) {
        guard !OpenAPIDocument.hasQuery(path) else {
            throw OpenAPIDocument.error(
                "has a path with a query or fragment at \(operation.pointer); its operation is not checked")
        }
        var schemas: [OpenAPIOperation.Schema] = []
        if let body = operation["requestBody"] {
            schemas += contents(of: try resolve(body), nil, "\(uri):requests")
        }
        for (status, response) in operation["responses"]?.members ?? [] where !status.utf8.starts(with: "x-".utf8) {
            guard let statuses = OpenAPIOperation.Statuses(status) else {
                throw OpenAPIDocument.error("has the status \(Printable.text(status)) at \(response.pointer)")
            }
            schemas += contents(of: try resolve(response), statuses, "\(uri):responses")
        }
        guard !schemas.isEmpty else { return }
        let servers = try [operation, item, OpenAPINode(root, "")].lazy.compactMap { $0["servers"] }.first.map {
            (list: OpenAPINode) throws(PlugboardError) in try self.servers(list)
        }
        for server in servers ?? [""] {
            operations.append(
                OpenAPIOperation(method: method.utf8Uppercased, server: server, path: path, schemas: schemas))
        }
    }

    /// Whether a question mark or number sign occurs outside placeholders.
    private static func hasQuery(_ path: String) -> Bool {
        var isPlaceholder = false
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "{"): isPlaceholder = true
            case UInt8(ascii: "}"): isPlaceholder = false
            case UInt8(ascii: "?"), UInt8(ascii: "#"): if !isPlaceholder { return true }
            default: break
            }
        }
        return false
    }

    /// The URLs of servers, with `*` for each variable.
    private func servers(_ list: OpenAPINode) throws(PlugboardError) -> [String] {
        let urls = list.value.arrayValue?.prefix(100).map { $0["url"]?.stringValue }
        guard let urls, urls.allSatisfy({ $0 != nil }) else {
            throw OpenAPIDocument.error("must have a list of servers with URLs at \(list.pointer)")
        }
        return urls.compactMap(\.self)
    }

    private func contents(
        of node: OpenAPINode, _ statuses: OpenAPIOperation.Statuses?, _ uri: String
    ) -> [OpenAPIOperation.Schema] {
        (node["content"]?.members ?? []).compactMap { type, media in
            media["schema"].map {
                OpenAPIOperation.Schema(
                    statuses: statuses, type: MediaRange(type),
                    text: JSONWriter.write(["$ref": .string("\(uri)#\(JSONPointer.fragment($0.pointer))")]))
            }
        }
    }

    /// The node, or the node that its reference leads to.
    private func resolve(_ node: OpenAPINode) throws(PlugboardError) -> OpenAPINode {
        var node = node
        for _ in 0..<32 {
            guard let reference = node.value["$ref"]?.stringValue else { return node }
            guard reference.utf8.starts(with: "#/".utf8) else {
                throw OpenAPIDocument.error("refers to another document at \(node.pointer); join them into one first")
            }
            guard let pointer = JSONPointer.text(ofFragment: String(reference.dropFirst())),
                let value = JSONPointer.value(pointer, in: root)
            else { throw OpenAPIDocument.error("has a reference at \(node.pointer) that leads to nothing") }
            node = OpenAPINode(value, pointer)
        }
        throw OpenAPIDocument.error("has more than 32 references in a row at \(node.pointer)")
    }
}

extension String {
    fileprivate var utf8Uppercased: String {
        String(decoding: utf8.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }, as: UTF8.self)
    }
}
