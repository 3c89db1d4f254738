-- The events of all hosts, in one order. Each host copies them from its journal, which stays the first store.

-- The end of the order. Whoever appends holds this row until its events are committed, so that a number is never seen
-- before a lower one.
CREATE TABLE chat_web.log_head (
  n bigint NOT NULL,
  -- Up to here, rows have a partition.
  room bigint NOT NULL,
  -- Of the server that appended last. Another one: a standby was promoted, which may lack the last events.
  timeline text NOT NULL,
  -- The number before the first one of this timeline.
  timeline_after bigint NOT NULL
);
INSERT INTO chat_web.log_head VALUES (0, 0, '', 0);

CREATE TABLE chat_web.events (
  n bigint NOT NULL,
  -- The id of an event is `<origin>-<seq>`: the epoch of a journal, and its place there.
  origin text NOT NULL CHECK (origin ~ '^[0-9a-z]{1,32}$'),
  seq bigint NOT NULL CHECK (seq BETWEEN 1 AND 999999999999999),
  -- When it happened: Unix time in ms.
  at bigint NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000),
  -- Empty for a gap of a whole journal.
  session text NOT NULL CHECK (length(session) < 300 AND (session <> '' OR name = 'gap')),
  -- Empty: it was deleted with its session. NULL: here, the session was deleted, with its events up to here.
  name text CHECK (name ~ '^[a-z_]{0,40}$'),
  -- JSON.
  data text NOT NULL CHECK (length(data) < 10000000 AND strpos(data, E'\n') = 0 AND strpos(data, E'\r') = 0),
  -- When it was added: the same, on the clock of the database.
  added_at bigint NOT NULL DEFAULT extract(epoch FROM clock_timestamp()) * 1000
) PARTITION BY RANGE (n);
CREATE INDEX events_n ON chat_web.events (n);
CREATE INDEX events_of_session ON chat_web.events (session, n);
CREATE INDEX events_by_id ON chat_web.events (origin, seq);

-- Deleted sessions whose events are still in the table: those before a number are not shown.
CREATE TABLE chat_web.forgotten (session text PRIMARY KEY, n bigint NOT NULL);

-- Up to which seq the journal of the host is in the log.
ALTER TABLE chat_web.hosts ADD COLUMN shipped bigint NOT NULL DEFAULT 0;

CREATE FUNCTION chat_web.timeline() RETURNS text LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8);
$$;

-- Partitions of 100,000 events; the next ones are created before they are needed.
CREATE FUNCTION chat_web.make_room(upto bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  first bigint;
BEGIN
  SELECT h.room INTO first FROM chat_web.log_head h FOR UPDATE;
  WHILE first < upto LOOP
    EXECUTE format('CREATE TABLE chat_web.events_%s PARTITION OF chat_web.events FOR VALUES FROM (%s) TO (%s)',
      first / 100000, first + 1, first + 100001);
    first := first + 100000;
  END LOOP;
  UPDATE chat_web.log_head SET room = first;
END $$;

-- Appends the events of a host's journal after one seq, up to another, and hides those of deleted sessions. `lines`: the
-- data of each, on a line. Returns up to which seq the journal is in the log now: `upto`; another one if `after` is not the
-- end of what is; NULL for another host, or if another gateway has claimed the folder. `last`: the number of the last event,
-- if they were appended.
CREATE FUNCTION chat_web.ship(
  host uuid, own_epoch bigint, after bigint, upto bigint,
  origins text[], seqs bigint[], ats bigint[], sessions text[], names text[], lines text
) RETURNS TABLE (shipped bigint, last bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  known bigint;
  head chat_web.log_head;
  here text := chat_web.timeline();
  count integer := cardinality(seqs);
  has_deletions boolean := array_position(names, NULL) IS NOT NULL;
  foreign_sessions text[] := '{}';
BEGIN
  SELECT h.shipped INTO known FROM chat_web.hosts h
  WHERE h.id = host AND h.role = session_user AND h.epoch = own_epoch FOR UPDATE;
  IF known IS DISTINCT FROM after THEN
    RETURN QUERY SELECT known, NULL::bigint;
    RETURN;
  END IF;
  UPDATE chat_web.hosts h SET shipped = upto WHERE h.id = ship.host;
  IF count = 0 THEN
    RETURN QUERY SELECT upto, NULL::bigint;
    RETURN;
  END IF;

  -- A session that another host has is not deleted from here.
  IF has_deletions THEN
    foreign_sessions := ARRAY(SELECT s.id FROM chat_web.sessions s WHERE s.id = ANY (sessions) AND s.host <> ship.host);
  END IF;
  SELECT * INTO head FROM chat_web.log_head FOR UPDATE;
  IF head.n + count > head.room THEN PERFORM chat_web.make_room(head.n + count); END IF;
  UPDATE chat_web.log_head SET n = head.n + count, timeline = here,
    timeline_after = CASE WHEN timeline = here THEN timeline_after ELSE head.n END;
  INSERT INTO chat_web.events (n, origin, seq, at, session, name, data)
  SELECT head.n + row.place, row.origin, row.seq, row.at, row.session,
    CASE WHEN row.name IS NULL AND row.session = ANY (foreign_sessions) THEN '' ELSE row.name END, coalesce(row.data, '')
  FROM unnest(origins, seqs, ats, sessions, names, string_to_array(lines, E'\n')) WITH ORDINALITY
    AS row (origin, seq, at, session, name, data, place);
  IF has_deletions THEN
    INSERT INTO chat_web.forgotten AS f (session, n)
    SELECT row.session, max(head.n + row.place) FROM unnest(sessions, names) WITH ORDINALITY AS row (session, name, place)
    WHERE row.name IS NULL AND row.session <> ALL (foreign_sessions)
    GROUP BY row.session
    ON CONFLICT (session) DO UPDATE SET n = greatest(f.n, excluded.n);
  END IF;
  PERFORM pg_notify('chat_web_log', (head.n + count) || ' ' || host);
  RETURN QUERY SELECT upto, head.n + count;
END $$;

-- Up to which seq the journal of the calling host is in the log.
CREATE FUNCTION chat_web.shipped() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT shipped FROM chat_web.hosts WHERE role = session_user;
$$;

-- The ends of the log. `oldest`: the number before the first event that is kept.
CREATE FUNCTION chat_web.log_ends() RETURNS TABLE (newest bigint, oldest bigint, timeline text, timeline_after bigint)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_host();
  SELECT h.n, coalesce((SELECT min(e.n) - 1 FROM chat_web.events e), h.n),
    -- Nothing was appended since a standby was promoted.
    chat_web.timeline(), CASE WHEN h.timeline = chat_web.timeline() THEN h.timeline_after ELSE h.n END
  FROM chat_web.log_head h;
$$;

-- The events after a number, in order: those of one session, or of all. About 1 MB at most, but at least one.
CREATE FUNCTION chat_web.read_events(after bigint, most integer, only_session text)
RETURNS TABLE (n bigint, origin text, seq bigint, at bigint, session text, name text, data text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM chat_web.require_host();
  RETURN QUERY
  WITH found AS (
    SELECT e.* FROM chat_web.events e
    WHERE e.n > after AND (only_session IS NULL OR e.session IN (only_session, ''))
    ORDER BY e.n LIMIT least(most, 1000)
  ), measured AS (
    SELECT f.*, sum(length(f.data)) OVER (ORDER BY f.n) - length(f.data) AS before FROM found f
  )
  SELECT m.n, m.origin, m.seq, m.at, m.session,
    CASE WHEN m.n < g.n AND m.name IS NOT NULL THEN '' ELSE m.name END,
    CASE WHEN m.n < g.n THEN '' ELSE m.data END
  FROM measured m LEFT JOIN chat_web.forgotten g ON g.session = m.session
  WHERE m.before < 1000000 ORDER BY m.n;
END $$;

-- Where to read on after an id: its number, or that of the event that was before it in its journal. NULL if neither is
-- kept; `is_expired`: events of its journal that followed it are.
CREATE FUNCTION chat_web.find_event(of_origin text, of_seq bigint)
RETURNS TABLE (n bigint, is_expired boolean)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_host();
  SELECT
    (SELECT e.n FROM chat_web.events e WHERE e.origin = of_origin AND e.seq <= of_seq ORDER BY e.seq DESC LIMIT 1),
    EXISTS (SELECT FROM chat_web.events e WHERE e.origin = of_origin AND e.seq > of_seq);
$$;

-- The parts of the table, the oldest first.
CREATE FUNCTION chat_web.parts() RETURNS TABLE (name regclass, ends_at bigint, bytes bigint)
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.oid::regclass, (substring(c.relname FROM '[0-9]+$')::bigint + 1) * 100000, pg_total_relation_size(c.oid)
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'chat_web.events'::regclass ORDER BY 2;
$$;

-- The number before the first event later than a time.
CREATE FUNCTION chat_web.find_time(since bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  part record;
  found bigint;
BEGIN
  PERFORM chat_web.require_host();
  FOR part IN SELECT * FROM chat_web.parts() LOOP
    -- Events are added after they have happened.
    EXECUTE format('SELECT added_at FROM %s ORDER BY n DESC LIMIT 1', part.name) INTO found;
    CONTINUE WHEN found IS NULL OR found <= since;
    EXECUTE format('SELECT min(n) - 1 FROM %s WHERE at > $1', part.name) INTO found USING since;
    IF found IS NOT NULL THEN RETURN found; END IF;
  END LOOP;
  RETURN (SELECT h.n FROM chat_web.log_head h);
END $$;

-- Creates the next part, and drops the oldest one if its events were all added before an age (in ms), or if all parts
-- exceed the size. One gateway at a time. Returns whether one was dropped.
CREATE FUNCTION chat_web.tend_log(max_bytes bigint, max_age bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  head bigint;
  part record;
  newest bigint;
BEGIN
  PERFORM chat_web.require_host();
  IF NOT pg_try_advisory_xact_lock(7242417932) THEN RETURN false; END IF;
  SELECT h.n INTO head FROM chat_web.log_head h;
  PERFORM chat_web.make_room(head + 100000);
  SELECT * INTO part FROM chat_web.parts() LIMIT 1;
  IF part.ends_at > head THEN RETURN false; END IF;
  EXECUTE format('SELECT added_at FROM %s ORDER BY n DESC LIMIT 1', part.name) INTO newest;
  IF (SELECT sum(p.bytes) FROM chat_web.parts() p) <= max_bytes
    AND newest >= extract(epoch FROM chat_web.moment()) * 1000 - max_age THEN RETURN false; END IF;
  EXECUTE format('DROP TABLE %s', part.name);
  RETURN true;
END $$;

-- Empties some events of deleted sessions: their places stay, so that readers find them. Also removes their dead letters.
-- Returns whether there may be more.
CREATE FUNCTION chat_web.purge_forgotten() RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  gone chat_web.forgotten;
  emptied integer;
BEGIN
  PERFORM chat_web.require_host();
  IF NOT pg_try_advisory_xact_lock(7242417933) THEN RETURN false; END IF;
  SELECT * INTO gone FROM chat_web.forgotten LIMIT 1 FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE chat_web.events e SET name = '', data = '' FROM (
    SELECT x.n FROM chat_web.events x WHERE x.session = gone.session AND x.n < gone.n AND x.name <> '' LIMIT 500
  ) AS picked WHERE e.n = picked.n AND e.session = gone.session;
  GET DIAGNOSTICS emptied = ROW_COUNT;
  DELETE FROM chat_web.dead_letters l WHERE l.session = gone.session AND l.place < gone.n;
  IF emptied = 0 THEN DELETE FROM chat_web.forgotten f WHERE f.session = gone.session; END IF;
  RETURN true;
END $$;
