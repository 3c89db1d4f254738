-- Which host has which session. A session is where its data folder is.

-- Each change of the directory has a number, in the order in which the changes are committed.
CREATE TABLE chat_web.directory (change bigint NOT NULL);
INSERT INTO chat_web.directory VALUES (0);

CREATE TABLE chat_web.sessions (
  id text PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9_-]{1,64}$'),
  -- Absent for a session that was deleted.
  host uuid REFERENCES chat_web.hosts,
  change bigint NOT NULL,
  -- When its host was chosen. One that has not reported it within 2 minutes has refused it.
  placed_at timestamptz,
  -- As in GET /sessions; absent until its host has reported it.
  view jsonb CHECK (length(view::text) < 200000)
);
CREATE INDEX ON chat_web.sessions (change);

-- False for a session that was placed on a host, and never started there.
CREATE FUNCTION chat_web.is_kept(s chat_web.sessions) RETURNS boolean LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT s.view IS NOT NULL OR s.placed_at > chat_web.moment() - interval '2 minutes';
$$;

-- The gateways listen, and read at once which host has which session; they also read it every second.
CREATE FUNCTION chat_web.ring() RETURNS void LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT pg_notify('chat_web', '');
$$;

CREATE FUNCTION chat_web.next_change() RETURNS bigint LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  UPDATE chat_web.directory SET change = change + 1 RETURNING change;
$$;

-- The host of the calling role. Fails unless its last claim has this epoch.
CREATE FUNCTION chat_web.host_at(own_epoch bigint) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  own uuid;
BEGIN
  SELECT h.id INTO own FROM chat_web.hosts h WHERE h.role = session_user AND h.epoch = own_epoch;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'not the gateway of this host' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN own;
END $$;

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
CREATE FUNCTION chat_web.report(own_epoch bigint, views jsonb, is_all boolean) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  own_host uuid := chat_web.host_at(own_epoch);
  n bigint;
BEGIN
  n := chat_web.next_change();
  -- Not for views alone: those of a busy host change all the time.
  IF is_all OR EXISTS (
    SELECT FROM jsonb_each(views) v LEFT JOIN chat_web.sessions s ON s.id = v.key AND s.host = own_host
    WHERE s.id IS NULL OR jsonb_typeof(v.value) = 'null'
  ) THEN
    PERFORM chat_web.ring();
  END IF;
  UPDATE chat_web.sessions s SET host = NULL, view = NULL, change = n
  WHERE s.host = own_host
    AND (jsonb_typeof(views -> s.id) = 'null' OR (is_all AND NOT views ? s.id AND s.view IS NOT NULL));
  INSERT INTO chat_web.sessions AS s (id, host, change, view)
  SELECT v.key, own_host, n, v.value FROM jsonb_each(views) v WHERE jsonb_typeof(v.value) <> 'null'
  ON CONFLICT (id) DO UPDATE SET host = own_host, change = n, view = excluded.view
  -- A copy that has moved does not bring back a session that was deleted where it went.
  WHERE s.host = own_host OR (s.host IS NULL AND excluded.view ->> 'status' IS DISTINCT FROM 'moved');
  RETURN QUERY SELECT s.id FROM chat_web.sessions s
  WHERE views ? s.id AND jsonb_typeof(views -> s.id) <> 'null' AND s.host <> own_host;
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
  address text, public_key bytea, capacity integer, used bigint, draining boolean
)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_host();
  SELECT h.id, h.name, h.state, extract(epoch FROM chat_web.moment() - h.beat_at) * 1000, h.beat_at, h.is_off, h.about,
    h.address, h.public_key, h.capacity, (SELECT count(*) FROM chat_web.sessions s WHERE s.host = h.id AND chat_web.is_kept(s)),
    h.draining
  FROM chat_web.hosts h ORDER BY h.name;
$$;
