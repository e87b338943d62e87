/// Rows of words in columns, for people.
struct Table {
    let rows: [[String]]

    /// A line a row; two spaces between columns, none at the end of a line.
    var text: String {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, word) in row.enumerated() {
                line += word
                if column < row.count - 1 { line += String(repeating: " ", count: widths[column] - word.count + 2) }
            }
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
