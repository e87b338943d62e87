import PlugboardJSONSchema
import PlugboardKit
import PlugboardValidatorOptions

/// The message that a body belongs to.
enum Side: String, Sendable {
    case request, response
}

/// Counts a checked body, and makes the error of one that is not valid.
struct Judge: Sendable {
    let host: PluginHost
    let checked: PluginHost.Counter
    let invalid: PluginHost.Counter
    let exchange: UInt64
    /// The URL in the form that may be printed.
    let url: String
    let side: Side
    let mode: ValidatorMode
    let limit: ByteCount
    /// The most bytes of values that an error quotes; 0 quotes none.
    let valueLimit: Int
    /// The most reasons that an error names.
    static let reasonLimit = 3

    /// The error of a result; nil if the document is valid.
    func error(of result: ValidationResult?) -> PlugboardError? {
        guard let result, !result.isValid else { return nil }
        let reasons = result.leaves.prefix(Judge.reasonLimit).map { Printable.text($0.description) }.joined(
            separator: " ")
        return PlugboardError(.validatorInvalid, "The \(side.rawValue)'s body does not match its schema. \(reasons)")
    }

    func error(of error: JSONDocumentError) -> PlugboardError {
        PlugboardError(.validatorJSON, "The \(side.rawValue)'s body is not valid JSON: \(error.description).")
    }

    var tooLarge: PlugboardError {
        PlugboardError(
            .validatorLimit, "The \(side.rawValue)'s body is larger than the \(limit) that validator checks.")
    }

    /// The error to fail with; nil lets the body pass. Called once for each body, from any thread.
    func judge(_ error: PlugboardError?) -> PlugboardError? {
        checked.add()
        guard let error else { return nil }
        invalid.add()
        host.publish("validator.invalid", exchange: exchange, details: Fields(["reason": error.reason]))
        guard mode == .warn else { return error }
        host.log(.warning, "\(url): \(error.reason)")
        return nil
    }
}
