/// The attributes of one plugin: a struct whose stored properties are all `AttributeKey`s.
///
///     public struct RedirectAttributes: AttributeTable {
///         public static let keys = RedirectAttributes()
///
///         /// The most redirects that are followed.
///         public let limit = AttributeKey<Int>(
///             "redirect", "limit", "The most redirects that are followed.", in: 0...100)
///     }
///
/// Programs set them by `RequestAttributes`, the plugin reads them with `exchange[RedirectAttributes.keys.limit]`, and
/// its manifest lists `RedirectAttributes.definitions`.
public protocol AttributeTable: Sendable {
    /// The one instance of the table.
    static var keys: Self { get }
}

extension AttributeTable {
    /// The definitions of all attributes, in the order of the properties.
    public static var definitions: [OptionDefinition] {
        Mirror(reflecting: keys).children.compactMap { ($0.value as? any DefinedAttribute)?.definition }
    }
}

private protocol DefinedAttribute {
    var definition: OptionDefinition { get }
}

extension AttributeKey: DefinedAttribute {}

/// The attributes of one plugin in a request: each key of the table is a property whose value is optional.
///
///     extension Request {
///         public var redirect: RequestAttributes<RedirectAttributes> {
///             get { RequestAttributes(self) }
///             set { self = newValue.request }
///         }
///     }
///     request.redirect.limit = 5
///
/// Nil leaves the value to the plugin's settings.
@dynamicMemberLookup
public struct RequestAttributes<Table: AttributeTable>: Sendable {
    /// The request with the attributes.
    public var request: Request

    /// The attributes that a request has already.
    public init(_ request: Request) { self.request = request }

    /// The value of an attribute by its key in the table.
    public subscript<Value>(dynamicMember key: KeyPath<Table, AttributeKey<Value>>) -> Value? {
        get { request[Table.keys[keyPath: key]] }
        set { request[Table.keys[keyPath: key]] = newValue }
    }
}
