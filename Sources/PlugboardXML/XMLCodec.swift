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
/// A key is the name of an element, `@name` that of an attribute, and `#text` stands for the text of the element
/// itself. A key without `@` that is no element's name is also looked for among the attributes. A list is all elements
/// of its name; without any, it is empty. The elements of a list in a list are called `item`. Prefixes of names may be
/// left out of keys. Elements that a type does not read are ignored; of several elements for one value, the first
/// counts.
///
/// The encoding of a document is that of its byte order mark, else of the content type, else of its own declaration,
/// else UTF-8 (RFC 7303 §3). Those of the WHATWG Encoding standard are read. UTF-8 is written.
///
/// A document may be nested 256 levels deep. External entities and document types are never loaded, and a document that
/// declares entities, or refers to one that it does not declare, is refused. Names with a prefix need no namespace.
public struct XMLCodec: Sendable {
    /// The name of the outermost element that is written; nil for the name of the type.
    public let root: String?

    /// A codec.
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

    /// The names of generic types are not names of XML.
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
