/// The tables of the queue in PostgreSQL. `@` stands for the schema and a point.
enum QueueTables {
    static let sql = #"""
        CREATE SEQUENCE @request_order INCREMENT BY 2;
        -- Rows live for seconds: they are removed by a vacuum that does not wait, and changed in their page.
        CREATE TABLE @request (
            -- The order in which requests were queued. Every other number is free for a request that failed while later
            -- ones of its line were queued.
            sequence bigint PRIMARY KEY,
            id text NOT NULL UNIQUE,
            -- 0 writing, 1 ready, 2 behind others of its line, 3 sending, 4 done, 5 dead.
            state integer NOT NULL,
            -- What is sent one after the other: a category, or a collapse key; or null.
            line text,
            category text, tag text, collapse text, context text,
            priority bigint NOT NULL,
            method text NOT NULL, url text NOT NULL, origin text NOT NULL,
            -- Fields, attributes and options as JSON.
            head text NOT NULL,
            -- The bytes of the body; -1 for no body.
            length bigint NOT NULL,
            -- Times by the clock of the server, in nanoseconds.
            created bigint NOT NULL, due bigint NOT NULL, completed bigint,
            attempts integer NOT NULL DEFAULT 0, rejections integer NOT NULL DEFAULT 0,
            failures integer NOT NULL DEFAULT 0,
            -- Whether the request may have reached the server, and whether its caller's exchange sends it.
            touched boolean NOT NULL, journal boolean NOT NULL DEFAULT false,
            -- Who writes or sends it, and until when.
            owner text, lease bigint,
            -- Which addition made it; null when another one has found it.
            adder text,
            code text, reason text, status integer, fields text, content bytea,
            acknowledged boolean NOT NULL DEFAULT false,
            -- The number of the pieces of a body that was written in several; null for the request's own.
            body bigint,
            size bigint GENERATED ALWAYS AS (greatest(length, 0) + octet_length(head) + coalesce(octet_length(context), 0)
                + coalesce(octet_length(fields), 0) + coalesce(octet_length(content), 0)) STORED
        ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
            autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);
        CREATE INDEX request_ready ON @request (priority DESC, sequence) WHERE state = 1;
        CREATE INDEX request_due ON @request (due) WHERE state = 1;
        CREATE INDEX request_waiting ON @request (line, priority DESC, sequence) WHERE state IN (1, 2) AND line IS NOT NULL;
        CREATE INDEX request_held ON @request (line) WHERE state IN (0, 3) AND line IS NOT NULL;
        CREATE INDEX request_age ON @request (created) WHERE state IN (1, 2);
        CREATE INDEX request_owner ON @request (owner) WHERE owner IS NOT NULL;
        CREATE INDEX request_outcome ON @request (state, acknowledged, completed, sequence) WHERE state IN (4, 5);

        -- Bodies in pieces of 128 KiB.
        CREATE TABLE @piece (request bigint, number integer, bytes bytea NOT NULL, PRIMARY KEY (request, number))
            WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
                autovacuum_vacuum_cost_delay = 0);
        ALTER TABLE @piece ALTER bytes SET STORAGE EXTERNAL;

        -- What the limits count, in a row for each of some connections, so that they do not wait for each other.
        CREATE TABLE @tally (shard integer PRIMARY KEY, requests bigint NOT NULL, dead bigint NOT NULL,
            outcomes bigint NOT NULL, bytes bigint NOT NULL)
            WITH (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000,
                autovacuum_vacuum_cost_delay = 0);

        CREATE FUNCTION @count() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE r bigint; d bigint; o bigint; b bigint;
        BEGIN
            IF TG_OP = 'UPDATE' THEN
                r := (NEW.state <> 4)::integer - (OLD.state <> 4)::integer;
                d := (NEW.state = 5)::integer - (OLD.state = 5)::integer;
                o := (NEW.state = 4)::integer - (OLD.state = 4)::integer;
                b := NEW.size - OLD.size;
            ELSIF TG_OP = 'INSERT' THEN
                SELECT count(*) FILTER (WHERE state <> 4), count(*) FILTER (WHERE state = 5),
                    count(*) FILTER (WHERE state = 4), coalesce(sum(size), 0) INTO r, d, o, b FROM added;
            ELSE
                SELECT -count(*) FILTER (WHERE state <> 4), -count(*) FILTER (WHERE state = 5),
                    -count(*) FILTER (WHERE state = 4), -coalesce(sum(size), 0) INTO r, d, o, b FROM removed;
                DELETE FROM @piece WHERE request IN (SELECT sequence FROM removed WHERE length > 0
                    UNION ALL SELECT body FROM removed WHERE length > 0);
            END IF;
            UPDATE @tally SET requests = requests + r, dead = dead + d, outcomes = outcomes + o, bytes = bytes + b
                WHERE shard = pg_backend_pid() % 32;
            RETURN NULL;
        END $$;
        INSERT INTO @tally SELECT shard, 0, 0, 0, 0 FROM generate_series(0, 31) shard;
        CREATE TRIGGER added AFTER INSERT ON @request REFERENCING NEW TABLE AS added
            FOR EACH STATEMENT EXECUTE FUNCTION @count();
        CREATE TRIGGER removed AFTER DELETE ON @request REFERENCING OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION @count();
        CREATE TRIGGER changed AFTER UPDATE ON @request FOR EACH ROW
            WHEN (OLD.size <> NEW.size OR OLD.state <> NEW.state AND greatest(OLD.state, NEW.state) >= 4)
            EXECUTE FUNCTION @count();

        -- The outbox: any program may insert, inside its own transaction. The queue takes the rows after the commit.
        CREATE FUNCTION @valid(fields jsonb) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$
            SELECT CASE WHEN jsonb_typeof(fields) <> 'object' THEN false ELSE
                (SELECT coalesce(bool_and(key ~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]+$' AND jsonb_typeof(value) = 'string'
                    AND value #>> '{}' !~ '[\x01-\x08\x0a-\x1f\x7f]'), true) FROM jsonb_each(fields)) END
        $$;
        CREATE TABLE @outbox (
            sequence bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            id text NOT NULL DEFAULT gen_random_uuid()::text CHECK (id <> '' AND octet_length(id) <= 1000),
            method text NOT NULL DEFAULT 'POST' CHECK (method ~ '^[A-Z][A-Z0-9-]*$'),
            url text NOT NULL CHECK (url ~ '^https?://[^/?#\u0040[:space:][:cntrl:]]+([/?#][^[:space:][:cntrl:]]*)?$'),
            fields jsonb NOT NULL DEFAULT '{}' CHECK (@valid(fields)),
            body bytea,
            category text CHECK (octet_length(category) <= 1000), tag text, context text,
            priority integer NOT NULL DEFAULT 0
        ) WITH (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
            autovacuum_vacuum_cost_delay = 0);
        CREATE FUNCTION @notice() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN PERFORM pg_notify(TG_TABLE_SCHEMA, ''); RETURN NULL; END $$;
        CREATE TRIGGER noticed AFTER INSERT ON @outbox FOR EACH STATEMENT EXECUTE FUNCTION @notice();
        """#
}
