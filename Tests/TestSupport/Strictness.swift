import Foundation

/// Whether tests may be skipped if their requirements are missing.
///
/// `Tests/run` sets PLUGBOARD_STRICT: then such tests run, and fail with the missing requirement.
package enum Strictness {
    package static let isSet = ProcessInfo.processInfo.environment["PLUGBOARD_STRICT"] != nil
}
