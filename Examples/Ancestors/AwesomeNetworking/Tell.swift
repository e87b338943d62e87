#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Prints a line at once, also into a pipe.
func tell(_ line: String) {
    print(line)
    fflush(nil)
}
