/// An element of an XML document, with its contents.
public struct XMLTree: Sendable, Equatable {
    /// The name as written, with its prefix: `atom:link`.
    public var name: String
    /// The attributes in their order.
    public var attributes: [(name: String, value: String)]
    /// The child elements in their order.
    public var children: [XMLTree]
    /// The text directly in it, joined from all pieces.
    public var text: String

    /// Creates an element.
    public init(
        _ name: String, attributes: [(name: String, value: String)] = [], children: [XMLTree] = [], text: String = ""
    ) {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.text = text
    }

    /// The value of an attribute; nil if there is none.
    public subscript(attribute name: String) -> String? { attributes.first { $0.name == name }?.value }

    /// The child elements with this name.
    public subscript(name: String) -> [XMLTree] { children.filter { $0.name == name } }

    /// Compares names, attributes in their order, children and texts.
    public static func == (left: XMLTree, right: XMLTree) -> Bool {
        left.name == right.name && left.text == right.text && left.children == right.children
            && left.attributes.elementsEqual(right.attributes) { $0 == $1 }
    }

    /// Marks an element as null (XML Schema Part 1 §2.6.2).
    static let nilAttribute = "xsi:nil"
}
