/// Reading a value that may not be there as a whole, and going back.
extension TapeParser {
    /// A state that the parser can return to.
    struct Mark {
        let cursor: Int
        let tokenCount: Int
        let container: Int
        let openCount: Int
    }

    /// Reads the array or object at the cursor up to its end, if that is there and nothing is wrong.
    ///
    /// Either `accept` or `rewind` must follow.
    ///
    /// - Parameter depth: The most levels that it may have.
    mutating func tryContainer(_ kind: Token.Kind, depth: Int) -> (mark: Mark, isWhole: Bool) {
        let mark = Mark(cursor: cursor, tokenCount: tokenCount, container: container, openCount: open.count)
        isTrying = true
        do throws(JSONDocumentError) {
            try enter(kind)
            while open.count > mark.openCount {
                guard open.count - mark.openCount <= depth else { return (mark, false) }
                try step()
            }
        } catch {
            return (mark, false)
        }
        return (mark, true)
    }

    mutating func accept() {
        isTrying = false
        originals.removeAll(keepingCapacity: true)
        originalPlaces.removeAll(keepingCapacity: true)
    }

    /// Restores the state of a mark, and the text. Returns where the arrays and objects begin that were open.
    mutating func rewind(to mark: Mark) -> [Int] {
        var begins: [Int] = []
        if open.count > mark.openCount {
            begins = (open[(mark.openCount + 1)...].map(Int.init) + [container]).map { tokens[$0].offset }
            open.removeLast(open.count - mark.openCount)
        }
        var start = 0
        for (offset, count) in originalPlaces {
            for position in 0..<count { bytes[offset + position] = originals[start + position] }
            start += count
        }
        accept()
        cursor = mark.cursor
        tokenCount = mark.tokenCount
        container = mark.container
        return begins
    }

    /// Copies the rest of a string before it is decoded in place.
    mutating func keepOriginal(from start: Int) {
        var end = start
        while end < size, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
        let count = min(end, size) - start
        originals += UnsafeBufferPointer(start: bytes + start, count: count)
        originalPlaces.append((start, count))
    }
}
