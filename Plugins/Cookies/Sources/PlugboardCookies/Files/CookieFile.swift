import PlugboardSQLite

/// The SQLite file of the jars. Called on the store's thread only.
enum CookieFile {
    static let schema = SQLiteStore.Schema(
        applicationID: 0x506C_6763,  // "Plgc"
        migrations: [
            """
            CREATE TABLE cookies (
                jar TEXT NOT NULL, domain TEXT NOT NULL, hostOnly INTEGER NOT NULL, path BLOB NOT NULL,
                name BLOB NOT NULL, value BLOB NOT NULL, expires INTEGER NOT NULL, secure INTEGER NOT NULL,
                httpOnly INTEGER NOT NULL, sameSite TEXT NOT NULL, created INTEGER NOT NULL, accessed INTEGER NOT NULL,
                PRIMARY KEY (jar, domain, hostOnly, path, name)
            ) WITHOUT ROWID;
            """
        ],
        opening: "PRAGMA secure_delete = ON")

    /// The expiry in the file for a cookie of the session, which has none.
    fileprivate static let ofSession = Int64.max

    /// All cookies of all jars.
    static func read(
        _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) -> [String: [Cookie]] {
        var jars: [String: [Cookie]] = [:]
        try connection.each(
            """
            SELECT jar, domain, hostOnly, path, name, value, expires, secure, httpOnly, sameSite, created, accessed
            FROM cookies
            """
        ) { (row) throws(SQLiteFailure) in
            jars[row.text(0), default: []].append(Cookie(row))
            return true
        }
        return jars
    }

    /// Removes expired cookies; called once, because later each process removes those that it has read.
    static func removeExpired(_ connection: SQLiteStore.Connection, now: Duration) throws(SQLiteFailure) {
        try connection.run("DELETE FROM cookies WHERE expires <= ?", .moment(now))
    }

    /// Removes the cookies of one jar, or of all jars.
    static func clear(_ connection: SQLiteStore.Connection, jar: String?) throws(SQLiteFailure) {
        if let jar {
            try connection.run("DELETE FROM cookies WHERE jar = ?", .text(jar))
        } else {
            try connection.run("DELETE FROM cookies")
        }
    }

    /// Writes all changes in one transaction.
    static func write(
        _ changes: [String: Jar.Changes], _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) {
        try connection.transaction { () throws(SQLiteFailure) in
            for (jar, changes) in changes {
                for id in changes.removed { try remove(id, of: jar, connection) }
                for cookie in changes.written { try write(cookie, to: jar, connection) }
                for cookie in changes.sent { try markSent(cookie, of: jar, connection) }
            }
        }
    }

    private static func write(
        _ cookie: Cookie, to jar: String, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) {
        try connection.run(
            "INSERT OR REPLACE INTO cookies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", .text(jar),
            .text(cookie.id.domain), .integer(cookie.id.isHostOnly ? 1 : 0), .bytes(cookie.id.path),
            .bytes(cookie.id.name), .bytes(cookie.value), cookie.expires.map { .moment($0) } ?? .integer(ofSession),
            .integer(cookie.isSecure ? 1 : 0), .integer(cookie.isHTTPOnly ? 1 : 0), .text(cookie.sameSite.rawValue),
            .integer(cookie.created), .integer(cookie.accessed))
    }

    private static func remove(
        _ id: Cookie.ID, of jar: String, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) {
        try connection.run(
            "DELETE FROM cookies WHERE jar = ? AND domain = ? AND hostOnly = ? AND path = ? AND name = ?",
            .text(jar), .text(id.domain), .integer(id.isHostOnly ? 1 : 0), .bytes(id.path), .bytes(id.name))
    }

    /// Updates existing cookies only, so that a cookie that another process has removed stays removed.
    private static func markSent(
        _ cookie: Cookie, of jar: String, _ connection: SQLiteStore.Connection
    ) throws(SQLiteFailure) {
        try connection.run(
            """
            UPDATE cookies SET accessed = max(accessed, ?)
            WHERE jar = ? AND domain = ? AND hostOnly = ? AND path = ? AND name = ?
            """,
            .integer(cookie.accessed), .text(jar), .text(cookie.id.domain), .integer(cookie.id.isHostOnly ? 1 : 0),
            .bytes(cookie.id.path), .bytes(cookie.id.name))
    }
}

extension Cookie {
    fileprivate init(_ row: borrowing SQLiteStore.Row) {
        id = ID(
            domain: row.text(1), isHostOnly: row.integer(2) != 0, path: Array(row.bytes(3)), name: Array(row.bytes(4)))
        value = Array(row.bytes(5))
        expires = row.integer(6) == CookieFile.ofSession ? nil : .milliseconds(row.integer(6))
        isSecure = row.integer(7) != 0
        isHTTPOnly = row.integer(8) != 0
        sameSite = SameSite(rawValue: row.text(9)) ?? .unset
        // Clamped, so that counting on from a damaged value cannot overflow.
        created = min(max(row.integer(10), 0), .max / 2)
        accessed = min(max(row.integer(11), 0), .max / 2)
    }
}

extension SQLiteStore.Value {
    /// Milliseconds since 1970, clamped to 64 bits.
    fileprivate static func moment(_ sinceEpoch: Duration) -> SQLiteStore.Value {
        let (seconds, attoseconds) = sinceEpoch.components
        let (whole, isOut) = seconds.multipliedReportingOverflow(by: 1000)
        let milliseconds: Int64 = isOut ? (seconds < 0 ? .min : .max) : whole &+ attoseconds / 1_000_000_000_000_000
        return SQLiteStore.Value.integer(milliseconds)
    }
}
