/// Which of the servers of an OpenAPI document its operations are sent to.
public struct ServerChoice: Sendable {
    /// The place of the server in the document's lists, from 0.
    public var index: Int
    /// An absolute URL that replaces all servers of the document; nil for none.
    public var url: String?
    /// Values of the variables in the URL of the server; others have their defaults.
    public var variables: [String: String]

    /// The first server, with the defaults of its variables, unless something else is given.
    public init(index: Int = 0, url: String? = nil, variables: [String: String] = [:]) {
        self.index = index
        self.url = url
        self.variables = variables
    }
}
