import PlugboardSQLite

/// The tables of a cache's file. All sums are those of `Checksum` over the bytes and the id, so that bytes of another
/// entry count as damage.
///
/// Bodies of more than 256 KiB are in files beside the database (see `BodyFiles`): by measured CPU time, a plain file
/// of 1 MiB is read in a fifth of the time that a hit from rows takes (50 µs against 231), and one of 16 MiB in a
/// tenth. The others are in the database, where several entries are written in one transaction.
enum CacheSchema {
    /// The number of lower bits of a piece's id that contain its number. They limit a body to 64 GiB.
    static let pieceBits: Int64 = 20
    /// A greater id would leave no bits for the number; a sequence beyond it is damaged.
    static let lastID: Int64 = 1 << (62 - pieceBits)

    /// The first id is random, so that after a file or its sequence was lost, no id of the old file occurs again.
    private static let firstID = "ifnull(max(id), 0) + abs(random() % 1099511627776)"

    /// Starts the sequence of ids again.
    static let beginning = "INSERT OR REPLACE INTO sequence (rowid, last) SELECT 1, \(firstID) FROM entry"

    static let schema = SQLiteStore.Schema(
        applicationID: 0x706C_6263,  // "plbc"
        migrations: [
            """
            CREATE TABLE sequence (
                -- The last id that was assigned to an entry. Ids are never used twice, not even after the entry is
                -- removed, because readers depend on it. AUTOINCREMENT would write its sequence for every row.
                last INTEGER NOT NULL
            );
            CREATE TABLE entry (
                id INTEGER PRIMARY KEY,
                -- Null for a visible entry, otherwise the store that writes it, or reads it after its removal.
                owner TEXT,
                -- The sum of the key's text, which is in the head.
                key INTEGER NOT NULL,
                -- Null if it is the text of the key, as in most entries.
                url TEXT,
                -- Greater for an entry used later.
                used INTEGER NOT NULL,
                -- The bytes of the body.
                length INTEGER NOT NULL,
                sum INTEGER NOT NULL,
                head BLOB NOT NULL,
                -- Null if the body is in pieces.
                bodySum INTEGER,
                body BLOB
            );
            -- The indices contain the owner, which is null in every row, so that SQLite does not read the table for it.
            CREATE INDEX entry_key ON entry (key, owner) WHERE owner IS NULL;
            CREATE INDEX entry_url ON entry (url, owner) WHERE owner IS NULL AND url IS NOT NULL;
            CREATE INDEX entry_used ON entry (used, length, owner) WHERE owner IS NULL;
            CREATE INDEX entry_owner ON entry (owner) WHERE owner IS NOT NULL;
            CREATE TABLE piece (
                -- The entry's id and, in the lower 20 bits, the number of the piece in its body.
                id INTEGER PRIMARY KEY,
                sum INTEGER NOT NULL,
                bytes BLOB NOT NULL
            );
            CREATE TABLE file (
                -- The entry's id.
                id INTEGER PRIMARY KEY,
                -- Of the file, as far as it is written.
                bytes INTEGER NOT NULL,
                -- The sums of the pieces, eight bytes each.
                sums BLOB NOT NULL
            );
            -- The bytes of all files.
            CREATE TABLE total (bytes INTEGER NOT NULL);
            INSERT INTO total VALUES (0);
            -- The ids of files that must be removed, because their rows are.
            CREATE TABLE gone (id INTEGER PRIMARY KEY);
            CREATE TRIGGER entry_gone AFTER DELETE ON entry BEGIN
                DELETE FROM piece WHERE id >= OLD.id << 20 AND id < (OLD.id + 1) << 20;
                DELETE FROM file WHERE id = OLD.id;
            END;
            CREATE TRIGGER file_grown AFTER UPDATE OF bytes ON file BEGIN
                UPDATE total SET bytes = bytes + NEW.bytes - OLD.bytes;
            END;
            CREATE TRIGGER file_gone AFTER DELETE ON file BEGIN
                UPDATE total SET bytes = bytes - OLD.bytes;
                INSERT OR REPLACE INTO gone VALUES (OLD.id);
            END;
            \(beginning)
            """
        ],
        pageSize: 4096,
        // Some builds of SQLite overwrite all deleted bytes, which takes as much writing as the body has, and room that
        // a full disk does not have.
        opening: "PRAGMA secure_delete = FAST")
}
