/// The style of nested values, booleans and null in queries and forms, which consist of names and texts only.
///
/// The default writes `["tags": ["a", "b"], "user": ["name": "x"]]` as `tags[]=a&tags[]=b&user[name]=x`, with the
/// brackets percent-encoded.
public struct ParameterStyle: Sendable, Hashable {
    /// How the elements of an array are written.
    public enum Arrays: Sendable, Hashable {
        /// `tags[]=a&tags[]=b`
        case brackets
        /// `tags=a&tags=b`
        case plain
        /// `tags[0]=a&tags[1]=b`
        case indices
        /// `tags=a,b`; an array of arrays or objects is refused.
        case commas
        /// `tags=a b`; an array of arrays or objects is refused.
        case spaces
        /// `tags=a|b`; an array of arrays or objects is refused.
        case pipes
    }

    /// How the members of an object are written.
    public enum Objects: Sendable, Hashable {
        /// `user[name]=x`
        case brackets
        /// `user.name=x`
        case dots
    }

    /// How booleans are written.
    public enum Bools: Sendable, Hashable {
        /// `true` and `false`.
        case words
        /// `1` and `0`.
        case numbers
    }

    /// How null is written.
    public enum Nulls: Sendable, Hashable {
        /// Null is written as an empty text: `name=`.
        case empty
        /// Null is not written.
        case omitted
    }

    /// Brackets by default.
    public var arrays: Arrays
    /// Brackets by default.
    public var objects: Objects
    /// Words by default.
    public var bools: Bools
    /// Empty by default.
    public var nulls: Nulls

    /// Creates a style; properties that are not given have their defaults.
    public init(
        arrays: Arrays = .brackets, objects: Objects = .brackets, bools: Bools = .words, nulls: Nulls = .empty
    ) {
        self.arrays = arrays
        self.objects = objects
        self.bools = bools
        self.nulls = nulls
    }
}
