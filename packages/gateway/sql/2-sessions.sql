-- Which host has which session. A session is where its data folder is; a new one is placed where there is room.

-- Each change of the directory has a number, in the order in which the changes are committed.
CREATE TABLE chat_web.directory (change bigint NOT NULL);
INSERT INTO chat_web.directory VALUES (0);

CREATE TABLE chat_web.sessions (
  id text PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9_-]{1,64}$'),
  -- Absent for a session that was deleted.
  host uuid REFERENCES chat_web.hosts,
  change bigint NOT NULL,
  -- As in GET /sessions; absent until its host has reported it.
  view jsonb CHECK (length(view::text) < 20000)
);
CREATE INDEX ON chat_web.sessions (change);

CREATE FUNCTION chat_web.next_change() RETURNS bigint LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  UPDATE chat_web.directory SET change = change + 1 RETURNING change;
$$;

-- How the other gateways reach the gateway with this epoch.
CREATE FUNCTION chat_web.announce(host uuid, own_epoch bigint, new_address text, new_public_key bytea, new_capacity integer)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE chat_web.hosts h SET address = new_address, public_key = new_public_key, capacity = new_capacity
  WHERE h.id = host AND h.role = session_user AND h.epoch = own_epoch;
  RETURN FOUND;
END $$;

-- Reports sessions of a host: `views` has the view of each by its id, and null for one that was deleted. `is_all`: the
-- host has no others. Returns those that the directory has at another host, which must not run here.
CREATE FUNCTION chat_web.report(own_host uuid, own_epoch bigint, views jsonb, is_all boolean) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  n bigint;
BEGIN
  PERFORM FROM chat_web.hosts h WHERE h.id = own_host AND h.role = session_user AND h.epoch = own_epoch;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'not the gateway of this host' USING ERRCODE = 'insufficient_privilege';
  END IF;
  n := chat_web.next_change();
  UPDATE chat_web.sessions s SET host = NULL, view = NULL, change = n
  WHERE s.host = own_host
    AND (jsonb_typeof(views -> s.id) = 'null' OR (is_all AND NOT views ? s.id AND s.view IS NOT NULL));
  INSERT INTO chat_web.sessions AS s (id, host, change, view)
  SELECT v.key, own_host, n, v.value FROM jsonb_each(views) v WHERE jsonb_typeof(v.value) <> 'null'
  ON CONFLICT (id) DO UPDATE SET host = own_host, change = n, view = excluded.view
  WHERE s.host = own_host OR s.host IS NULL;
  RETURN QUERY SELECT s.id FROM chat_web.sessions s WHERE views ? s.id AND s.host <> own_host;
END $$;

-- The host of a session, which is chosen if it has none: the live one with the largest share of its room left. Returns
-- null if no host has room. Two calls at once get the same host. not_on: hosts that do not answer; a session that was
-- placed there, and has not started yet, gets another.
CREATE FUNCTION chat_web.place(session text, not_on uuid[] DEFAULT '{}') RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  chosen uuid;
  n bigint;
BEGIN
  PERFORM chat_web.require_host();
  SELECT s.host INTO chosen FROM chat_web.sessions s
  WHERE s.id = session AND (s.host <> ALL (not_on) OR s.view IS NOT NULL);
  IF chosen IS NOT NULL THEN
    RETURN chosen;
  END IF;
  n := chat_web.next_change(); -- From here on, one call at a time.
  SELECT h.id INTO chosen FROM chat_web.hosts h
  LEFT JOIN (SELECT s.host, count(*) AS sessions FROM chat_web.sessions s GROUP BY s.host) used ON used.host = h.id
  WHERE h.state = 'live' AND h.beat_at > chat_web.moment() - interval '15 seconds' AND h.address IS NOT NULL
    AND coalesce(used.sessions, 0) < h.capacity AND h.id <> ALL (not_on)
  ORDER BY coalesce(used.sessions, 0)::float / h.capacity, h.name LIMIT 1;
  IF chosen IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO chat_web.sessions AS s (id, host, change) VALUES (session, chosen, n)
  ON CONFLICT (id) DO UPDATE SET host = chosen, change = n, view = NULL
  WHERE s.host IS NULL OR (s.host = ANY (not_on) AND s.view IS NULL);
  SELECT s.host INTO chosen FROM chat_web.sessions s WHERE s.id = session;
  RETURN chosen;
END $$;

-- What has changed in the directory since a change, in order.
CREATE FUNCTION chat_web.sessions_since(last_change bigint)
RETURNS TABLE (id text, host uuid, change bigint, view jsonb)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_host();
  SELECT s.id, s.host, s.change, s.view FROM chat_web.sessions s WHERE s.change > last_change ORDER BY s.change;
$$;

-- The hosts, with how many sessions each has.
CREATE FUNCTION chat_web.list_hosts() RETURNS TABLE (
  id uuid, name text, state text, silent_ms double precision, beat_at timestamptz, is_off boolean, about jsonb,
  address text, public_key bytea, capacity integer, used bigint
)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_host();
  SELECT h.id, h.name, h.state, extract(epoch FROM chat_web.moment() - h.beat_at) * 1000, h.beat_at, h.is_off, h.about,
    h.address, h.public_key, h.capacity, (SELECT count(*) FROM chat_web.sessions s WHERE s.host = h.id)
  FROM chat_web.hosts h ORDER BY h.name;
$$;
