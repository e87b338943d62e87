import Synchronization

/// A flush of a file to the disk, which runs while more bytes are written.
final class FileFlush: Sendable {
    private let file: OpenFile
    private let call: @Sendable (Int32) -> Int32
    private let state = Mutex<End?>(nil)

    struct End: Sendable {
        /// The system's error, or nil.
        let error: Int32?
    }

    init(_ file: OpenFile, with call: @escaping @Sendable (Int32) -> Int32) {
        self.file = file
        self.call = call
    }

    /// The end of the flush; nil while it runs.
    var end: End? { state.withLock { $0 } }

    /// Starts the flush; the task ends when it has ended.
    func begin() -> Task<Void, Never> { Task { await run() } }

    private func run() async {
        let error = await file.waiting(for: call)
        state.withLock { $0 = End(error: error) }
    }
}
