import Foundation

/// A sanitizer that the tests were built with.
package enum Sanitizer {
    case address, thread

    /// The sanitizer; nil in a usual build.
    package static let present: Sanitizer? =
        if dlsym(nil, "__asan_init") != nil {
            .address
        } else if dlsym(nil, "__tsan_init") != nil {
            .thread
        } else {
            nil
        }
}
