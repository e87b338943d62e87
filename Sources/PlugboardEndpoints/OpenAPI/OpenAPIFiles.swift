import PlugboardCore
import PlugboardJSON
import PlugboardKit
import PlugboardSystem

/// Joins an OpenAPI document with the files that it refers to, so that all references stay within the document.
///
/// Reads only files in the folder of the document and its subfolders, each once. A reference to anything else is not
/// changed.
struct OpenAPIFiles {
    /// The member of the document that holds the files by their paths.
    static let key = "x-plugboard-files"
    private static let countLimit = 10_000

    private let folder: String?
    /// The name of the document itself.
    private let document: String?
    private let formats: [DocumentFormat]
    private var files: [String: JSONValue] = [:]
    private var rest: [String] = []
    private var bytes = JSONParser.Options().sizeLimit
    /// The reasons why references cannot be followed, as ends of sentences.
    private(set) var unreadable: [String: String] = [:]

    init(folder: String?, document: String?, _ formats: [DocumentFormat]) {
        self.folder = folder
        self.formats = formats
        self.document = document.map { path in
            path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        }
    }

    /// The document with the files as a member. Blocks while files are read.
    mutating func join(_ root: JSONValue) -> JSONValue {
        guard folder != nil, OpenAPIFiles.leavesDocument(root) else { return root }
        let own = rewritten(root, of: nil)
        guard var joined = own.objectValue else { return root }
        var members = JSONObject()
        while let path = rest.popLast() {
            guard let value = files[path] else { continue }
            members[path] = rewritten(value, of: path)
        }
        joined[OpenAPIFiles.key] = .object(members)
        return .object(joined)
    }

    private static func leavesDocument(_ value: JSONValue) -> Bool {
        switch value {
        case .array(let elements): return elements.contains { leavesDocument($0) }
        case .object(let object):
            if let reference = object["$ref"]?.stringValue { return reference.utf8.first != UInt8(ascii: "#") }
            for (_, value) in object where leavesDocument(value) { return true }
            return false
        default: return false
        }
    }

    /// A value of a file, with references that point into the joined document.
    private mutating func rewritten(_ value: JSONValue, of path: String?) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map { rewritten($0, of: path) })
        case .object(let object):
            var result = JSONObject()
            for (key, value) in object {
                if key == "$ref", let reference = value.stringValue {
                    result[key] = .string(rewritten(reference: reference, of: path))
                } else {
                    result[key] = rewritten(value, of: path)
                }
            }
            return .object(result)
        default: return value
        }
    }

    private mutating func rewritten(reference: String, of path: String?) -> String {
        let hash = reference.utf8.firstIndex(of: UInt8(ascii: "#")) ?? reference.endIndex
        let fragment = reference[hash...].dropFirst()
        guard hash != reference.startIndex else {
            return path.map { OpenAPIFiles.pointer(to: $0, fragment) } ?? reference
        }
        let name = String(reference[..<hash])
        if OpenAPIFiles.hasScheme(name) { return reference }
        guard let target = OpenAPIFiles.normalized(name, from: path) else {
            unreadable[reference] = "leads out of the folder of the document; only files in it are read"
            return reference
        }
        if target == document { return "#\(fragment)" }
        guard files[target] != nil || read(target, reference) else { return reference }
        return OpenAPIFiles.pointer(to: target, fragment)
    }

    private mutating func read(_ path: String, _ reference: String) -> Bool {
        guard let folder, files.count < OpenAPIFiles.countLimit else {
            unreadable[reference] = "leads to one file more than the \(OpenAPIFiles.countLimit) that are read"
            return false
        }
        let whole = folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
        switch SmallFile.bytes(of: whole, limit: bytes, waits: false) {
        case .failure(let cause):
            unreadable[reference] = "leads to the file \(Printable.text(path)), which \(cause.reason)"
            return false
        case .success(let content):
            do throws(PlugboardError) {
                files[path] = try value(of: content, path)
            } catch {
                unreadable[reference] =
                    "leads to the file \(Printable.text(path)), which cannot be read: \(error.reason)"
                return false
            }
            bytes -= content.count
            rest.append(path)
            return true
        }
    }

    private func value(of content: [UInt8], _ path: String) throws(PlugboardError) -> JSONValue {
        if let format = formats.format(ofFile: path) { return try format.read(content, path) }
        var options = JSONParser.configuration
        options.sizeLimit = bytes
        options.duplicateKeys = .lastWins
        do throws(JSONError) {
            return try JSONParser.parse(content, options: options)
        } catch {
            throw PlugboardError(.configuration, "\(error)")
        }
    }

    private static func pointer(to path: String, _ fragment: Substring) -> String {
        let slash = fragment.isEmpty || fragment.utf8.first == UInt8(ascii: "/") ? "" : "/"
        return "#/\(key)/\(JSONPointer.fragment(JSONPointer.escaped(path)))\(slash)\(fragment)"
    }

    /// Whether a reference is a URL instead of a path.
    private static func hasScheme(_ name: String) -> Bool { URLParts(name)?.scheme != nil }

    /// The path of a file relative to the folder of the document; nil if it is outside of the folder.
    private static func normalized(_ name: String, from path: String?) -> String? {
        var isMalformed = false
        let decoded = PercentEncoding.decoded(Array(name.utf8), isMalformed: &isMalformed)
        guard !isMalformed, !decoded.contains(0), decoded.first != UInt8(ascii: "/") else { return nil }
        let slash = UInt8(ascii: "/")
        var parts = (path ?? "").utf8.split(separator: slash).dropLast().map { String(Substring($0)) }
        for part in String(decoding: decoded, as: UTF8.self).utf8.split(separator: slash) {
            switch String(Substring(part)) {
            case ".": break
            case "..": if parts.popLast() == nil { return nil }
            case let name: parts.append(name)
            }
        }
        return parts.isEmpty ? nil : parts.joined(separator: "/")
    }
}
