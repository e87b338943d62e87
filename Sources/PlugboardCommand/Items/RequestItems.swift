import PlugboardCodecs
import PlugboardJSON
import PlugboardKit

/// The request items of a command line: header fields, parameters of the query, and the data of the body.
struct RequestItems {
    private(set) var fields: [FieldArgument] = []
    private var query: [UInt8] = []
    private var data: [RequestItem] = []
    /// Whether the data makes a form instead of JSON, and whether one in parts.
    private let asForm, multipart: Bool

    /// Reads the files of fields and of the query. Blocks.
    init(_ arguments: BodyArguments) throws(CommandFailure) {
        (asForm, multipart) = (arguments.asForm, arguments.multipart)
        for (index, word) in arguments.items.enumerated() {
            let item = try RequestItem(word, at: index + 1)
            switch item.kind {
            case .field, .fieldFile, .emptyField: fields.append(try RequestItems.field(item))
            case .query, .queryFile:
                if !query.isEmpty { query.append(UInt8(ascii: "&")) }
                query += try RequestItems.pair(item)
            case .text, .textFile, .json, .jsonFile, .file: data.append(item)
            }
        }
    }

    /// Whether they make a body.
    var haveData: Bool { !data.isEmpty }

    /// What is added to the URL's query.
    ///
    /// - Parameter other: What other options add before it.
    func query(after other: [UInt8]) -> [UInt8] {
        other + (other.isEmpty || query.isEmpty ? [] : [UInt8(ascii: "&")]) + query
    }

    private static func field(_ item: RequestItem) throws(CommandFailure) -> FieldArgument {
        guard !item.name.contains(":") else {
            throw CommandFailure(.usage, "The name of a header field has no colon.")
        }
        if item.kind == .emptyField { return try FieldArgument("\(item.name);") }
        // The line end of a file is not part of the value.
        var text = try item.text()
        while let last = text.unicodeScalars.last, last == "\n" || last == "\r" { text.unicodeScalars.removeLast() }
        return try FieldArgument("\(item.name):\(text)")
    }

    /// Name and value as forms encode them.
    private static func pair(_ item: RequestItem) throws(CommandFailure) -> [UInt8] {
        FormData.encoded(Array(item.name.utf8)) + [UInt8(ascii: "=")] + FormData.encoded(try item.bytes())
    }

    // MARK: The body

    /// The body that the data makes; nil without data. Reads files, except those of a form's parts, which are read
    /// while they are sent.
    ///
    /// - Parameters:
    ///   - isRepeated: Whether several requests have this body.
    ///   - isStreamed: Whether a pipe is read only while the body is sent.
    func content(isRepeated: Bool, isStreamed: Bool) throws -> BodyArguments.Content? {
        if data.isEmpty { return nil }
        if let whole = data.first(where: { $0.letters.isEmpty }) {
            guard data.count == 1 else {
                throw CommandFailure(.usage, "@FILE is the whole body: leave the other data out, or write name@FILE.")
            }
            return BodyArguments.Content(
                body: try InputArgument(path: whole.value).body(
                    for: "@FILE", isRepeated: isRepeated, isStreamed: isStreamed),
                type: MediaType.name(ofFile: whole.value))
        }
        if isMultipart {
            let form = MultipartForm(try data.map { try RequestItems.part($0).part(isStreamed: isStreamed) })
            return BodyArguments.Content(body: try form.body(), type: form.contentType)
        }
        guard asForm else {
            return BodyArguments.Content(
                body: .bytes(JSONWriter.write(try json()) as [UInt8]), type: "application/json",
                accept: "application/json")
        }
        let pairs = try data.map { item in
            FormData.encoded(Array(item.name.utf8)) + [UInt8(ascii: "=")]
                + FormData.encoded(try RequestItems.formText(item))
        }
        return BodyArguments.Content(
            body: .bytes(Array(pairs.joined(separator: [UInt8(ascii: "&")]))),
            type: "application/x-www-form-urlencoded")
    }

    private func json() throws(CommandFailure) -> JSONValue {
        var root = JSONValue.null
        for item in data { try NestedName(item).insert(try RequestItems.value(item), into: &root) }
        return root
    }

    private static func value(_ item: RequestItem) throws(CommandFailure) -> JSONValue {
        guard item.kind == .json || item.kind == .jsonFile else { return .string(try item.text()) }
        let bytes = try item.bytes()
        do throws(JSONError) {
            return try JSONParser.parse(bytes)
        } catch {
            throw CommandFailure(.usage, "\(item.label) the JSON cannot be read: \(error).")
        }
    }

    /// A value of JSON in a form is its text.
    private static func formText(_ item: RequestItem) throws(CommandFailure) -> [UInt8] {
        guard item.kind == .json || item.kind == .jsonFile else { return try item.bytes() }
        let value = try value(item)
        switch value {
        case .string(let text): return Array(text.utf8)
        case .null, .bool, .number: return JSONWriter.write(value)
        case .array, .object:
            throw CommandFailure(.usage, "\(item.label) a form has no lists and objects: repeat the name instead.")
        }
    }

    /// A text or a file as a part of a form.
    private static func part(_ item: RequestItem) throws(CommandFailure) -> FormPart {
        let isFile = item.kind == .file
        let text = isFile ? "" : String(decoding: try formText(item), as: UTF8.self)
        var part = isFile ? try FormPart("file=@\(item.value)") : try FormPart(literal: "text=\(text)")
        part.name = item.name
        return part
    }

    /// The body as options of curl; nil if it is best taken from the request.
    func curlBody() throws(CommandFailure) -> PrintedCurlBody? {
        if let whole = data.first, whole.letters.isEmpty {
            return PrintedCurlBody(of: InputArgument(path: whole.value))
        }
        guard isMultipart else { return nil }
        var parts: [FormPart] = []
        for item in data { parts.append(try RequestItems.part(item)) }
        return .parts(parts)
    }

    private var isMultipart: Bool { multipart || data.contains { $0.kind == .file } }
}
