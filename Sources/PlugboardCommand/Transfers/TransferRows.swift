/// The transfers that a display shows, and the totals of those that have ended.
struct TransferRows {
    private struct Row {
        let name: String
        let began: ContinuousClock.Instant
        var count: TransferCount
    }

    /// How many files there are; nil if that is not known.
    var files: Int?
    private var rows: [Int: Row] = [:]
    private var ended: Set<Int> = []
    private var endedCount = TransferCount(done: 0, resumed: 0, total: 0)
    /// When the first file began.
    private var began: ContinuousClock.Instant?

    /// Returns false if the transfer has ended already, because late progress is not shown.
    mutating func set(_ index: Int, _ name: String, _ count: TransferCount) -> Bool {
        if ended.contains(index) { return false }
        began = began ?? .now
        if rows[index] == nil { rows[index] = Row(name: name, began: .now, count: count) }
        rows[index]?.count = count
        return true
    }

    mutating func end(_ index: Int) {
        if let count = rows.removeValue(forKey: index)?.count {
            endedCount.done += count.done
            endedCount.resumed += count.resumed
        }
        ended.insert(index)
    }

    mutating func endAll() { for index in rows.keys { end(index) } }

    /// The lines for the terminal of standard error.
    var lines: [String] {
        let (columns, height) = TransferLine.terminal
        let rows = rows.sorted { $0.key < $1.key }.map(\.value)
        guard !rows.isEmpty else { return [] }
        // More lines than the terminal has could not be redrawn.
        let shown = rows.count <= max(height - 3, 1) ? rows.count : max(height - 4, 1)
        var lines = rows.prefix(shown).map {
            TransferLine.of($0.name, $0.count, after: .now - $0.began, columns: columns)
        }
        if shown < rows.count { lines.append(TransferLine.cut("… and \(rows.count - shown) more", to: columns - 1)) }
        if let (name, count) = TransferRows.totals(rows.map(\.count), ended.count, endedCount, of: files) {
            lines.append(TransferLine.of(name, count, after: .now - (began ?? .now), columns: columns))
        }
        return lines
    }

    /// The line about all files; nil for a single file. The bytes of files that have not begun are not known.
    static func totals(
        _ running: [TransferCount], _ ended: Int, _ endedCount: TransferCount, of files: Int?
    ) -> (name: String, count: TransferCount)? {
        let known = running.count + ended
        guard max(files ?? 0, known) > 1 else { return nil }
        var sum = running.reduce(into: endedCount) {
            $0.done += $1.done
            $0.resumed += $1.resumed
        }
        let totals = running.compactMap(\.total)
        let isKnown = totals.count == running.count && known >= files ?? known
        sum.total = isKnown ? totals.reduce(endedCount.done, +) : nil
        return ("\(ended) of \(max(files ?? 0, known)) files", sum)
    }
}
