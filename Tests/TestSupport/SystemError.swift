import Foundation

/// A failed system call of the test itself, or a connection that was used after the test closed it.
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
