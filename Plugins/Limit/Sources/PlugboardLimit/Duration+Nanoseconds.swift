extension Duration {
    /// The duration in nanoseconds, clamped to 64 bits.
    var nanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
