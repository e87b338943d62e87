import PlugboardMessages

extension Body {
    /// Reads the whole body into a file, and returns the number of its bytes.
    ///
    ///     try await response.body.write(to: "lake.jpg") { progress in … }
    ///
    /// The file appears when the body is complete, and replaces an existing file. Until then the bytes are in a hidden
    /// file beside it, which is removed if the body fails. Throws `download.write` if the file cannot be written, and
    /// the error of the body if it fails. Writes on a thread of the shared pool, even if the calling task runs on a
    /// kernel's loop.
    ///
    /// - Parameters:
    ///   - permissions: The permissions as in `chmod`. Nil for those of the replaced file, or of a new file.
    ///   - progress: Called with the number of written bytes (`received`) and the body's length (`toReceive`): at most
    ///     ten times a second, and once at the end.
    @discardableResult @concurrent
    public func write(
        to path: String, permissions: UInt32? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(PlugboardError) -> Int {
        try await withTaskExecutorPreference(globalConcurrentExecutor) { () async throws(PlugboardError) -> Int in
            var written = TransferProgress(toReceive: length)
            var pace = ProgressPace()
            do throws(PlugboardError) {
                let file = try WholeFile(path, permissions: permissions)
                var pieces = makeAsyncIterator()
                while let piece = try await pieces.next() {
                    try file.write(piece)
                    written.received += piece.count
                    if let progress, pace.isDue() { progress(written) }
                }
                try file.appear()
                progress?(written)
                return written.received
            } catch {
                source.release()
                throw error
            }
        }
    }
}
