import Foundation
public import PlugboardEndpoints
public import PlugboardJSON
public import PlugboardMessages
import Synchronization
import Yams

/// Reads YAML 1.2 (core schema) as the JSON value that the readers of configurations and definitions take.
///
///     let definitions = try Definitions.file("api.yaml", formats: [.yaml])
///     let value = try YAMLDocument.parse(bytes)
///
/// `no` and `on` are texts, and so are dates and numbers with a leading zero, which YAML 1.1 and 1.2 read differently.
/// Keys are texts: `200:` is `"200"`. Anchors, aliases and merge keys (`<<`) are followed.
public enum YAMLDocument {
    /// What a document may cost.
    public struct Limits: Sendable {
        /// The bytes of the largest document.
        public var size = 32 << 20
        /// The most values with those that aliases repeat.
        public var values = 4_000_000
        /// The most levels of values within each other.
        public var depth = 512
        /// The most anchors that aliases refer to.
        public var anchors = 100

        /// The usual limits.
        public init() {}
    }

    /// The value of a document. Blocks; called on any thread but an event loop's.
    ///
    /// - Parameter name: The file's name, for errors.
    /// - Throws: `configuration`, with line and column, for a text that is no YAML, a key that stands twice in a
    ///   mapping, a key that is no text, a number that JSON does not have, and what is beyond the limits.
    public static func parse(
        _ bytes: [UInt8], name: String? = nil, limits: Limits = Limits()
    ) throws(PlugboardError) -> JSONValue {
        do throws(YAMLFailure) {
            guard bytes.count <= limits.size else {
                throw YAMLFailure("is larger than \(limits.size) bytes", line: nil, column: nil)
            }
            try YAMLAnchors.check(bytes, limit: limits.anchors)
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw YAMLFailure("is no UTF-8", line: nil, column: nil)
            }
            return try LargeStack.value { YAMLDocument.value(of: text, limits) }.get()
        } catch {
            let place = error.line.map { ", line \($0), column \(error.column ?? 1)" } ?? ""
            throw PlugboardError(
                .configuration, "\(name.map { Printable.text($0) } ?? "The YAML document")\(place): \(error.reason).")
        }
    }

    private static func value(of text: String, _ limits: Limits) -> Result<JSONValue, YAMLFailure> {
        do {
            // No rules: Yams' own are those of YAML 1.1.
            guard let root = try Parser(yaml: text, resolver: .basic).singleRoot() else {
                return .failure(YAMLFailure("is empty", line: 1, column: 1))
            }
            var reader = YAMLValueReader(limits: limits)
            return .success(try reader.value(of: root, depth: 0))
        } catch let error as YAMLFailure {
            return .failure(error)
        } catch let error as YamlError {
            return .failure(YAMLFailure(error))
        } catch {
            return .failure(YAMLFailure("cannot be read", line: nil, column: nil))
        }
    }
}

extension DocumentFormat {
    /// YAML: files that end with `.yaml` or `.yml`, and the media types of YAML.
    public static let yaml = DocumentFormat(
        endings: ["yaml", "yml"], types: ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"]
    ) { bytes, name throws(PlugboardError) in try YAMLDocument.parse(bytes, name: name) }
}

/// What is wrong with a document, and where.
struct YAMLFailure: Error {
    /// The end of a sentence about the document.
    let reason: String
    /// Counted from 1.
    let line: Int?
    let column: Int?

    init(_ reason: String, line: Int?, column: Int?) {
        self.reason = reason
        self.line = line
        self.column = column
    }

    init(_ reason: String, at mark: Mark?) { self.init(reason, line: mark?.line, column: mark?.column) }

    init(_ error: YamlError) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init("cannot be read: \(problem)", at: mark)
        case .duplicatedKeysInMapping(let keys, let context):
            self.init("the key \(Printable.text(keys.first ?? "")) is a duplicate", at: context.mark)
        case .reader(let problem, let offset, _, let yaml):
            let before = yaml.prefix(offset ?? 0)
            let line = before.count(where: \.isNewline) + 1
            let column = (before.lastIndex(where: \.isNewline).map { before[$0...].count - 1 } ?? before.count) + 1
            self.init("cannot be read: \(problem)", line: line, column: column)
        default: self.init("cannot be read", line: nil, column: nil)
        }
    }
}

/// A thread with a stack for the deepest tree that the limits allow: the parser recurses, and so does the release of a
/// tree.
private enum LargeStack {
    private static let size = 64 << 20

    /// What `read` returns on the thread. Blocks until then.
    static func value(
        _ read: @escaping @Sendable () -> Result<JSONValue, YAMLFailure>
    ) -> Result<JSONValue, YAMLFailure> {
        let unread = Result<JSONValue, YAMLFailure>.failure(YAMLFailure("cannot be read", line: nil, column: nil))
        let value = Mutex(unread)
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            let read = read()
            value.withLock { $0 = read }
            done.signal()
        }
        thread.stackSize = size
        thread.start()
        done.wait()
        return value.withLock { $0 }
    }
}
