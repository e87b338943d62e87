import Foundation

/// A system call that failed on the test's own side, or a connection used after it was closed there.
package enum SystemError: Error, CustomStringConvertible {
    case failed(String, Int32)
    case closed

    package var description: String {
        switch self {
        case .failed(let call, let number): "\(call): \(String(cString: strerror(number)))"
        case .closed: "the connection is closed on this side"
        }
    }
}
