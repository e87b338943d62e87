import Foundation
public import Messages

/// For programs that import Foundation: `localizedDescription` of an `any Error` is the error's own text, and as
/// `NSError` it keeps code and reason. To import the module once in a program is enough; nothing else of Plugboard
/// needs Foundation.
extension PlugboardError: LocalizedError, CustomNSError {
    public static var errorDomain: String { "Plugboard" }

    /// Always 1: codes are names (`userInfo["code"]`), to which plugins add their own, and have no numbers.
    public var errorCode: Int { 1 }

    public var errorDescription: String? { description }

    /// What, where and what to do.
    public var failureReason: String? { reason }

    /// The properties under their own names, where they are not nil, with the texts that Foundation asks for.
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
