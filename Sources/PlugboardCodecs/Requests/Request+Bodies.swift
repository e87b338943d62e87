import PlugboardJSON
import PlugboardMessages

// Each initializer sets `Content-Type`, unless the fields contain it.

extension Request {
    /// A request without a body, whose parameters are added to the query of its URL.
    ///
    /// Throws `request.parameter` if a parameter cannot be written.
    public init(
        _ method: Method = .get, _ url: String, query: Parameters, style: ParameterStyle = ParameterStyle(),
        fields: Fields = Fields()
    ) throws(PlugboardError) {
        self.init(method, try query.added(to: url, style: style), fields: fields)
    }

    /// A request with a value as JSON: `Request(.post, url, json: topic)`. It is written by the codec for JSON of
    /// `CodecSet.standard`.
    ///
    /// Throws `request.parameter` if the value or a parameter of the query cannot be written.
    public init(
        _ method: Method, _ url: String, query: Parameters = Parameters(), fields: Fields = Fields(),
        json value: some Encodable
    ) throws(PlugboardError) {
        try self.init(method, url, query: query, fields: fields, body: value, with: CodecSet.standardJSON)
    }

    /// A request with JSON: `Request(.post, url, json: ["name": "Ada", "age": 36])`.
    ///
    /// Throws `request.parameter` if a parameter of the query cannot be written.
    public init(
        _ method: Method, _ url: String, query: Parameters = Parameters(), fields: Fields = Fields(),
        json value: JSONValue
    ) throws(PlugboardError) {
        try self.init(method, url, query: query, fields: fields)
        setBody(.bytes(JSONWriter.write(value) as [UInt8]), type: JSONCodec().writtenType)
    }

    /// A request with a form, `application/x-www-form-urlencoded`: `Request(.post, url, form: ["name": "Ada"])`.
    ///
    /// Throws `request.parameter` if a parameter cannot be written.
    /// - Parameter style: How nested values are written, in the form and in the query.
    public init(
        _ method: Method, _ url: String, query: Parameters = Parameters(), fields: Fields = Fields(),
        form: Parameters, style: ParameterStyle = ParameterStyle()
    ) throws(PlugboardError) {
        try self.init(method, url, query: query, style: style, fields: fields)
        setBody(.text(try form.form(style)), type: FormCodec().writtenType)
    }

    /// A request with a text in UTF-8.
    ///
    /// Throws `request.parameter` if a parameter of the query cannot be written.
    /// - Parameter type: The content type.
    public init(
        _ method: Method, _ url: String, query: Parameters = Parameters(), fields: Fields = Fields(), text: String,
        type: String = "text/plain; charset=utf-8"
    ) throws(PlugboardError) {
        try self.init(method, url, query: query, fields: fields)
        setBody(.text(text), type: type)
    }

    /// A request with bytes in memory.
    ///
    /// Throws `request.parameter` if a parameter of the query cannot be written.
    /// - Parameter type: The content type.
    public init(
        _ method: Method, _ url: String, query: Parameters = Parameters(), fields: Fields = Fields(), bytes: Bytes,
        type: String = "application/octet-stream"
    ) throws(PlugboardError) {
        try self.init(method, url, query: query, fields: fields)
        setBody(.bytes(bytes), type: type)
    }

    /// A request with a file, which is opened now and read while it is sent.
    ///
    /// Throws `body.read` if the file cannot be opened, and `request.parameter` if a parameter of the query cannot be
    /// written.
    /// - Parameter type: The content type; nil for that of the file's extension.
    public init(
        _ method: Method, _ url: String, query: Parameters = Parameters(), fields: Fields = Fields(),
        file path: String, type: String? = nil
    ) throws(PlugboardError) {
        try self.init(method, url, query: query, fields: fields)
        setBody(try .file(path), type: type ?? MediaType.name(ofFile: path))
    }

    /// A request with a value that a codec writes: `Request(.put, url, body: settings, with: .propertyList)`.
    ///
    /// Throws `request.parameter` if the value or a parameter of the query cannot be written.
    public init<Value>(
        _ method: Method, _ url: String, query: Parameters = Parameters(), fields: Fields = Fields(),
        body value: Value, with codec: some Codec
    ) throws(PlugboardError) {
        try self.init(method, url, query: query, fields: fields)
        setBody(.bytes(try codec.encode(value)), type: codec.writtenType)
    }

    /// Adds parameters to the query of the URL, after the existing ones and before the fragment.
    ///
    /// Throws `request.parameter` if one cannot be written.
    public mutating func addQuery(
        _ parameters: Parameters, style: ParameterStyle = ParameterStyle()
    ) throws(PlugboardError) {
        url = try parameters.added(to: url, style: style)
    }

    /// Sets the body, and `Content-Type` unless the request has that field.
    public mutating func setBody(_ body: Body, type: String) {
        self.body = body
        if !fields.contains(.contentType) { fields.append(.contentType, type) }
    }
}
