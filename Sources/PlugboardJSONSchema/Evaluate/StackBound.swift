import CPlugboardPCRE2
import PlugboardSystem

/// Limits the depth of recursion by the size of the thread's stack: threads have from 128 KiB (musl) to 8 MiB.
enum StackBound {
    /// The reserve for libpcre2, the comparison of constants and functions that the program calls.
    private static let reserve: UInt = 80 << 10

    /// The lowest address that the stack of this thread may reach. It is determined once for each thread.
    static var current: UInt {
        guard hasKey else { return 0 }
        if let known = pthread_getspecific(key) { return UInt(bitPattern: known) }
        let bound = lookUp()
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: bound))
        return bound
    }

    /// An address in the frame of the caller, or of a function that it calls.
    @inline(__always)
    static var position: UInt { UInt(plugboard_stack_position()) }

    private static let created: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()
    private static var hasKey: Bool { created != nil }
    private static var key: pthread_key_t { created ?? 0 }

    private static func lookUp() -> UInt {
        var attributes = pthread_attr_t()
        guard pthread_getattr_np(pthread_self(), &attributes) == 0 else { return 1 }
        defer { pthread_attr_destroy(&attributes) }
        var lowest: UnsafeMutableRawPointer?
        var size = 0
        guard pthread_attr_getstack(&attributes, &lowest, &size) == 0, let lowest else { return 1 }
        return UInt(bitPattern: lowest) + min(reserve, UInt(size) / 2)
    }
}
