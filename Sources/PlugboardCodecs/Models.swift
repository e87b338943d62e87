import PlugboardJSON
import PlugboardMessages

/// Types of a program by name, for responses whose type is chosen by a text: the definitions of a file, for example.
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
    /// Lists of what is registered without its list, by the name in brackets.
    private var lists: [String: Transform] = [:]

    /// Without any types.
    public init() {}

    /// The names that were registered, sorted.
    public var names: [String] { transforms.keys.sorted() }

    /// Registers a type that the codecs can decode.
    /// - Parameter name: The name of the type in its module by default. A name that is taken is replaced.
    public mutating func register<Model: Sendable>(_ type: Model.Type, as name: String? = nil) {
        register(name ?? "\(type)", from: type) { $0 }
    }

    /// Registers what is made of a value that the codecs can decode, which is called for each element of a list.
    ///
    /// An error of `transform` is thrown as `body.decode`, unless it is a `PlugboardError`.
    public mutating func register<Source, Model: Sendable>(
        _ name: String, from source: Source.Type, transform: @escaping @Sendable (Source) throws -> Model
    ) {
        transforms[name] = { try transform($2.decode(source, from: $0, contentType: $1)) }
        lists["[\(name)]"] = { try $2.decode([Source].self, from: $0, contentType: $1).map(transform) }
    }

    /// Registers what reads whole bodies by itself. A list has to be registered by its own name, such as `[Topic]`.
    ///
    /// An error of `transform` is thrown as `body.decode`, unless it is a `PlugboardError`.
    public mutating func register(_ name: String, transform: @escaping Transform) {
        transforms[name] = transform
        lists["[\(name)]"] = nil
    }

    /// Throws `configuration`, with the nearest name, if nothing is registered under a name.
    public func check(_ name: String) throws(PlugboardError) { _ = try transform(name) }

    /// The model of a name in a whole body.
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
