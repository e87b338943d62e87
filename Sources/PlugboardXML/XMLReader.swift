import Foundation
import FoundationXML

/// Reads a document into a tree, with Foundation's parser.
///
/// External entities and document types are never loaded. A document that declares entities of its own is refused,
/// because the parser would leave out what they stand for.
final class XMLReader: NSObject, XMLParserDelegate {
    struct Refused: Error {
        let reason: String
    }

    /// Levels of elements.
    static let depthLimit = 256

    /// The elements that are open, the outermost first; the first holds the root.
    private var open = [XMLTree("")]
    private var isTooDeep = false

    static func read(_ bytes: [UInt8]) throws(Refused) -> XMLTree {
        guard !bytes.isEmpty else { throw Refused(reason: "it is empty") }
        try refuseDeclarations(bytes)
        let reader = XMLReader()
        let parser = XMLParser(data: Data(bytes))
        parser.shouldResolveExternalEntities = false
        parser.delegate = reader
        let isComplete = parser.parse()
        guard !reader.isTooDeep else {
            throw Refused(reason: "it is nested deeper than the limit of \(depthLimit)")
        }
        // What follows the root is an error that `parse` does not report.
        guard isComplete, parser.parserError == nil, let root = reader.open[0].children.first else {
            throw Refused(
                reason: "line \(parser.lineNumber), column \(parser.columnNumber): \(reason(parser.parserError))")
        }
        return root
    }

    /// The parser gives only libxml2's number of the error.
    private static func reason(_ error: (any Error)?) -> String {
        guard let error = error as NSError? else { return "the document is not complete" }
        return switch error.code {
        case 4: "the document is empty"
        case 5, 77: "the document has more after its end, or ends before it"
        case 9, 81: "the text is not valid in its encoding"
        case 26: "an entity is not declared"
        case 32, 31: "the encoding is not known"
        case 39, 40, 41, 42, 65: "an attribute is not well formed, or stands twice"
        case 68, 38: "a character is not allowed here"
        case 73: "a tag is not ended"
        case 76: "an element ends with the name of another"
        case 89: "entities are expanded too often"
        default: "the document is not well formed (libxml2's error \(error.code))"
        }
    }

    /// Looks for the internal subset of a document type, which stands before the root. Of texts in UTF-16, every other
    /// byte is a zero.
    private static func refuseDeclarations(_ bytes: [UInt8]) throws(Refused) {
        let isWide =
            bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) || bytes.prefix(2).contains(0)
        let text = isWide ? bytes.filter { $0 != 0 } : bytes
        var index = 0
        while index + 1 < text.count {
            guard text[index] == UInt8(ascii: "<") else {
                index += 1
                continue
            }
            if text[index...].starts(with: "<!--".utf8) {
                index = end(of: Array("-->".utf8), in: text, from: index + 4)
            } else if text[index + 1] == UInt8(ascii: "?") {
                index = end(of: Array("?>".utf8), in: text, from: index + 2)
            } else if text[index + 1] == UInt8(ascii: "!") {
                try skipDocumentType(text, &index)
            } else {
                return
            }
        }
    }

    private static func skipDocumentType(_ text: [UInt8], _ index: inout Int) throws(Refused) {
        var quote: UInt8?
        while index < text.count {
            let byte = text[index]
            index += 1
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: "[") {
                throw Refused(reason: "it has a document type with declarations of its own, which are not read")
            } else if byte == UInt8(ascii: ">") {
                return
            }
        }
    }

    private static func end(of mark: [UInt8], in text: [UInt8], from first: Int) -> Int {
        var index = first
        while index + mark.count <= text.count {
            if text[index..<index + mark.count].elementsEqual(mark) { return index + mark.count }
            index += 1
        }
        return text.count
    }

    // MARK: XMLParserDelegate

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        guard open.count <= Self.depthLimit else {
            isTooDeep = true
            parser.abortParsing()
            return
        }
        // The parser gives them without their order.
        open.append(XMLTree(name, attributes: attributes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        guard !isTooDeep, open.count > 1 else { return }
        let element = open.removeLast()
        open[open.count - 1].children.append(element)
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { open[open.count - 1].text += text }

    func parser(_ parser: XMLParser, foundCDATA block: Data) {
        open[open.count - 1].text += String(decoding: block, as: UTF8.self)
    }
}
