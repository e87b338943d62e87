import PlugboardCore

/// Rows of texts in columns, for people. Control characters are escaped.
package struct Table {
    private let rows: [[String]]

    package init(rows: [[String]]) { self.rows = rows.map { row in row.map { Printable.text($0) } } }

    /// One line per row, with two spaces between columns and none at the end of a line.
    package var text: String {
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
