import Foundation

/// Functions of the GNU C library that Swift's `Glibc` module hides, because it is built without `_GNU_SOURCE`.
///
/// Some set close-on-exec when they create a descriptor. Otherwise a program that another test starts at the same time
/// would inherit the descriptor, and keep open a connection that this process has closed.
package enum GNU {
    typealias Accept =
        @convention(c) (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?, Int32) -> Int32
    typealias MakePipe = @convention(c) (UnsafeMutablePointer<Int32>?, Int32) -> Int32
    typealias ChangeFolder =
        @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>?, UnsafePointer<CChar>?) -> Int32

    package typealias Unshare = @convention(c) (Int32) -> Int32

    static let accept4 = function("accept4", as: Accept.self)
    static let pipe2 = function("pipe2", as: MakePipe.self)
    static let addChangeFolder = function("posix_spawn_file_actions_addchdir_np", as: ChangeFolder.self)

    /// unshare(2).
    package static let unshare = function("unshare", as: Unshare.self)
    /// The flag of a network namespace.
    package static let newNetwork: Int32 = 0x4000_0000

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function {
        guard let symbol = dlsym(nil, name) else {
            preconditionFailure("the tests need glibc 2.29 or later: no \(name)")
        }
        return unsafeBitCast(symbol, to: type)
    }
}
