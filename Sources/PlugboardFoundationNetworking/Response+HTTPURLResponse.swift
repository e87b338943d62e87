public import Foundation
public import FoundationNetworking
public import PlugboardMessages

extension HTTPURLResponse {
    /// The head of a response as an `HTTPURLResponse`.
    ///
    /// Fields of one name are joined by commas. The reason phrase has no counterpart. Nil if Foundation cannot read the
    /// URL.
    ///
    /// - Parameter url: The URL that responded: `response.url`.
    public convenience init?(_ head: ResponseHead, url: String) {
        guard let url = URL(string: url) else { return nil }
        var fields: [String: String] = [:]
        // Names with different case are the same field; the first spelling is kept.
        var spellings: [FieldName: String] = [:]
        for field in head.fields {
            let name = spellings[FieldName(field.name)] ?? field.name
            spellings[FieldName(field.name)] = name
            fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
        }
        self.init(url: url, statusCode: head.status, httpVersion: "HTTP/\(head.version.rawValue)", headerFields: fields)
    }
}

extension Response {
    /// The response that an `HTTPURLResponse` and its data describe, for tests of programs.
    ///
    /// Fields are sorted by name. Foundation does not store the version, so it is 1.1.
    public init(_ response: HTTPURLResponse, _ data: Data = Data()) {
        var fields = Fields()
        let given = response.allHeaderFields.map { (name: "\($0.key)", value: "\($0.value)") }
        for (name, value) in given.sorted(by: { $0.name < $1.name }) { fields.append(FieldName(name), value) }
        self.init(
            head: ResponseHead(status: response.statusCode, fields: fields), body: .data(data),
            url: response.url?.absoluteString ?? "")
    }

    /// Reads the whole body, and returns it with the head in Foundation's types.
    ///
    /// Throws `body.limit` if the body is larger than `limit`, and the error of a body that fails.
    public func foundation(
        upTo limit: ByteCount = .mebibytes(64)
    ) async throws(PlugboardError) -> (Data, HTTPURLResponse) {
        guard let head = HTTPURLResponse(head, url: url) else {
            throw PlugboardError(.requestURL, "Foundation cannot read the URL of the response.")
        }
        return (Data(try await body.collect(upTo: limit)), head)
    }
}
