import PlugboardKit

extension PlugboardError.Code {
    /// A body does not match its schema.
    public static let validatorInvalid: Self = "validator.invalid"
    /// A body that has a schema is not JSON.
    public static let validatorJSON: Self = "validator.json"
    /// A body has a content coding, so that it cannot be read.
    public static let validatorCoding: Self = "validator.coding"
    /// A body is larger than the validator's limit.
    public static let validatorLimit: Self = "validator.limit"
    /// A schema cannot be compiled, or a document that it refers to cannot be fetched.
    public static let validatorSchema: Self = "validator.schema"
}
