#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The environment of this process.
enum Environment {
    static func value(of name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
