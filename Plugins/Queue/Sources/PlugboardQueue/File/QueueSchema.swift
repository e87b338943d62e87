import PlugboardSQLite

/// The tables of a queue's file.
enum QueueSchema {
    static let schema = SQLiteStore.Schema(
        applicationID: 0x706C_7175,  // "plqu"
        migrations: [
            """
            CREATE TABLE request (
                -- The order in which requests were queued. Every other number is free for a request that failed while
                -- later ones of its line were queued.
                sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                id TEXT NOT NULL UNIQUE,
                -- A number of EntryState.
                state INTEGER NOT NULL,
                -- What is sent one after the other: a category, or a collapse key; or null.
                line TEXT,
                category TEXT, tag TEXT, collapse TEXT, context TEXT,
                priority INTEGER NOT NULL,
                method TEXT NOT NULL, url TEXT NOT NULL, origin TEXT NOT NULL,
                -- Fields, attributes and options as JSON.
                head TEXT NOT NULL,
                -- The bytes of the body; -1 for no body.
                length INTEGER NOT NULL,
                -- Times of the wall clock in nanoseconds.
                created INTEGER NOT NULL, due INTEGER NOT NULL, completed INTEGER,
                -- The file's own time (total.clock) when it was queued, and when it had its outcome.
                born INTEGER NOT NULL, ended INTEGER,
                attempts INTEGER NOT NULL DEFAULT 0, rejections INTEGER NOT NULL DEFAULT 0,
                -- Failures without a response in a row, other than those of the network.
                failures INTEGER NOT NULL DEFAULT 0,
                -- Whether the request may have reached the server.
                touched INTEGER NOT NULL,
                -- Who writes or sends it, and until when by the monotonic clock.
                owner TEXT, lease INTEGER,
                -- The last outcome.
                code TEXT, reason TEXT, status INTEGER, fields TEXT, content BLOB,
                acknowledged INTEGER NOT NULL DEFAULT 0,
                -- The number of the pieces of a body that was written in several, which stay when the request gets
                -- another number; null for the request's own. It is negative, because the number of the row for which
                -- it was made may be given to another request.
                body INTEGER,
                -- What counts for the limit of bytes: the bodies, and the texts that can be long.
                size INTEGER GENERATED ALWAYS AS (max(length, 0) + length(CAST(head AS BLOB))
                    + ifnull(length(CAST(context AS BLOB)), 0) + ifnull(length(CAST(fields AS BLOB)), 0)
                    + ifnull(length(content), 0)) VIRTUAL
            );
            CREATE TABLE piece (
                request INTEGER NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (request, number)
            ) WITHOUT ROWID;
            -- Bodies whose pieces are removed one by one, so that each change locks the file only for a short time.
            CREATE TABLE gone (body INTEGER PRIMARY KEY);
            CREATE TABLE total (
                -- Requests without an outcome, the dead ones among them, outcomes (state 4), and the bytes of all.
                requests INTEGER NOT NULL, dead INTEGER NOT NULL, outcomes INTEGER NOT NULL, bytes INTEGER NOT NULL,
                -- The file's own time, and the latest wall clock and the last monotonic clock that it was moved by.
                clock INTEGER NOT NULL, wall INTEGER NOT NULL, time INTEGER NOT NULL
            );
            INSERT INTO total VALUES (0, 0, 0, 0, 0, 0, 0);
            -- With all that a claim asks of a request that it does not take.
            CREATE INDEX request_by_state ON request (state, priority DESC, sequence, origin, due, line);
            CREATE INDEX request_by_line ON request (line, state, priority DESC, sequence) WHERE line IS NOT NULL;
            CREATE INDEX request_by_collapse ON request (line, collapse) WHERE collapse IS NOT NULL;
            CREATE INDEX request_by_outcome ON request (state, acknowledged, completed) WHERE completed IS NOT NULL;
            CREATE INDEX request_by_due ON request (state, due, origin) WHERE state = 1;
            CREATE INDEX request_by_birth ON request (born) WHERE ended IS NULL;
            CREATE INDEX request_by_end ON request (ended) WHERE ended IS NOT NULL;
            CREATE INDEX request_by_owner ON request (owner) WHERE owner IS NOT NULL;
            CREATE INDEX request_by_creation ON request (created) WHERE ended IS NULL;
            CREATE TRIGGER request_added AFTER INSERT ON request BEGIN
                UPDATE total SET requests = requests + (NEW.state <> 4), dead = dead + (NEW.state = 5),
                    outcomes = outcomes + (NEW.state = 4), bytes = bytes + NEW.size;
            END;
            CREATE TRIGGER request_ended AFTER UPDATE OF state ON request
            WHEN NEW.state <> OLD.state AND max(NEW.state, OLD.state) >= 4 BEGIN
                UPDATE total SET requests = requests + (NEW.state <> 4) - (OLD.state <> 4),
                    dead = dead + (NEW.state = 5) - (OLD.state = 5),
                    outcomes = outcomes + (NEW.state = 4) - (OLD.state = 4);
            END;
            CREATE TRIGGER request_changed AFTER UPDATE OF length, head, fields, content ON request
            WHEN NEW.size <> OLD.size BEGIN
                UPDATE total SET bytes = bytes + NEW.size - OLD.size;
            END;
            CREATE TRIGGER request_removed AFTER DELETE ON request BEGIN
                UPDATE total SET requests = requests - (OLD.state <> 4), dead = dead - (OLD.state = 5),
                    outcomes = outcomes - (OLD.state = 4), bytes = bytes - OLD.size;
                DELETE FROM piece WHERE request = OLD.sequence;
                INSERT OR IGNORE INTO gone SELECT OLD.body WHERE OLD.body IS NOT NULL;
            END
            """
        ], opening: "PRAGMA secure_delete = ON")
}
