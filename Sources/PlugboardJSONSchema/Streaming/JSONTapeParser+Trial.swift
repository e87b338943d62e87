@_spi(Tape) import PlugboardJSON

/// Tries to read a value that may be incomplete, and can restore the previous state.
extension JSONTapeParser {
    /// A state to which the parser can return.
    struct Mark {
        let cursor: Int
        let tokenCount: Int
        let container: Int
        let depth: Int
    }

    /// Tries to read the array or object at the cursor. Succeeds if it is complete and valid.
    ///
    /// Either `accept` or `rewind` must follow.
    ///
    /// - Parameter depth: The most nested levels that it may have.
    mutating func tryContainer(_ kind: JSONToken.Kind, depth: Int) -> (mark: Mark, isWhole: Bool) {
        let mark = Mark(cursor: cursor, tokenCount: tokenCount, container: container, depth: self.depth)
        isTrying = true
        do throws(JSONFailure) {
            try enter(kind)
            while self.depth > mark.depth {
                guard self.depth - mark.depth <= depth else { return (mark, false) }
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

    /// Restores the state of a mark, and the text. Returns the offsets of the arrays and objects that were open.
    mutating func rewind(to mark: Mark) -> [Int] {
        var begins: [Int] = []
        while depth > mark.depth {
            begins.append(tokens[container].position)
            container = outer(container)
            depth -= 1
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
        return begins.reversed()
    }
}
