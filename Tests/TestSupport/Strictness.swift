import Foundation

/// Whether tests may be left out where what they need is missing.
///
/// `Tests/run` sets PLUGBOARD_STRICT: then such tests run, and fail by saying what is missing.
package enum Strictness {
    package static let isSet = ProcessInfo.processInfo.environment["PLUGBOARD_STRICT"] != nil
}
