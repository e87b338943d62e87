import PlugboardSQLite
import TestSupport
import Testing

/// Statements, values, rows, transactions.
@Suite struct ConnectionTests {
    private let store = SQLiteStore(.memory, schema: .numbers()) { _ in }

    private func perform<Value: Sendable>(
        _ work: @escaping @Sendable (SQLiteStore.Connection) throws(SQLiteFailure) -> Value
    ) throws(SQLiteFailure) -> Value { try store.performAndWait(work) }

    @Test func `values of every type come back as they went in`() throws {
        let found = try perform { (connection) throws(SQLiteFailure) in
            let view = UnsafeMutableRawBufferPointer.allocate(byteCount: 2, alignment: 1)
            defer { view.deallocate() }
            view.copyBytes(from: [0, 255] as [UInt8])
            return try connection.first(
                "SELECT ?, ?, ?, ?, ?, ?, ?", nil, .integer(Int64.min), .real(0.5), "é\0x", .bytes([]),
                .view(UnsafeRawBufferPointer(view)), .optional(nil as Int64?)
            ) { row in
                #expect(row.isNull(0) && row.isNull(6) && !row.isNull(4))
                #expect(row.integer(1) == .min)
                #expect(row.real(2) == 0.5)
                #expect(row.text(3) == "é\0x")
                #expect(row.text(0) == "" && row.integer(99) == 0)
                #expect(row.bytes(4).isEmpty && row.bytes(0).isEmpty)
                return Array(row.bytes(5))
            }
        }

        #expect(found == [0, 255])
    }

    @Test func `a wrong number of values is a failure`() {
        #expect(throws: SQLiteFailure.self) {
            try perform { (connection) throws(SQLiteFailure) in try connection.run("SELECT ?, ?", 1) }
        }
    }

    @Test func `a mistake in SQL is a failure that changes nothing for later work`() throws {
        try perform { (connection) throws(SQLiteFailure) in try connection.run("INSERT INTO number VALUES (1, 'x')") }

        let failure = #expect(throws: SQLiteFailure.self) {
            try perform { (connection) throws(SQLiteFailure) in try connection.run("SELECT nothing FROM nowhere") }
        }

        #expect(failure?.kind == .other)
    }

    @Test func `a statement may run within itself`() throws {
        let pairs = try perform { (connection) throws(SQLiteFailure) in
            for value in 1...3 { try connection.run("INSERT INTO number VALUES (?, NULL)", .integer(value)) }
            var pairs = 0
            try connection.each("SELECT value FROM number") { (_) throws(SQLiteFailure) in
                try connection.each("SELECT value FROM number") { _ in
                    pairs += 1
                    return true
                }
                return true
            }
            return pairs
        }

        #expect(pairs == 9)
    }

    @Test func `a transaction is undone when its work fails, also one within another`() throws {
        let failure = #expect(throws: SQLiteFailure.self) {
            try perform { (connection) throws(SQLiteFailure) in
                try connection.transaction { () throws(SQLiteFailure) in
                    try connection.run("INSERT INTO number VALUES (1, NULL)")
                    try connection.transaction { () throws(SQLiteFailure) in
                        try connection.run("INSERT INTO number VALUES (1, NULL)")
                    }
                }
            }
        }

        #expect(failure?.kind == .other)
        #expect(
            try perform { (connection) throws(SQLiteFailure) in
                try connection.first("SELECT count(*) FROM number") { $0.integer(0) }
            } == 0)
    }

    @Test func `a transaction that work leaves open is undone`() throws {
        try perform { (connection) throws(SQLiteFailure) in
            try connection.run("BEGIN IMMEDIATE")
            try connection.run("INSERT INTO number VALUES (1, NULL)")
        }

        #expect(
            try perform { (connection) throws(SQLiteFailure) in
                try connection.first("SELECT count(*) FROM number") { $0.integer(0) }
            } == 0)
    }

    @Test func `many different statements are run without keeping them all`() throws {
        let sum = try perform { (connection) throws(SQLiteFailure) in
            var sum: Int64 = 0
            for number in 0..<1000 { sum += try connection.first("SELECT \(number)") { $0.integer(0) } ?? 0 }
            return sum
        }

        #expect(sum == 499_500)
    }
}
