import PlugboardMessages

extension Body {
    /// The lines of the body as they arrive, each without its line end, of at most 1 MiB.
    ///
    ///     for try await line in response.body.lines { … }
    ///
    /// A line ends with LF, CR or CR LF. The text is UTF-8: invalid bytes become U+FFFD, and a byte order mark at the
    /// beginning is left out.
    public var lines: BodyLines { lines(upTo: .mebibytes(1)) }

    /// The lines, of at most `limit` bytes each. A longer line ends the sequence with `body.limit`.
    public func lines(upTo limit: ByteCount) -> BodyLines { BodyLines(self, limit) }
}

/// The lines of a body, as they arrive.
public struct BodyLines: AsyncSequence, Sendable {
    /// A line, without its end.
    public typealias Element = String
    /// The error with which the body broke, or `body.limit`.
    public typealias Failure = PlugboardError

    private let body: Body
    private let limit: ByteCount

    init(_ body: Body, _ limit: ByteCount) {
        self.body = body
        self.limit = limit
    }

    /// Begins to read the body.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body, limit) }

    /// Reads a body line by line.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let source: any BodySource
        private var pieces: Body.Iterator
        private var scanner: LineScanner
        private var isDone = false

        fileprivate init(_ body: Body, _ limit: ByteCount) {
            source = body.source
            pieces = body.makeAsyncIterator()
            scanner = LineScanner(limit: limit.bytes)
        }

        /// The next line, or nil at the end.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(PlugboardError) -> String? {
            do throws(PlugboardError) {
                while !isDone {
                    if let line = try scanner.next() { return line.text }
                    guard let piece = try await pieces.next(isolation: actor) else {
                        isDone = true
                        return scanner.rest()?.text
                    }
                    scanner.add(piece)
                }
                return nil
            } catch {
                isDone = true
                source.release()
                throw error
            }
        }
    }
}
