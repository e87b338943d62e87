import SQLiteStore

/// The tables of a cache's file. All sums are of `Checksum`, and hold the entry's id, so that bytes of another entry
/// are damage, too.
///
/// Bodies of every size stand in the file. Measured, in CPU: a plain file of 16 MiB is read ten times as fast (1 ms
/// against 9), and written 2.5 times (22 ms against 52); a hit of 1 KiB takes 27 µs, the hop to the thread included.
/// That is still 1.8 GB/s, and it buys one transaction for all that belongs to an entry, at any kill, by any process.
/// Pages of 8 or 16 KiB gain a fifth for large bodies, and lose as much or more in storing small ones.
enum CacheSchema {
    /// A chunk's number is the lower bits of its id: at most 64 GiB a body.
    static let chunkBits: Int64 = 20
    /// Greater ids would have no room for the number; a sequence that has come so far is damaged.
    static let lastID: Int64 = 1 << (62 - chunkBits)

    /// Where ids begin. Not at one: after a file, or its sequence, was lost, the ids of the new one are others.
    static let beginning = """
        INSERT INTO sqlite_sequence (name, seq)
        SELECT 'entry', ifnull(max(id), 0) + abs(random() % 1099511627776) FROM entry
        """

    static let schema = SQLiteStore.Schema(
        applicationID: 0x706C_6263,  // "plbc"
        migrations: [
            """
            CREATE TABLE entry (
                -- Never used twice, not even after the entry is gone: readers go by it.
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                -- Null if the entry can be found. Else who still writes it, or still reads it after its removal.
                owner TEXT,
                -- The sum of the key's text, which stands in the head.
                key INTEGER NOT NULL,
                url TEXT NOT NULL,
                -- The greater, the later it was last used.
                used INTEGER NOT NULL,
                -- Of the body.
                length INTEGER NOT NULL,
                sum INTEGER NOT NULL,
                head BLOB NOT NULL,
                -- Null if the body stands in chunks.
                bodySum INTEGER,
                body BLOB
            );
            -- The owner stands in them, null in every row, so that SQLite need not look it up.
            CREATE INDEX entry_key ON entry (key, owner) WHERE owner IS NULL;
            CREATE INDEX entry_url ON entry (url, owner) WHERE owner IS NULL;
            CREATE INDEX entry_used ON entry (used, length, owner) WHERE owner IS NULL;
            CREATE INDEX entry_owner ON entry (owner) WHERE owner IS NOT NULL;
            CREATE TABLE chunk (
                -- The entry's id and, in the lower 20 bits, the chunk's number in its body.
                id INTEGER PRIMARY KEY,
                sum INTEGER NOT NULL,
                bytes BLOB NOT NULL
            );
            CREATE TRIGGER entry_gone AFTER DELETE ON entry BEGIN
                DELETE FROM chunk WHERE id >= OLD.id << 20 AND id < (OLD.id + 1) << 20;
            END;
            \(beginning);
            """
        ],
        pageSize: 4096,
        // Some builds of SQLite overwrite all that is deleted. That writes as much as a body has bytes, and a full disk has no
        // room for it.
        opening: "PRAGMA secure_delete = FAST")
}
