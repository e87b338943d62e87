import PlugboardJSON
import PlugboardMessages

/// Types of a program by name, for responses whose type is given as a text, for example by the definitions of a file.
///
///     var models = Models()
///     models.register(Topic.self)
///     models.register("Price", from: String.self) { text in try Price(parsing: text) }
///     let topics = try models.decode("[Topic]", from: body, contentType: nil, with: .json) as? [Topic]
///
/// `[NAME]` is a list of a registered type, as an array of it.
public struct Models: Sendable {
    /// Reads a whole body. The content type is the value of the field `Content-Type`, or nil.
    public typealias Transform =
        @Sendable (
            _ body: Bytes, _ contentType: String?, _ codec: any Codec
        ) throws -> any Sendable

    private var transforms: [String: Transform] = [:]
    /// Transforms for lists that are not registered themselves, by the name in brackets.
    private var lists: [String: Transform] = [:]

    /// Creates a registry without types.
    public init() {}

    /// The names that were registered, sorted.
    public var names: [String] { transforms.keys.sorted() }

    /// Registers a type that the codecs can decode.
    /// - Parameter name: By default, the type's name in its module. A type that has the name is replaced.
    public mutating func register<Model: Sendable>(_ type: Model.Type, as name: String? = nil) {
        register(name ?? "\(type)", from: type) { $0 }
    }

    /// Registers a closure that makes a model from a decoded value. It is called for each element of a list.
    ///
    /// An error of `transform` is thrown as `body.decode`, unless it is a `PlugboardError`.
    public mutating func register<Source, Model: Sendable>(
        _ name: String, from source: Source.Type, transform: @escaping @Sendable (Source) throws -> Model
    ) {
        transforms[name] = { try transform($2.decode(source, from: $0, contentType: $1)) }
        lists["[\(name)]"] = { try $2.decode([Source].self, from: $0, contentType: $1).map(transform) }
    }

    /// Registers a closure that reads whole bodies. A list must be registered under its own name, such as `[Topic]`.
    ///
    /// An error of `transform` is thrown as `body.decode`, unless it is a `PlugboardError`.
    public mutating func register(_ name: String, transform: @escaping Transform) {
        transforms[name] = transform
        lists["[\(name)]"] = nil
    }

    /// Throws `configuration`, with the most similar name, if nothing is registered under a name.
    public func check(_ name: String) throws(PlugboardError) { _ = try transform(name) }

    /// The model with a name, made from a whole body.
    ///
    /// Throws `configuration` if nothing is registered under the name, and `body.decode` if the body is not of the
    /// format or does not fit the type.
    public func decode(
        _ name: String, from body: Bytes, contentType: String?, with codec: any Codec
    ) throws(PlugboardError) -> any Sendable {
        let transform = try transform(name)
        do {
            return try transform(body, contentType, codec)
        } catch let error as PlugboardError {
            throw error
        } catch {
            throw PlugboardError(.bodyDecode, "The body cannot be read as the model \(name): \(error)")
        }
    }

    private func transform(_ name: String) throws(PlugboardError) -> Transform {
        if let transform = transforms[name] ?? lists[name] { return transform }
        let known = transforms.keys.sorted() + lists.keys.sorted()
        let nearest = Spelling.nearest(name, in: known).map { " The nearest name is \($0)." } ?? ""
        throw PlugboardError(
            .configuration, "No model is registered as \(name).\(nearest) Register it with Models.register(_:as:).")
    }
}
