/// Selects the server of an OpenAPI document to which operations are sent.
public struct ServerChoice: Sendable {
    /// The index of the server in the document's lists, from 0.
    public var index: Int
    /// An absolute URL that replaces all servers of the document; nil for none.
    public var url: String?
    /// Values of the variables in the URL of the server; other variables have their defaults.
    public var variables: [String: String]

    /// Creates a choice: by default the first server, with the defaults of its variables.
    public init(index: Int = 0, url: String? = nil, variables: [String: String] = [:]) {
        self.index = index
        self.url = url
        self.variables = variables
    }
}
