/// What a claim, a settlement and the rest do in PostgreSQL: each a function, so that it is one round trip, and no lock
/// is held across the network. `@` stands for the schema and a point.
///
/// All that change a line hold its advisory lock until they are committed, taken in the order of its keys. So a line's
/// numbers become visible in their order. A claim locks rows first, and then only tries for the line. Plans do not
/// depend on statistics, which are those of an empty table after a quiet night: they follow the order of an index.
enum QueueFunctions {
    static let sql = #"""
        -- The time of the server, or the one that a test gives.
        CREATE FUNCTION @now(given bigint) RETURNS bigint LANGUAGE sql AS $$
            SELECT coalesce(given, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint * 1000)
        $$;
        CREATE FUNCTION @line(category text, collapse text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
            SELECT coalesce('c:' || category, 'k:' || collapse)
        $$;

        CREATE FUNCTION @lock(lines text[]) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE k integer;
        BEGIN
            FOR k IN SELECT DISTINCT hashtext(l) FROM unnest(lines) l WHERE l IS NOT NULL ORDER BY 1 LOOP
                PERFORM set_config('lock_timeout', '2s', true);
                PERFORM pg_advisory_xact_lock(hashtext('@'), k);
            END LOOP;
        END $$;

        -- Makes the first waiting request of a line ready, and none while one is being sent, or written to be sent.
        CREATE FUNCTION @arrange(l text) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE first bigint;
        BEGIN
            IF l IS NULL THEN RETURN; END IF;
            IF EXISTS (SELECT FROM @request WHERE line = l AND state IN (0, 3)) THEN
                UPDATE @request SET state = 2 WHERE line = l AND state = 1;
                RETURN;
            END IF;
            SELECT sequence INTO first FROM @request WHERE line = l AND state IN (1, 2)
                ORDER BY priority DESC, sequence LIMIT 1;
            UPDATE @request SET state = 2 WHERE line = l AND state = 1 AND sequence <> first;
            UPDATE @request SET state = 1 WHERE sequence = first AND state = 2;
        END $$;

        CREATE FUNCTION @finish(s bigint, p_state integer, p_code text, p_reason text, p_status integer, p_fields text,
            p_content bytea, t bigint) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE l bigint; b bigint;
        BEGIN
            SELECT length, body INTO l, b FROM @request WHERE sequence = s;
            IF p_state = 4 AND l > 0 THEN
                DELETE FROM @piece WHERE request = s OR request = b;
                l := -1; b := NULL;
            END IF;
            UPDATE @request SET state = p_state, owner = NULL, lease = NULL, journal = false, completed = t, code = p_code,
                reason = p_reason, status = p_status, fields = p_fields, content = p_content, length = l, body = b
                WHERE sequence = s;
        END $$;

        CREATE FUNCTION @begin(p_id text, p_owner text, p_line text, p_lease bigint, p_now bigint, p_time bigint)
            RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE t bigint; n bigint;
        BEGIN
            PERFORM @lock(ARRAY[p_line]);
            t := @now(p_now);
            n := nextval('@request_order');
            INSERT INTO @request (sequence, id, state, line, priority, method, url, origin, head, length, created, due,
                    touched, owner, lease, body)
                VALUES (n, p_id || ' ' || p_owner, 0, p_line, 0, '', '', '', '', -1, t, t, false, p_owner,
                    @now(p_time) + p_lease, -n)
                ON CONFLICT (id) DO UPDATE SET lease = excluded.lease RETURNING sequence INTO n;
            PERFORM @arrange(p_line);
            RETURN n;
        END $$;

        CREATE FUNCTION @append(p_sequence bigint, p_number integer, p_bytes bytea) RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
            PERFORM FROM @request WHERE sequence = p_sequence AND state = 0 FOR UPDATE;
            IF NOT FOUND THEN RETURN false; END IF;
            INSERT INTO @piece SELECT coalesce(body, sequence), p_number, p_bytes FROM @request
                WHERE sequence = p_sequence ON CONFLICT DO NOTHING;
            IF FOUND THEN
                UPDATE @request SET length = greatest(length, 0) + octet_length(p_bytes) WHERE sequence = p_sequence;
            END IF;
            RETURN true;
        END $$;

        CREATE FUNCTION @discard(p_sequence bigint, p_owner text) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE l text := (SELECT line FROM @request WHERE sequence = p_sequence);
        BEGIN
            PERFORM @lock(ARRAY[l]);
            DELETE FROM @request WHERE sequence = p_sequence AND owner = p_owner;
            IF FOUND THEN PERFORM @arrange(l); END IF;
        END $$;

        -- Makes room for a request: returns the dropped ones, or null, without a change, if there is none.
        CREATE FUNCTION @make_room(p_size bigint, p_begun bigint, same bigint[], same_length bigint, p_requests bigint,
            p_bytes bigint, p_drops boolean, t bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
        DECLARE r bigint; b bigint; x record; removed bigint[] := '{}'; dropped bigint[] := '{}'; result jsonb := '[]';
        BEGIN
            IF p_size > p_bytes THEN RETURN NULL; END IF;
            SELECT coalesce(sum(requests), 0) + 1 - cardinality(same) - p_requests,
                coalesce(sum(bytes), 0) + p_size - p_bytes - same_length INTO r, b FROM @tally;
            IF p_begun IS NOT NULL THEN
                r := r - 1;
                b := b - coalesce((SELECT size FROM @request WHERE sequence = p_begun), 0);
            END IF;
            IF r <= 0 AND b <= 0 THEN RETURN result; END IF;
            FOR x IN SELECT sequence, size FROM @request WHERE state = 5 AND acknowledged ORDER BY completed, sequence LOOP
                removed := removed || x.sequence; r := r - 1; b := b - x.size;
                EXIT WHEN r <= 0 AND b <= 0;
            END LOOP;
            IF b > 0 THEN
                FOR x IN SELECT sequence, size FROM @request WHERE state = 4 AND NOT acknowledged
                    ORDER BY completed, sequence LOOP
                    removed := removed || x.sequence; b := b - x.size;
                    EXIT WHEN b <= 0;
                END LOOP;
            END IF;
            IF p_drops AND (r > 0 OR b > 0) THEN
                FOR x IN SELECT sequence, size - coalesce(octet_length(context), 0) - 13 AS freed, line FROM @request
                    WHERE state IN (1, 2) AND sequence <> ALL (same) ORDER BY priority, sequence LOOP
                    -- Only tried, because locks of lines are waited for in their order.
                    CONTINUE WHEN x.line IS NOT NULL AND NOT pg_try_advisory_xact_lock(hashtext('@'), hashtext(x.line));
                    PERFORM FROM @request WHERE sequence = x.sequence AND state IN (1, 2) FOR UPDATE SKIP LOCKED;
                    CONTINUE WHEN NOT FOUND;
                    dropped := dropped || x.sequence; r := r - 1; b := b - x.freed;
                    EXIT WHEN r <= 0 AND b <= 0;
                END LOOP;
            END IF;
            IF r > 0 OR b > 0 THEN RETURN NULL; END IF;
            DELETE FROM @request WHERE sequence = ANY (removed) AND state >= 4;
            FOR x IN SELECT * FROM @request WHERE sequence = ANY (dropped) ORDER BY priority, sequence LOOP
                PERFORM @finish(x.sequence, 4, 'queue.full', 'It was dropped to make room for a later request. Raise '
                    || 'limit or bytes.' || CASE WHEN x.touched THEN ' It may have reached the server.' ELSE '' END,
                    NULL, NULL, NULL, t);
                UPDATE @request SET head = '{"fields":[]}' WHERE sequence = x.sequence;
                result := result || jsonb_build_object('id', x.id, 'category', x.category, 'tag', x.tag);
            END LOOP;
            PERFORM @arrange(l) FROM (SELECT DISTINCT line AS l FROM @request WHERE sequence = ANY (dropped)) lines;
            RETURN result;
        END $$;
        """#
}
