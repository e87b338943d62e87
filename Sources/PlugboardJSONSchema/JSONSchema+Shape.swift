import PlugboardJSON

extension JSONSchema {
    /// Compiles a shape.
    ///
    /// - Throws: If the shape is larger than a limit.
    public init(_ shape: Shape) throws(SchemaError) { try self.init(shape.schema) }
}
