import Foundation
public import PlugboardMessages

/// What programs that import Foundation need: `localizedDescription` of an `any Error` is the error's own text, and an
/// `NSError` made from it keeps code and reason. One import in a program is sufficient. No other module of Plugboard
/// needs Foundation.
extension PlugboardError: LocalizedError, CustomNSError {
    /// `Plugboard`.
    public static var errorDomain: String { "Plugboard" }

    /// Always 1, because codes are names without numbers, and plugins add others. `userInfo["code"]` has the name.
    public var errorCode: Int { 1 }

    /// The same text as `description`.
    public var errorDescription: String? { description }

    /// The same text as `reason`.
    public var failureReason: String? { reason }

    /// The properties that are not nil, under their names, and the texts that Foundation reads.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: description, NSLocalizedFailureReasonErrorKey: reason, "code": code.name,
        ]
        info["plugin"] = plugin
        info["attempt"] = attempt
        info["underlying"] = underlying
        return info
    }
}
