/// A request: what a program sends, and what plugins may edit on its way in.
public struct Request: Sendable {
    public var method: Method
    /// An absolute `http` or `https` URL. The fragment is not sent.
    public var url: String
    public var fields: Fields
    /// Nil sends no body and no `Content-Length`.
    public var body: Body?
    /// What the request says to plugins, under `PLUGIN-ID.name`.
    public var attributes: Attributes
    /// How it is to be sent; what is nil here, the kernel's configuration says.
    public var options: RequestOptions {
        get { storedOptions?.options ?? RequestOptions() }
        set { storedOptions = StoredOptions(newValue) }
    }

    package private(set) var storedOptions: StoredOptions?

    public init(
        _ method: Method = .get, _ url: String, fields: Fields = Fields(), body: Body? = nil,
        attributes: Attributes = Attributes()
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
        self.attributes = attributes
    }

    /// The first header field of this name; setting replaces all of the name.
    public subscript(name: FieldName) -> String? {
        get { fields[name] }
        set { fields[name] = newValue }
    }

    /// Whether the request says anything of its own about how it is to be sent.
    package var hasOptions: Bool { storedOptions != nil }
}

/// Options are rare and large, so requests and attempts carry a reference to them.
package final class StoredOptions: Sendable {
    package let options: RequestOptions
    package init(_ options: RequestOptions) { self.options = options }
}

/// Options that a request carries for plugins: texts under the plugin's id, so that they cross every border.
///
/// They survive resends, sub-requests have none of them, and they may hold 64 KiB in all. Each plugin's module of options
/// gives its own typed names: `request.redirect.limit = 5`.
public struct Attributes: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// Bytes that names and values may take together.
    public static let byteLimit = 64 << 10

    public private(set) var values: [String: String] = [:]

    public init() {}

    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { values[name] = value }
    }

    /// The value under `PLUGIN-ID.name`.
    public subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    public var isEmpty: Bool { values.isEmpty }

    /// The bytes that names and values take together.
    public var byteCount: Int { values.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }
}
