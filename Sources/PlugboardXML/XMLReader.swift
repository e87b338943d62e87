import CPlugboardExpat

/// Reads a document into a tree, with libexpat.
///
/// External entities and document types are never loaded. A document that declares anything in its document type is
/// refused, and so is one that refers to an entity for which its document type would be needed.
struct XMLReader {
    struct Refused: Error {
        let reason: String
    }

    /// The most levels of elements.
    static let depthLimit = 256

    private let parser: XML_Parser
    /// The open elements, the outermost first. The first one is a container for the root.
    private var open = [XMLTree("")]
    private var hasDocumentType = false
    private var refusal: String?

    /// Reads a text, which must be valid UTF-8, whatever its declaration says.
    static func read(_ text: String) throws(Refused) -> XMLTree {
        guard !text.isEmpty else { throw Refused(reason: "it is empty") }
        guard let size = CInt(exactly: text.utf8.count) else { throw Refused(reason: "it is larger than 2 GiB") }
        guard let parser = XML_ParserCreate("UTF-8") else { throw Refused(reason: "there is no memory for it") }
        defer { XML_ParserFree(parser) }
        var reader = XMLReader(parser: parser)
        let isComplete = withUnsafeMutablePointer(to: &reader) { reader in
            setHandlers(parser, reader)
            var text = text
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { XML_Parse(parser, $0.baseAddress, size, 1) }
            } == XML_STATUS_OK
        }
        if let refusal = reader.refusal { throw Refused(reason: refusal) }
        guard isComplete, let root = reader.open[0].children.first else {
            let code = XML_GetErrorCode(parser)
            let (line, column) = (XML_GetCurrentLineNumber(parser), XML_GetCurrentColumnNumber(parser) + 1)
            throw Refused(reason: "line \(line), column \(column): \(reason(code))")
        }
        return root
    }

    private init(parser: XML_Parser) { self.parser = parser }

    private static func reason(_ code: XML_Error) -> String {
        switch code {
        case XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_UNCLOSED_CDATA_SECTION,
            XML_ERROR_PARTIAL_CHAR:
            "the document is not complete"
        case XML_ERROR_JUNK_AFTER_DOC_ELEMENT: "there is content after the root element"
        case XML_ERROR_UNDEFINED_ENTITY: undeclared
        case XML_ERROR_TAG_MISMATCH: "an element ends with the name of another"
        case XML_ERROR_DUPLICATE_ATTRIBUTE: "an attribute is a duplicate"
        case XML_ERROR_BAD_CHAR_REF: "a reference is not a character of XML"
        default: XML_ErrorString(code).map { String(cString: $0) } ?? "the document is not well formed"
        }
    }

    private static let undeclared = "an entity is not declared"

    // MARK: What the parser calls

    /// The reader must not be moved until the parser has ended.
    private static func setHandlers(_ parser: XML_Parser, _ reader: UnsafeMutablePointer<XMLReader>) {
        XML_SetUserData(parser, reader)
        XML_SetElementHandler(
            parser, { XMLReader.at($0).pointee.start($1, $2) }, { reader, _ in XMLReader.at(reader).pointee.end() })
        XML_SetCharacterDataHandler(parser) { XMLReader.at($0).pointee.append($1, $2) }
        XML_SetStartDoctypeDeclHandler(parser) { reader, _, _, _, hasDeclarations in
            XMLReader.at(reader).pointee.startDocumentType(hasDeclarations != 0)
        }
        // Needed only if there is a document type that was not loaded; otherwise libexpat reports an error.
        XML_SetSkippedEntityHandler(parser) { reader, _, _ in XMLReader.at(reader).pointee.refuse(XMLReader.undeclared)
        }
    }

    private static func at(_ data: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<XMLReader> {
        // libexpat returns the pointer that was given to `XML_SetUserData`.
        guard let data else { preconditionFailure("libexpat calls without the data that it was given") }
        return data.assumingMemoryBound(to: XMLReader.self)
    }

    private mutating func refuse(_ reason: String) {
        refusal = refusal ?? reason
        XML_StopParser(parser, 0)
    }

    private mutating func startDocumentType(_ hasDeclarations: Bool) {
        hasDocumentType = true
        if hasDeclarations { refuse("it has a document type with declarations of its own, which are not read") }
    }

    private mutating func start(
        _ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) {
        guard refusal == nil, let name, var next = attributes else { return }
        guard open.count <= Self.depthLimit else {
            return refuse("it is nested deeper than the limit of \(Self.depthLimit)")
        }
        var element = XMLTree(String(cString: name))
        while let name = next[0], let value = next[1] {
            element.attributes.append((String(cString: name), String(cString: value)))
            next += 2
        }
        open.append(element)
        if hasDocumentType, !element.attributes.isEmpty, hasUndeclaredEntity() { refuse(Self.undeclared) }
    }

    /// Whether the last tag refers to an entity that XML does not predefine. libexpat silently omits these from
    /// attributes if the document type might declare them.
    private func hasUndeclaredEntity() -> Bool {
        var (offset, size): (CInt, CInt) = (0, 0)
        guard let input = XML_GetInputContext(parser, &offset, &size) else { return true }
        let count = XML_GetCurrentByteCount(parser)
        let tag = UnsafeRawBufferPointer(start: input + Int(offset), count: Int(min(count, size - offset)))
        return tag.split(separator: UInt8(ascii: "&")).dropFirst().contains { rest in
            !["#", "amp;", "lt;", "gt;", "quot;", "apos;"].contains { rest.starts(with: $0.utf8) }
        }
    }

    private mutating func end() {
        guard refusal == nil, open.count > 1 else { return }
        let element = open.removeLast()
        open[open.count - 1].children.append(element)
    }

    private mutating func append(_ text: UnsafePointer<CChar>?, _ count: CInt) {
        let text = UnsafeRawBufferPointer(start: text, count: Int(count))
        open[open.count - 1].text += String(decoding: text, as: UTF8.self)
    }
}
