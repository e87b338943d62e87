extension QueueFunctions {
    static let adding = #"""
        CREATE FUNCTION @add(p_id text, p_category text, p_tag text, p_context text, p_collapse text, p_cancels boolean,
            p_priority bigint, p_method text, p_url text, p_origin text, p_head text, p_length bigint, p_rest bytea,
            p_begun bigint, p_pieces integer, p_code text, p_touched boolean, p_journal boolean, p_first boolean,
            p_since bigint, p_again boolean, p_owner text, p_lease bigint, p_requests bigint, p_bytes bigint,
            p_drops boolean, p_now bigint, p_time bigint, p_adder text, OUT placement text, OUT dropped jsonb)
            LANGUAGE plpgsql
            SET plan_cache_mode = force_generic_plan SET enable_sort = off SET jit = off AS $$
        DECLARE
            t bigint; l text := @line(p_category, p_collapse); old @request; isBehind boolean := false;
            same bigint[] := '{}'; same_length bigint := 0; same_touched boolean := false; opposite boolean := false;
            cancelled boolean := false; replaced boolean := false; used bigint := p_begun; n bigint; s bigint;
            why CONSTANT text := 'A later request with the same collapse key replaced it.';
        BEGIN
            dropped := '[]';
            IF l IS NOT NULL THEN PERFORM @lock(ARRAY[l]); END IF;
            t := @now(p_now);
            SELECT * INTO old FROM @request WHERE id = p_id;
            IF FOUND THEN
                -- Where the reply to the first time was lost, this is what it said.
                placement := CASE WHEN NOT p_again OR old.adder IS DISTINCT FROM p_adder THEN 'known'
                    WHEN p_journal AND old.owner IS DISTINCT FROM p_owner THEN 'behind' ELSE 'queued' END;
                UPDATE @request SET adder = NULL WHERE sequence = old.sequence AND adder <> p_adder;
                IF p_begun IS NOT NULL THEN PERFORM @discard(p_begun, p_owner); END IF;
                RETURN;
            END IF;
            IF p_journal AND l IS NOT NULL THEN
                p_first := NOT EXISTS (SELECT FROM @request WHERE line = l AND state IN (1, 2) AND created < t - p_since);
                isBehind := NOT p_first OR EXISTS (SELECT FROM @request WHERE line = l AND state = 3);
                p_journal := NOT isBehind;
            END IF;
            IF NOT p_journal AND p_collapse IS NOT NULL THEN
                SELECT coalesce(array_agg(sequence), '{}'), coalesce(sum(greatest(length, 0)), 0),
                    coalesce(bool_or(touched), false),
                    coalesce(bool_or(p_cancels AND NOT touched AND (method <> p_method OR url <> p_url)), false)
                    INTO same, same_length, same_touched, opposite
                    FROM @request WHERE line = l AND collapse = p_collapse AND state IN (1, 2);
                cancelled := opposite AND NOT (p_first AND p_touched);
                replaced := p_first AND NOT cancelled AND same <> '{}';
            END IF;
            IF NOT cancelled AND NOT replaced THEN
                dropped := @make_room(greatest(p_length, 0) + octet_length(p_head)
                    + coalesce(octet_length(p_context), 0), p_begun, same, same_length, p_requests, p_bytes, p_drops, t);
                IF dropped IS NULL THEN
                    placement := 'full';
                    IF p_begun IS NOT NULL THEN PERFORM @discard(p_begun, p_owner); END IF;
                    RETURN;
                END IF;
            END IF;
            IF NOT replaced THEN
                FOREACH s IN ARRAY same LOOP
                    PERFORM @finish(s, 4, 'queue.collapsed', why, NULL, NULL, NULL, t);
                END LOOP;
            ELSIF p_touched THEN
                UPDATE @request SET touched = true WHERE sequence = ANY (same);
            END IF;
            IF cancelled OR replaced THEN p_length := -1; p_rest := NULL; used := NULL; END IF;
            p_touched := p_touched OR same_touched;
            IF p_first AND l IS NOT NULL THEN
                SELECT min(sequence) - 1 INTO n FROM @request WHERE line = l AND state IN (1, 2);
                IF EXISTS (SELECT FROM @request WHERE sequence = n) THEN n := NULL; END IF;
            END IF;
            IF n IS NULL THEN
                n := nextval('@request_order');
            END IF;
            INSERT INTO @request (sequence, id, state, line, category, tag, collapse, context, priority, method, url, origin,
                    head, length, created, due, touched, journal, owner, lease, adder, code, body)
                VALUES (n, p_id, CASE WHEN p_journal THEN 3 ELSE 1 END, l, p_category, p_tag, p_collapse, p_context,
                    p_priority, p_method, p_url, p_origin, p_head, p_length, t, t, p_touched OR p_journal, p_journal,
                    CASE WHEN p_journal THEN p_owner END, CASE WHEN p_journal THEN @now(p_time) + p_lease END,
                    p_adder, p_code, -used);
            IF used IS NOT NULL THEN
                UPDATE @request SET body = NULL, length = -1 WHERE sequence = used;
                DELETE FROM @request WHERE sequence = used;
            END IF;
            IF octet_length(p_rest) > 0 THEN
                INSERT INTO @piece SELECT coalesce(-used, n), p_pieces + i, substring(p_rest FROM i * 131072 + 1 FOR 131072)
                    FROM generate_series(0, (octet_length(p_rest) - 1) / 131072) i;
            END IF;
            IF cancelled THEN
                PERFORM @finish(n, 4, 'queue.collapsed',
                    'It and a waiting request of its collapse key cancel each other out.', NULL, NULL, NULL, t);
            ELSIF replaced THEN
                PERFORM @finish(n, 4, 'queue.collapsed', why, NULL, NULL, NULL, t);
            END IF;
            IF p_begun IS NOT NULL AND used IS NULL THEN PERFORM @discard(p_begun, p_owner); END IF;
            PERFORM @arrange(l);
            IF NOT p_journal THEN PERFORM pg_notify(trim('"' FROM rtrim('@', '.')), ''); END IF;
            placement := CASE WHEN cancelled THEN 'cancelled' WHEN isBehind THEN 'behind' ELSE 'queued' END;
        END $$;

        -- Requests without a line and with a short body, all in one statement. Returns those that were added; none, and adds
        -- none, if the limits are near.
        CREATE FUNCTION @add_many(p_ids text[], p_tags text[], p_contexts text[], p_priorities bigint[], p_methods text[],
            p_urls text[], p_origins text[], p_heads text[], p_lengths bigint[], p_bodies text[], p_codes text[],
            p_touched boolean[], p_size bigint, p_requests bigint, p_bytes bigint, p_now bigint, p_adder text) RETURNS SETOF text
            LANGUAGE plpgsql
            SET plan_cache_mode = force_generic_plan SET enable_sort = off SET jit = off AS $$
        DECLARE t bigint := @now(p_now);
        BEGIN
            IF (SELECT sum(requests) + cardinality(p_ids) > p_requests OR sum(bytes) + p_size > p_bytes
                    OR sum(outcomes) > p_requests FROM @tally) THEN
                RETURN;
            END IF;
            RETURN QUERY WITH new AS MATERIALIZED (
                SELECT nextval('@request_order') AS sequence, n.*
                FROM unnest(p_ids, p_tags, p_contexts, p_priorities, p_methods, p_urls, p_origins, p_heads, p_lengths,
                    p_bodies, p_codes, p_touched)
                    n(id, tag, context, priority, method, url, origin, head, length, body, code, touched)
                WHERE NOT EXISTS (SELECT FROM @request r WHERE r.id = n.id)
            ), inserted AS (
                INSERT INTO @request (sequence, id, state, tag, context, priority, method, url, origin, head, length,
                        created, due, touched, adder, code)
                    SELECT sequence, id, 1, tag, context, priority, method, url, origin, head, length, t, t, touched,
                        p_adder, code FROM new ON CONFLICT (id) DO NOTHING RETURNING sequence, id
            ), pieces AS (
                INSERT INTO @piece SELECT sequence, 0, decode(body, 'hex') FROM inserted JOIN new USING (sequence)
                    WHERE length > 0
            ) SELECT id FROM inserted;
            UPDATE @request SET adder = NULL WHERE id = ANY (p_ids) AND adder <> p_adder;
            PERFORM pg_notify(trim('"' FROM rtrim('@', '.')), '');
        END $$;

        -- Removes the oldest outcomes beyond the limit.
        CREATE FUNCTION @limit_outcomes(p_requests bigint) RETURNS void LANGUAGE plpgsql AS $$
        DECLARE more bigint := (SELECT sum(outcomes) FROM @tally) - p_requests;
        BEGIN
            IF more > 0 THEN
                DELETE FROM @request WHERE sequence IN (SELECT sequence FROM @request WHERE state = 4 AND NOT acknowledged
                    ORDER BY completed, sequence LIMIT more FOR UPDATE SKIP LOCKED);
            END IF;
        END $$;

        -- Takes what programs have put into the outbox; one process at a time, so that its order is kept.
        CREATE FUNCTION @take_in(p_owner text, p_requests bigint, p_bytes bigint, p_drops boolean) RETURNS integer
            LANGUAGE plpgsql AS $$
        DECLARE o @outbox; p text; origin text; taken integer := 0;
        BEGIN
            IF NOT EXISTS (SELECT FROM @outbox) OR NOT pg_try_advisory_xact_lock(hashtext('@outbox'), 0) THEN
                RETURN 0;
            END IF;
            PERFORM @lock(ARRAY(SELECT @line(category, NULL) FROM (SELECT * FROM @outbox ORDER BY sequence LIMIT 200) b));
            FOR o IN SELECT * FROM @outbox ORDER BY sequence LIMIT 100 FOR UPDATE SKIP LOCKED LOOP
                origin := regexp_replace(lower(substring(o.url FROM '^https?://[^/?#]+')),
                    '^(http://.*):80$|^(https://.*):443$', '\1\2');
                SELECT placement INTO p FROM @add(o.id, o.category, o.tag, o.context, NULL, false, o.priority, o.method,
                    o.url, origin, (SELECT json_build_object('fields', coalesce(json_agg(json_build_array(key,
                        translate(encode(convert_to(value, 'UTF8'), 'base64'), E'\n', ''), false)), '[]'))::text
                        FROM (SELECT key, value FROM jsonb_each_text(o.fields) UNION ALL
                            SELECT 'Idempotency-Key', '"' || gen_random_uuid() || '"'
                            WHERE o.method NOT IN ('GET', 'HEAD', 'OPTIONS', 'TRACE') AND NOT EXISTS (
                                SELECT FROM jsonb_object_keys(o.fields) k WHERE lower(k) = 'idempotency-key')) f),
                    coalesce(octet_length(o.body), -1), o.body, NULL, 0, NULL, false, false, false, NULL, false, p_owner,
                    0, p_requests, p_bytes, p_drops, NULL, NULL, NULL);
                -- What has no room stays, and what comes after it.
                EXIT WHEN p = 'full';
                DELETE FROM @outbox WHERE sequence = o.sequence;
                taken := taken + 1;
            END LOOP;
            RETURN taken;
        END $$;
        """#
}
