import PlugboardSQLite

/// The version of the tables and functions in the database.
enum QueueSchemaVersion {
    /// What makes each version from the one before it; that to 1 makes all.
    private static let migrations = [
        QueueTables.sql + QueueFunctions.sql + QueueFunctions.adding + QueueFunctions.sending
    ]

    /// Throws unless the database has this version.
    static func check(_ connection: PostgreSQLConnection, _ names: QueueNames) throws(SQLiteFailure) {
        let version = try version(connection, names)
        if version == migrations.count {
            // Otherwise what others have committed is not seen where a lock was waited for.
            let level = try connection.run([.init("SHOW transaction_isolation")]).first?.first?.text(0)
            if level == "read committed" { return }
            throw .inaccessible(
                "default_transaction_isolation is \(level ?? "unknown"); the queue needs read committed.")
        }
        throw version > migrations.count
            ? newer(version)
            : .inaccessible("The queue in the database has the older version \(version). Run plugboard queue migrate.")
    }

    /// Makes what is missing, in one transaction. Returns a sentence about it.
    static func migrate(_ connection: PostgreSQLConnection, _ names: QueueNames) throws(SQLiteFailure) -> String {
        let exists = try connection.run([.init("SELECT to_regclass($1)", [.text("\(names.quoted).version")])])
        let before = exists.first?.first?.text(0) == nil ? 0 : max(try version(connection, names), 0)
        if before > migrations.count { throw newer(before) }
        if before == migrations.count { return "The database has version \(before) already." }
        // One process at a time; a second finds the tables, and fails without harm.
        let steps = migrations[before...].joined(separator: ";\n")
        let version = "DELETE FROM @version; INSERT INTO @version VALUES (\(migrations.count));"
        try connection.script(
            "BEGIN; SELECT pg_advisory_xact_lock(hashtext('plugboard'), hashtext('migrate'));"
                + (before == 0 ? "CREATE SCHEMA IF NOT EXISTS \(names.quoted);" : "") + names(steps + version)
                + "COMMIT")
        return "The database has version \(migrations.count) now; it had \(before)."
    }

    private static func version(
        _ connection: PostgreSQLConnection, _ names: QueueNames
    ) throws(SQLiteFailure) -> Int {
        let rows = try connection.run([.init(names("SELECT version FROM @version"))])
        return Int(rows.first?.first?.integer(0) ?? 0)
    }

    private static func newer(_ version: Int) -> SQLiteFailure {
        .inaccessible(
            "The queue in the database has the version \(version), which is newer than this program's "
                + "\(migrations.count). It is not used.")
    }
}
