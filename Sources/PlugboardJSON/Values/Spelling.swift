/// Suggestions for misspelled words.
public enum Spelling {
    /// The candidate that a misspelled word most likely means; nil if none is similar.
    ///
    /// A candidate is similar if the number of edits between both is at most a third of the word's letters, or one. An
    /// edit inserts, removes, changes or transposes letters; case is ignored. Of equally similar candidates the first
    /// is returned. Words of more than 64 letters have no result.
    public static func nearest(_ word: String, in candidates: some Sequence<String>) -> String? {
        let lengthLimit = 64
        let letters = Array(word.lowercased().unicodeScalars.prefix(lengthLimit + 1))
        guard (1...lengthLimit).contains(letters.count) else { return nil }
        var best: (candidate: String, distance: Int)?
        var limit = max(1, letters.count / 3)
        for candidate in candidates {
            let other = Array(candidate.lowercased().unicodeScalars.prefix(lengthLimit + 1))
            guard (1...lengthLimit).contains(other.count), abs(other.count - letters.count) <= limit else { continue }
            let distance = editDistance(letters, other)
            // If all letters are different, the word is not a misspelling: "a" is not similar to "b".
            guard distance <= limit, distance < max(letters.count, other.count) else { continue }
            best = (candidate, distance)
            guard distance > 0 else { break }
            limit = distance - 1
        }
        return best?.candidate
    }
}

/// The optimal string alignment distance: Levenshtein's distance, with a transposition of neighbours as one edit.
private func editDistance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1...left.count {
        var current = [row]
        for column in 1...right.count {
            let isSame = left[row - 1] == right[column - 1]
            var distance = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
            if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                distance = min(distance, beforeLast[column - 2] + 1)
            }
            current.append(distance)
        }
        beforeLast = last
        last = current
    }
    return last[right.count]
}
