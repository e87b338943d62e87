#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Prints a line at once, even into a pipe.
func tell(_ line: String) {
    print(line)
    fflush(nil)
}
