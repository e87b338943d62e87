import Synchronization

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

    /// `ID.enabled`, which every plugin has. A table without keys does not show its plugin's id; it gets a name that no
    /// plugin has.
    fileprivate static var enabledName: String {
        enabledNames.withLock { names in
            if let name = names[ObjectIdentifier(Self.self)] { return name }
            let first = Mirror(reflecting: keys).children.lazy.compactMap { $0.value as? any DefinedAttribute }.first
            let name = first.map { String($0.name.dropLast($0.definition.name.count)) + "enabled" } ?? "\(Self.self)"
            names[ObjectIdentifier(Self.self)] = name
            return name
        }
    }
}

/// The names by the type of the table. Stored, because reflection is slow.
private let enabledNames = Mutex<[ObjectIdentifier: String]>([:])

private protocol DefinedAttribute {
    var name: String { get }
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

    /// Begins with the attributes that a request already has.
    public init(_ request: Request) { self.request = request }

    /// Whether the plugin takes part in the request; true, unless the request says that it does not.
    ///
    /// This overrides the configuration for the URL's origin. `true` for a plugin that does not run is an
    /// error of the request.
    public var isEnabled: Bool {
        get { request.attributes[Table.enabledName] != "false" }
        set { request.attributes[Table.enabledName] = newValue ? "true" : "false" }
    }

    /// The value of an attribute by its key in the table.
    public subscript<Value>(dynamicMember key: KeyPath<Table, AttributeKey<Value>>) -> Value? {
        get { request[Table.keys[keyPath: key]] }
        set { request[Table.keys[keyPath: key]] = newValue }
    }
}
