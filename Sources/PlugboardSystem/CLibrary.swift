// The C library, whichever it is. Plugins import it by its name, as those outside of this package do.

#if canImport(Glibc)
    @_exported import Glibc
#elseif canImport(Musl)
    @_exported import Musl
#endif
