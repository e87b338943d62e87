public import PlugboardCodecs
public import PlugboardMessages

/// XML 1.0: `Encodable` and `Decodable` values, or an `XMLTree`.
///
///     struct Topic: Codable {
///         var id: Int             // <topic id="7"> or <topic><id>7</id>
///         var title: String
///         var labels: [String]    // <label>a</label><label>b</label>
///
///         enum CodingKeys: String, CodingKey { case id = "@id", title, labels = "label" }
///     }
///
/// A key is the name of an element, `@name` is that of an attribute, and `#text` is the text of the element itself. A
/// key without `@` is also looked up in the attributes if no element has its name. A list consists of all elements with
/// its name, and may be empty. The elements of a list within a list are called `item`. Keys may omit the prefixes of
/// names. Elements that a type does not read are ignored. If several elements exist for one value, the first is used.
///
/// The encoding of a document is that of its byte order mark, of the content type, of its own declaration, or else
/// UTF-8 (RFC 7303 §3). All encodings of the WHATWG Encoding standard are read. UTF-8 is written.
///
/// A document may be nested 256 levels deep. External entities and document types are never loaded. A document that
/// declares entities, or refers to undeclared ones, is refused. The namespace of a prefix need not be declared.
public struct XMLCodec: Sendable {
    /// The name of the root element that is written; nil for the name of the type.
    public let root: String?

    /// Creates a codec.
    public init(root: String? = nil) { self.root = root }
}

extension XMLCodec: Codec {
    public var name: String { "xml" }
    public var contentTypes: [String] { ["application/xml", "text/xml", "*/*+xml"] }

    public func canDecode<Value>(_ type: Value.Type) -> Bool { type is any Decodable.Type || type == XMLTree.self }

    public func encode<Value>(_ value: Value) throws(PlugboardError) -> Bytes {
        do {
            var writer = XMLWriter()
            try writer.write(try tree(of: value))
            return Bytes(writer.text)
        } catch let error as PlugboardError {
            throw error
        } catch let error as XMLWriter.Refused {
            throw PlugboardError(.requestParameter, "The value cannot be encoded as XML: \(error.reason).")
        } catch EncodingError.invalidValue(_, let context) {
            let path = XMLPath.text(context.codingPath)
            throw PlugboardError(
                .requestParameter, "The value cannot be encoded as XML: \(path): \(context.debugDescription).")
        } catch {
            throw PlugboardError(.requestParameter, "The value cannot be encoded as XML: \(error).")
        }
    }

    private func tree(of value: Any) throws -> XMLTree {
        if let tree = value as? XMLTree { return tree }
        guard let value = value as? any Encodable else {
            throw PlugboardError(
                .requestParameter, "The codec xml takes Encodable values, and \(type(of: value)) is not.")
        }
        let node = XMLEncodingNode(path: [], depth: 0)
        try node.write(value)
        return node.root(named: root ?? Self.name(of: "\(type(of: value))"))
    }

    /// Names of generic types are not valid in XML.
    private static func name(of type: String) -> String {
        type.utf8.allSatisfy { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "(") }
            ? type : "root"
    }

    public func decode<Value>(
        _ type: Value.Type, from body: Bytes, contentType: String?
    ) throws(PlugboardError) -> Value {
        let tree: XMLTree
        let text = try XMLText.decode(body, contentType: contentType)
        do throws(XMLReader.Refused) {
            tree = try XMLReader.read(text)
        } catch {
            throw PlugboardError(.bodyDecode, "The body is not XML that can be read: \(error.reason).")
        }
        if let tree = tree as? Value { return tree }
        guard let decodable = type as? any Decodable.Type else {
            throw PlugboardError(.bodyDecode, "The codec xml makes Decodable values, and \(type) is not.")
        }
        do {
            let decoded = try XMLDecodingNode(.element(tree, isInList: true), path: []).value(decodable)
            if let value = decoded as? Value { return value }
        } catch DecodingError.keyNotFound(_, let context), DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context), DecodingError.dataCorrupted(let context)
        {
            let path = XMLPath.text(context.codingPath)
            throw PlugboardError(
                .bodyDecode, "The XML of the body does not fit \(type): \(path): \(context.debugDescription).")
        } catch {
            throw PlugboardError(.bodyDecode, "The XML of the body does not fit \(type): \(error).")
        }
        throw PlugboardError(.bodyDecode, "The XML of the body is of another type than \(type).")
    }
}

extension Codec where Self == XMLCodec {
    /// XML 1.0: `Encodable` and `Decodable` values.
    public static var xml: XMLCodec { XMLCodec() }
}
