extension JSONTapeScanner {
    /// Of equal keys, the last counts.
    mutating func refuseOrReplaceDuplicates() throws(Refused) {
        let members = Int(tape[open].count)
        if members > Self.indexThreshold {
            let index = JSONKeyIndex(of: open, in: tape)
            guard index.replacedCount == 0 || !refusesDuplicates else { throw Refused() }
            tape.keyIndexes[open] = index
            return
        }
        var seen: UInt64 = 0
        var token = open &+ 2
        for position in 0..<members {
            let hash = tape[token].kind == .escapedString ? 0 : tape[token].count
            hashes[position] = hash
            seen |= 1 << UInt64(hash & 63)
            // An escaped key may equal any other.
            if hash == 0 { seen = 0 }
            token = tape.next(after: token &+ 1)
        }
        // If each has a bit of its own, no two are equal.
        guard seen.nonzeroBitCount < members else { return }
        try comparePairs(members)
    }

    private mutating func comparePairs(_ members: Int) throws(Refused) {
        var earlier = open &+ 2
        for position in 0..<members {
            var later = tape.next(after: earlier &+ 1)
            for other in position + 1..<max(members, position + 1) {
                if hashes[position] == hashes[other] || hashes[position] == 0 || hashes[other] == 0,
                    tape.keysAreEqual(earlier, later)
                {
                    guard !refusesDuplicates else { throw Refused() }
                    tape.tokens[Int(earlier)].kind = .replacedKey
                    break
                }
                later = tape.next(after: later &+ 1)
            }
            earlier = tape.next(after: earlier &+ 1)
        }
    }
}
