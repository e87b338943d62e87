extension QueueFunctions {
    static let sending = #"""
        -- Lets what a process holds wait again, and removes what it was writing; with a time, only what ended before.
        CREATE FUNCTION @release(p_owner text, p_before bigint) RETURNS integer LANGUAGE plpgsql AS $$
        DECLARE lines text[]; n integer;
        BEGIN
            lines := ARRAY(SELECT DISTINCT line FROM @request WHERE owner = p_owner AND line IS NOT NULL);
            PERFORM @lock(lines);
            DELETE FROM @request WHERE owner = p_owner AND state = 0 AND (p_before IS NULL OR lease < p_before);
            UPDATE @request SET state = CASE WHEN line IS NULL THEN 1 ELSE 2 END, owner = NULL, lease = NULL,
                journal = false, touched = true
                WHERE owner = p_owner AND state = 3 AND (p_before IS NULL OR lease < p_before);
            GET DIAGNOSTICS n = ROW_COUNT;
            PERFORM @arrange(l) FROM unnest(lines) l;
            RETURN n;
        END $$;

        CREATE FUNCTION @put_back(p_sequences bigint[], p_owner text) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE lines text[] := ARRAY(SELECT DISTINCT line FROM @request WHERE sequence = ANY (p_sequences));
        BEGIN
            PERFORM @lock(lines);
            UPDATE @request SET state = CASE WHEN line IS NULL THEN 1 ELSE 2 END, owner = NULL, lease = NULL, journal = false
                WHERE sequence = ANY (p_sequences) AND owner = p_owner AND state = 3;
            PERFORM @arrange(l) FROM unnest(lines) l;
        END $$;

        -- What others hold whose lease has ended, and what was taken for this process without its knowing.
        CREATE FUNCTION @take_back(p_owner text, p_running bigint[], p_time bigint) RETURNS integer LANGUAGE plpgsql AS $$
        DECLARE t bigint := @now(p_time); lost bigint[];
        BEGIN
            IF p_running IS NOT NULL THEN
                lost := ARRAY(SELECT sequence FROM @request WHERE owner = p_owner AND state = 3 AND NOT journal
                    AND sequence <> ALL (p_running));
                IF lost <> '{}' THEN PERFORM @put_back(lost, p_owner); END IF;
            END IF;
            RETURN (SELECT sum(@release(owner, t)) FROM (SELECT owner FROM @request
                WHERE owner IS NOT NULL AND owner <> p_owner GROUP BY owner HAVING max(lease) < t) o);
        END $$;

        CREATE FUNCTION @claim(p_owner text, p_lease bigint, p_count integer, p_line text, p_selected jsonb, p_paused text[],
            p_proven text[], p_held text[], p_longest bigint, p_now bigint, p_time bigint)
            RETURNS TABLE (sequence bigint, id text, line text, origin text, category text, tag text, method text, url text,
                head text, length bigint, attempts integer, rejections integer, failures integer, content bytea)
            LANGUAGE plpgsql
            SET plan_cache_mode = force_generic_plan SET enable_sort = off SET jit = off AS $$
        #variable_conflict use_column
        DECLARE r @request; t bigint := @now(p_now); until bigint := @now(p_time) + p_lease; far bigint;
            taken integer := 0; others bigint[] := '{}';
        BEGIN
            far := CASE WHEN p_longest > 9223372036854775807 - t THEN 9223372036854775807 ELSE t + p_longest END;
            WHILE taken < p_count LOOP
                IF p_line IS NULL THEN
                    SELECT * INTO r FROM @request q WHERE state = 1 AND (due <= t OR due > far) AND origin <> ALL (p_paused)
                        AND (line IS NULL OR line <> ALL (p_held)) AND sequence <> ALL (others)
                        AND (p_selected IS NULL OR EXISTS (SELECT FROM jsonb_to_recordset(p_selected)
                            AS s(id text, tag text, category text) WHERE (s.id IS NULL OR s.id = q.id)
                            AND (s.tag IS NULL OR s.tag = q.tag) AND (s.category IS NULL OR s.category = q.category)))
                        ORDER BY priority DESC, sequence LIMIT 1 FOR UPDATE SKIP LOCKED;
                ELSE
                    SELECT * INTO r FROM @request WHERE state = 1 AND line = p_line AND (due <= t OR due > far)
                        AND origin <> ALL (p_paused) AND line <> ALL (p_held) AND sequence <> ALL (others)
                        ORDER BY priority DESC, sequence LIMIT 1 FOR UPDATE SKIP LOCKED;
                END IF;
                EXIT WHEN NOT FOUND;
                -- Another transaction changes this line now.
                IF r.line IS NOT NULL AND NOT pg_try_advisory_xact_lock(hashtext('@'), hashtext(r.line)) THEN
                    others := others || r.sequence;
                    CONTINUE;
                END IF;
                UPDATE @request SET state = 3, owner = p_owner, lease = until WHERE sequence = r.sequence;
                taken := taken + 1;
                IF p_proven IS NOT NULL AND r.origin <> ALL (p_proven) THEN p_paused := p_paused || r.origin; END IF;
                content := NULL;
                IF r.length BETWEEN 1 AND 131072 THEN
                    SELECT bytes INTO content FROM @piece WHERE request = coalesce(r.body, r.sequence) AND number = 0
                        AND octet_length(bytes) = r.length;
                END IF;
                RETURN QUERY SELECT r.sequence, r.id, r.line, r.origin, r.category, r.tag, r.method, r.url, r.head,
                    r.length, r.attempts, r.rejections, r.failures, content;
            END LOOP;
        END $$;

        CREATE FUNCTION @settle(p_sequence bigint, p_owner text, p_state integer, p_code text, p_reason text,
            p_status integer, p_fields text, p_content bytea, p_wait bigint, p_counted text, p_touched boolean, p_now bigint)
            RETURNS boolean LANGUAGE plpgsql
            SET plan_cache_mode = force_generic_plan SET enable_sort = off SET jit = off AS $$
        DECLARE t bigint := @now(p_now); r @request; later bigint;
        BEGIN
            SELECT * INTO r FROM @request WHERE sequence = p_sequence AND owner = p_owner AND state = 3;
            IF NOT FOUND THEN RETURN false; END IF;
            IF r.line IS NOT NULL THEN PERFORM @lock(ARRAY[r.line]); END IF;
            SELECT * INTO r FROM @request WHERE sequence = p_sequence AND owner = p_owner AND state = 3 FOR UPDATE;
            IF NOT FOUND THEN RETURN false; END IF;
            IF p_state >= 4 THEN
                PERFORM @finish(p_sequence, p_state, p_code, p_reason, p_status, p_fields, p_content, t);
                PERFORM @arrange(r.line);
                RETURN true;
            END IF;
            UPDATE @request SET state = CASE WHEN line IS NULL THEN 1 ELSE 2 END, owner = NULL, lease = NULL, journal = false,
                touched = touched OR p_touched, due = t + p_wait, code = p_code, reason = p_reason,
                attempts = least(attempts, 2147483646) + (p_counted = 'attempt')::integer,
                rejections = least(rejections, 2147483646) + (p_counted = 'rejection')::integer,
                failures = CASE p_counted WHEN 'failure' THEN least(failures, 2147483646) + 1 WHEN 'nothing' THEN failures ELSE 0 END
                WHERE sequence = p_sequence RETURNING * INTO r;
            -- A later request with its collapse key has come; if it cannot have reached the server, both are sent.
            IF r.touched AND r.collapse IS NOT NULL THEN
                SELECT sequence INTO later FROM @request WHERE line = r.line AND collapse = r.collapse
                    AND sequence > r.sequence AND state IN (1, 2) LIMIT 1;
                IF FOUND THEN
                    UPDATE @request SET touched = true WHERE sequence = later;
                    PERFORM @finish(p_sequence, 4, 'queue.collapsed',
                        'A later request with the same collapse key replaced it.', NULL, NULL, NULL, t);
                END IF;
            END IF;
            PERFORM @arrange(r.line);
            RETURN true;
        END $$;

        CREATE FUNCTION @expire(p_age bigint, p_result_age bigint, p_now bigint) RETURNS SETOF text LANGUAGE plpgsql AS $$
        DECLARE t bigint := @now(p_now); x record; old bigint[]; lines text[];
        BEGIN
            DELETE FROM @request WHERE state = 4 AND completed < t - p_result_age;
            SELECT array_agg(sequence), array_agg(DISTINCT line) INTO old, lines FROM @request
                WHERE state IN (1, 2) AND created < t - p_age;
            PERFORM @lock(lines);
            FOR x IN SELECT sequence, id FROM @request WHERE sequence = ANY (old) AND state IN (1, 2) FOR UPDATE LOOP
                PERFORM @finish(x.sequence, 5, 'queue.expired',
                    'The request is older than the setting age. Send it again or drop it.', NULL, NULL, NULL, t);
                RETURN NEXT x.id;
            END LOOP;
            PERFORM @arrange(l) FROM unnest(lines) l;
        END $$;

        CREATE FUNCTION @drop(p_id text, p_tag text, p_category text, p_states integer[]) RETURNS SETOF text
            LANGUAGE plpgsql AS $$
        DECLARE found bigint[]; lines text[];
        BEGIN
            SELECT array_agg(sequence), array_agg(DISTINCT line) INTO found, lines FROM @request WHERE state <> 0
                AND (p_id IS NULL OR id = p_id) AND (p_tag IS NULL OR tag = p_tag)
                AND (p_category IS NULL OR category = p_category) AND (p_states IS NULL OR state = ANY (p_states));
            PERFORM @lock(lines);
            RETURN QUERY DELETE FROM @request WHERE sequence = ANY (found)
                AND (p_states IS NULL OR state = ANY (p_states)) RETURNING id;
            PERFORM @arrange(l) FROM unnest(lines) l;
        END $$;

        CREATE FUNCTION @revive(p_id text, p_tag text, p_category text, p_states integer[], p_now bigint) RETURNS bigint
            LANGUAGE plpgsql AS $$
        DECLARE t bigint := @now(p_now); found bigint[]; lines text[]; n bigint; m bigint;
        BEGIN
            SELECT array_agg(sequence), array_agg(DISTINCT line) INTO found, lines FROM @request
                WHERE state IN (1, 2, 5) AND (state <> 5 OR p_id IS NOT NULL OR p_states IS NOT NULL)
                AND (p_id IS NULL OR id = p_id) AND (p_tag IS NULL OR tag = p_tag)
                AND (p_category IS NULL OR category = p_category) AND (p_states IS NULL OR state = ANY (p_states));
            PERFORM @lock(lines);
            UPDATE @request SET due = t WHERE sequence = ANY (found) AND state IN (1, 2);
            GET DIAGNOSTICS n = ROW_COUNT;
            UPDATE @request SET state = CASE WHEN line IS NULL THEN 1 ELSE 2 END, due = t, created = t, attempts = 0,
                rejections = 0, failures = 0, completed = NULL, acknowledged = false, status = NULL, fields = NULL,
                content = NULL WHERE sequence = ANY (found) AND state = 5;
            GET DIAGNOSTICS m = ROW_COUNT;
            PERFORM @arrange(l) FROM unnest(lines) l;
            RETURN n + m;
        END $$;

        CREATE FUNCTION @acknowledge(p_ids text[]) RETURNS bigint LANGUAGE plpgsql AS $$
        DECLARE n bigint; m bigint;
        BEGIN
            DELETE FROM @request WHERE id = ANY (p_ids) AND state = 4;
            GET DIAGNOSTICS n = ROW_COUNT;
            UPDATE @request SET acknowledged = true WHERE id = ANY (p_ids) AND state = 5 AND NOT acknowledged;
            GET DIAGNOSTICS m = ROW_COUNT;
            RETURN n + m;
        END $$;

        CREATE TABLE @version (version integer NOT NULL);

        """#
}
