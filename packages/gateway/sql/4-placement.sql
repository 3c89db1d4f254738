-- Where a session goes: a new one is placed where there is room, and one that a host has can be moved to another.

CREATE TABLE chat_web.moves (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  session text NOT NULL,
  source uuid NOT NULL REFERENCES chat_web.hosts ON DELETE CASCADE,
  -- Null for a host that was removed.
  target uuid REFERENCES chat_web.hosts ON DELETE SET NULL,
  -- `asked`, `moving`, and then either `done`, or `cancelling`, until the source has taken the session back, and
  -- `cancelled`.
  state text NOT NULL DEFAULT 'asked' CHECK (state IN ('asked', 'moving', 'done', 'cancelling', 'cancelled')),
  -- False for a session that was stopped, and stays so.
  starts boolean NOT NULL,
  asked_at timestamptz NOT NULL DEFAULT chat_web.moment(),
  ended_at timestamptz,
  -- Why it was cancelled.
  message text
);
-- One at a time.
CREATE UNIQUE INDEX moves_open ON chat_web.moves (session) WHERE ended_at IS NULL;
CREATE INDEX ON chat_web.moves (ended_at);

-- Rooms that are taken: by sessions, and by those that are about to arrive.
CREATE FUNCTION chat_web.taken(host uuid) RETURNS bigint LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT (SELECT count(*) FROM chat_web.sessions s WHERE s.host = taken.host AND chat_web.is_kept(s))
    + (SELECT count(*) FROM chat_web.moves m WHERE m.target = taken.host AND m.state IN ('asked', 'moving'));
$$;

-- The live host that has the largest share of its room left; null if none has room.
CREATE FUNCTION chat_web.roomiest(not_on uuid[]) RETURNS uuid LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT h.id FROM chat_web.hosts h, LATERAL (SELECT chat_web.taken(h.id) AS taken) t
  WHERE h.state = 'live' AND h.beat_at > chat_web.moment() - interval '15 seconds' AND h.address IS NOT NULL
    AND NOT h.draining AND t.taken < h.capacity AND h.id <> ALL (not_on)
  ORDER BY t.taken::float / h.capacity, h.name LIMIT 1;
$$;

-- The host of a session; null if it has none, or has not started yet on one of not_on.
CREATE FUNCTION chat_web.host_of(session text, not_on uuid[]) RETURNS uuid LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT s.host FROM chat_web.sessions s
  WHERE s.id = session AND chat_web.is_kept(s) AND (s.host <> ALL (not_on) OR s.view IS NOT NULL);
$$;

-- The host of a session, which is chosen if it has none. Returns null if no host has room. Two calls at once get the same
-- host. not_on: hosts that do not answer; a session that was placed there, and has not started yet, gets another.
-- wanted: the id or the name of a host, instead of the roomiest.
CREATE FUNCTION chat_web.place(session text, not_on uuid[] DEFAULT '{}', wanted text DEFAULT NULL) RETURNS uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  chosen uuid;
  n bigint;
BEGIN
  PERFORM chat_web.require_host();
  chosen := chat_web.host_of(session, not_on);
  IF chosen IS NOT NULL THEN
    RETURN chosen;
  END IF;
  n := chat_web.next_change(); -- From here on, one call at a time.
  chosen := chat_web.host_of(session, not_on); -- Another call may have been quicker, and taken the last room.
  IF chosen IS NOT NULL THEN
    RETURN chosen;
  END IF;
  PERFORM chat_web.ring();
  chosen := chat_web.roomiest(CASE WHEN wanted IS NULL THEN not_on ELSE not_on || chat_web.others(wanted) END);
  IF chosen IS NULL THEN
    RETURN NULL;
  END IF;
  INSERT INTO chat_web.sessions AS s (id, host, change, placed_at) VALUES (session, chosen, n, chat_web.moment())
  ON CONFLICT (id) DO UPDATE SET host = chosen, change = n, view = NULL, placed_at = chat_web.moment()
  WHERE s.host IS NULL OR NOT chat_web.is_kept(s) OR (s.host = ANY (not_on) AND s.view IS NULL);
  SELECT s.host INTO chosen FROM chat_web.sessions s WHERE s.id = session;
  RETURN chosen;
END $$;

-- All hosts except the one with this id or name.
CREATE FUNCTION chat_web.others(host text) RETURNS uuid[] LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(array_agg(h.id), '{}') FROM chat_web.hosts h WHERE h.id::text <> host AND h.name <> host;
$$;

-- Asks for a move, to the host with this id or name, or to the roomiest. Returns one of: `asked`; `moving`, with the move
-- of the session that is not finished; `unknown_session`; `is_moved`, for one that was exported; `unknown_host`;
-- `is_there`; `no_room`.
CREATE FUNCTION chat_web.ask_move(moved text, wanted text) RETURNS TABLE (outcome text, move bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  source uuid;
  target uuid;
  status text;
  open_move bigint;
BEGIN
  PERFORM chat_web.require_host();
  PERFORM chat_web.next_change(); -- From here on, one call at a time.
  PERFORM chat_web.ring();
  SELECT s.host, s.view ->> 'status' INTO source, status FROM chat_web.sessions s WHERE s.id = moved AND s.view IS NOT NULL;
  IF source IS NULL THEN
    RETURN QUERY SELECT 'unknown_session', NULL::bigint;
    RETURN;
  END IF;
  SELECT m.id INTO open_move FROM chat_web.moves m WHERE m.session = moved AND m.ended_at IS NULL;
  IF FOUND THEN
    RETURN QUERY SELECT 'moving', open_move;
    RETURN;
  END IF;
  IF status = 'moved' THEN -- It may run outside of the cluster.
    RETURN QUERY SELECT 'is_moved', NULL::bigint;
    RETURN;
  END IF;
  IF wanted IS NOT NULL AND NOT EXISTS (SELECT FROM chat_web.hosts h WHERE h.id::text = wanted OR h.name = wanted) THEN
    RETURN QUERY SELECT 'unknown_host', NULL::bigint;
    RETURN;
  END IF;
  IF wanted IS NOT NULL AND source <> ALL (chat_web.others(wanted)) THEN
    RETURN QUERY SELECT 'is_there', NULL::bigint;
    RETURN;
  END IF;
  target := chat_web.roomiest(
    CASE WHEN wanted IS NULL THEN ARRAY[source] ELSE source || chat_web.others(wanted) END
  );
  IF target IS NULL THEN
    RETURN QUERY SELECT 'no_room', NULL::bigint;
    RETURN;
  END IF;
  DELETE FROM chat_web.moves m WHERE m.ended_at < chat_web.moment() - interval '7 days';
  RETURN QUERY INSERT INTO chat_web.moves (session, source, target, starts) VALUES (moved, source, target, status <> 'stopped')
    RETURNING 'asked', id;
END $$;

-- The target begins with a move, or continues after a restart. False if the move has ended.
CREATE FUNCTION chat_web.begin_move(move bigint, own_epoch bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE chat_web.moves m SET state = 'moving'
  WHERE m.id = move AND m.target = chat_web.host_at(own_epoch) AND m.state IN ('asked', 'moving');
  RETURN FOUND;
END $$;

-- The session is complete on the target. If true, it belongs to the target now, and may start; if false, it never will.
CREATE FUNCTION chat_web.commit_move(move bigint, own_epoch bigint) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  n bigint := chat_web.next_change(); -- From here on, one call at a time.
  m chat_web.moves;
BEGIN
  PERFORM chat_web.ring();
  SELECT * INTO m FROM chat_web.moves WHERE id = move AND target = chat_web.host_at(own_epoch) FOR UPDATE;
  IF m.state = 'done' THEN
    RETURN true; -- The answer was lost.
  END IF;
  IF m.state IS DISTINCT FROM 'moving' THEN
    RETURN false;
  END IF;
  UPDATE chat_web.sessions s SET host = m.target, change = n, view = jsonb_set(s.view, '{status}', '"starting"')
  WHERE s.id = m.session AND s.host = m.source;
  IF NOT FOUND THEN
    UPDATE chat_web.moves SET state = 'cancelled', ended_at = chat_web.moment(), message = 'the session was deleted'
    WHERE id = move;
    RETURN false;
  END IF;
  UPDATE chat_web.moves SET state = 'done', ended_at = chat_web.moment() WHERE id = move;
  RETURN true;
END $$;

-- Source or target give up a move. The session stays on the source, which takes it back if it has stopped it.
CREATE FUNCTION chat_web.cancel_move(move bigint, own_epoch bigint, why text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.ring();
  UPDATE chat_web.moves m SET state = 'cancelling', message = left(why, 500)
  WHERE m.id = move AND chat_web.host_at(own_epoch) IN (m.source, m.target) AND m.state IN ('asked', 'moving');
$$;

-- The source has taken the session back, or never stopped it.
CREATE FUNCTION chat_web.end_move(move bigint, own_epoch bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE chat_web.moves m SET state = 'cancelled', ended_at = chat_web.moment()
  WHERE m.id = move AND m.source = chat_web.host_at(own_epoch) AND m.state = 'cancelling';
$$;

-- Moves that are not finished, and, if `with_ended`, those of the last day: at most 1,000, the last first.
CREATE FUNCTION chat_web.list_moves(with_ended boolean) RETURNS SETOF chat_web.moves
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_host();
  SELECT * FROM chat_web.moves m
  WHERE m.ended_at IS NULL OR (with_ended AND m.ended_at > chat_web.moment() - interval '1 day')
  ORDER BY m.ended_at IS NULL DESC, m.id DESC LIMIT 1000;
$$;

-- Begins or ends a drain. False for an unknown host.
CREATE FUNCTION chat_web.drain(host uuid, is_draining boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM chat_web.require_host();
  UPDATE chat_web.hosts h SET draining = is_draining WHERE h.id = host;
  RETURN FOUND;
END $$;

-- Removes a host whose disk is gone, with its sessions. False for one that is unknown, or live.
CREATE FUNCTION chat_web.remove_host(host uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  n bigint;
BEGIN
  PERFORM chat_web.require_host();
  n := chat_web.next_change();
  PERFORM chat_web.ring();
  PERFORM FROM chat_web.hosts h WHERE h.id = remove_host.host
    AND (h.state <> 'live' OR NOT EXISTS (
      -- No host runs that could find that it is lost.
      SELECT FROM chat_web.hosts o WHERE o.beat_at > chat_web.moment() - interval '30 seconds'
    )) FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE chat_web.sessions s SET host = NULL, view = NULL, change = n WHERE s.host = remove_host.host;
  UPDATE chat_web.moves m SET state = 'cancelling', message = 'its target was removed'
  WHERE m.target = remove_host.host AND m.state IN ('asked', 'moving');
  DELETE FROM chat_web.hosts h WHERE h.id = remove_host.host;
  RETURN true;
END $$;
