/// An element of an XML document, with all that it contains.
public struct XMLTree: Sendable, Equatable {
    /// As it is written, with its prefix: `atom:link`.
    public var name: String
    /// In their order.
    public var attributes: [(name: String, value: String)]
    /// The elements in it, in their order.
    public var children: [XMLTree]
    /// The text that stands directly in it, from the first piece to the last.
    public var text: String

    /// An element.
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

    /// The elements in it with this name.
    public subscript(name: String) -> [XMLTree] { children.filter { $0.name == name } }

    /// Compares names, attributes in their order, children and texts.
    public static func == (left: XMLTree, right: XMLTree) -> Bool {
        left.name == right.name && left.text == right.text && left.children == right.children
            && left.attributes.elementsEqual(right.attributes) { $0 == $1 }
    }

    /// Marks an element as null (XML Schema Part 1 §2.6.2).
    static let nilAttribute = "xsi:nil"
}
