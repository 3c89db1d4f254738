-- The webhooks of all hosts. The gateway of one host at a time delivers them.

CREATE TABLE chat_web.webhooks (
  n bigint GENERATED ALWAYS AS IDENTITY,
  id text PRIMARY KEY CHECK (length(id) < 100),
  -- JSON, with its secrets.
  stored text NOT NULL CHECK (length(stored) < 200000),
  -- JSON: how far it is.
  progress text NOT NULL CHECK (length(progress) < 5000000)
);

-- Events that were given up after the last attempt.
CREATE TABLE chat_web.dead_letters (
  n bigint GENERATED ALWAYS AS IDENTITY,
  webhook text NOT NULL REFERENCES chat_web.webhooks ON DELETE CASCADE,
  event text NOT NULL CHECK (length(event) < 300),
  -- Empty for an event of all sessions.
  session text NOT NULL,
  -- Of the event, in the order of all events; 0 if it is not known.
  place bigint NOT NULL,
  -- JSON.
  letter text NOT NULL CHECK (length(letter) < 20000),
  PRIMARY KEY (webhook, event)
);
CREATE INDEX ON chat_web.dead_letters (session);

-- The host that delivers the webhooks, with the claim of its data folder.
CREATE TABLE chat_web.webhook_duty (
  host uuid,
  epoch bigint NOT NULL,
  -- What was asked in an earlier term is refused.
  term bigint NOT NULL,
  -- How many webhooks were imported.
  imports bigint NOT NULL
);
INSERT INTO chat_web.webhook_duty VALUES (NULL, 0, 0, 0);

-- Whether a host may take over: the one that has the duty is not live.
CREATE FUNCTION chat_web.is_duty_free() RETURNS boolean
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT NOT EXISTS (
    SELECT FROM chat_web.webhook_duty d JOIN chat_web.hosts h ON h.id = d.host AND h.epoch = d.epoch
    WHERE h.state = 'live'
  );
$$;

-- Whether a host may have the duty: it is live, and is not drained while another one is live that is not.
CREATE FUNCTION chat_web.may_deliver(host uuid) RETURNS boolean
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT h.state = 'live' AND NOT (h.draining AND EXISTS (
    SELECT FROM chat_web.hosts o WHERE o.state = 'live' AND NOT o.draining
  )) FROM chat_web.hosts h WHERE h.id = may_deliver.host;
$$;

-- The place of the event of a dead letter, or of the end of a gap; 0 if it is not known. `event`: its id.
CREATE FUNCTION chat_web.place_of(event text) RETURNS bigint
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(CASE
    WHEN id.part[1] = 'log' THEN id.part[2]::bigint
    ELSE (
      SELECT e.n FROM chat_web.events e WHERE e.origin = id.part[1] AND e.seq <= id.part[2]::bigint
      ORDER BY e.seq DESC LIMIT 1
    )
  END, 0)
  FROM (SELECT regexp_match(event, '^([0-9a-z]{1,32})-([0-9]{1,15})(-gap-.*)?$') AS part) AS id;
$$;

-- Which host delivers the webhooks. The calling host, whose last claim has this epoch, takes over if it should.
-- `is_unsure`: it does not know whether the changes have been made that it asked for. Those that have not are refused from
-- now on. `silent_ms`: since the last beat of the calling host. `is_leaving`: it has to stop, and then to leave them.
CREATE FUNCTION chat_web.take_webhooks(own_epoch bigint, is_unsure boolean)
RETURNS TABLE (host uuid, term bigint, imports bigint, silent_ms bigint, is_leaving boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  own uuid := chat_web.host_at(own_epoch);
BEGIN
  IF chat_web.is_duty_free() AND chat_web.may_deliver(own) THEN
    PERFORM FROM chat_web.webhook_duty FOR UPDATE;
    -- The beat of a lost host waits: it must not find that it has the duty still.
    PERFORM FROM chat_web.hosts h JOIN chat_web.webhook_duty d ON d.host = h.id FOR SHARE OF h;
    IF chat_web.is_duty_free() THEN
      PERFORM chat_web.ring();
      UPDATE chat_web.webhook_duty d SET host = own, epoch = own_epoch, term = d.term + 1;
    END IF;
  ELSIF is_unsure THEN
    UPDATE chat_web.webhook_duty d SET term = d.term + 1 WHERE d.host = own AND d.epoch = own_epoch;
  END IF;
  RETURN QUERY SELECT d.host, d.term, d.imports,
    (SELECT (extract(epoch FROM chat_web.moment() - h.beat_at) * 1000)::bigint FROM chat_web.hosts h WHERE h.id = own),
    d.host = own AND d.epoch = own_epoch AND NOT chat_web.may_deliver(own)
  FROM chat_web.webhook_duty d;
END $$;

-- Fails unless the calling host delivers the webhooks, in this term, and its gateway knows of the last promotion of a
-- standby, which may lack events: then it must read everything again. Until the end of the transaction, no other host
-- takes over.
CREATE FUNCTION chat_web.require_duty(own_epoch bigint, own_term bigint, known_timeline text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  own uuid := chat_web.host_at(own_epoch);
BEGIN
  PERFORM FROM chat_web.webhook_duty d
  WHERE d.host = own AND d.epoch = own_epoch AND d.term = own_term AND chat_web.timeline() = known_timeline FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the webhooks have to be read again' USING ERRCODE = 'CW001';
  END IF;
END $$;

CREATE FUNCTION chat_web.list_webhooks(own_epoch bigint, own_term bigint, known_timeline text)
RETURNS TABLE (id text, stored text, progress text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_duty(own_epoch, own_term, known_timeline);
  SELECT w.id, w.stored, w.progress FROM chat_web.webhooks w ORDER BY w.n;
$$;

CREATE FUNCTION chat_web.list_dead_letters(own_epoch bigint, own_term bigint, known_timeline text, of_webhook text)
RETURNS TABLE (session text, place bigint, letter text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_duty(own_epoch, own_term, known_timeline);
  SELECT l.session, l.place, l.letter FROM chat_web.dead_letters l WHERE l.webhook = of_webhook ORDER BY l.n;
$$;

-- Stores a webhook; without progress, that of one that exists stays.
CREATE FUNCTION chat_web.put_webhook(
  own_epoch bigint, own_term bigint, known_timeline text, webhook text, new_stored text, new_progress text
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM chat_web.require_duty(own_epoch, own_term, known_timeline);
  IF new_progress IS NULL THEN
    UPDATE chat_web.webhooks SET stored = new_stored WHERE id = webhook;
    IF NOT FOUND THEN RAISE EXCEPTION 'the webhooks have to be read again' USING ERRCODE = 'CW001'; END IF;
  ELSE
    INSERT INTO chat_web.webhooks (id, stored, progress) VALUES (webhook, new_stored, new_progress)
    ON CONFLICT (id) DO UPDATE SET stored = excluded.stored, progress = excluded.progress; -- Asked twice.
  END IF;
END $$;

CREATE FUNCTION chat_web.remove_webhook(own_epoch bigint, own_term bigint, known_timeline text, webhook text)
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_duty(own_epoch, own_term, known_timeline);
  DELETE FROM chat_web.webhooks WHERE id = webhook;
$$;

CREATE FUNCTION chat_web.save_progress(
  own_epoch bigint, own_term bigint, known_timeline text, webhook text, new_progress text
) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_duty(own_epoch, own_term, known_timeline);
  UPDATE chat_web.webhooks SET progress = new_progress WHERE id = webhook;
$$;

-- Adds a dead letter: of each webhook, the last 1,000 are kept. Those of deleted sessions: see `purge_forgotten`.
CREATE FUNCTION chat_web.add_dead_letter(
  own_epoch bigint, own_term bigint, known_timeline text,
  of_webhook text, of_event text, of_session text, new_letter text
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM chat_web.require_duty(own_epoch, own_term, known_timeline);
  INSERT INTO chat_web.dead_letters (webhook, event, session, place, letter)
  SELECT w.id, of_event, of_session, chat_web.place_of(of_event), new_letter FROM chat_web.webhooks w WHERE w.id = of_webhook
  ON CONFLICT (webhook, event) DO UPDATE SET letter = excluded.letter;
  DELETE FROM chat_web.dead_letters l WHERE l.webhook = of_webhook AND l.n <= (
    SELECT o.n FROM chat_web.dead_letters o WHERE o.webhook = of_webhook ORDER BY o.n DESC OFFSET 1000 LIMIT 1
  );
END $$;

CREATE FUNCTION chat_web.remove_dead_letter(
  own_epoch bigint, own_term bigint, known_timeline text, of_webhook text, of_event text
) RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_duty(own_epoch, own_term, known_timeline);
  DELETE FROM chat_web.dead_letters WHERE webhook = of_webhook AND event = of_event;
$$;

-- The calling host does not deliver the webhooks any more.
CREATE FUNCTION chat_web.leave_webhooks(own_epoch bigint) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE chat_web.webhook_duty SET host = NULL WHERE host = chat_web.host_at(own_epoch);
$$;

CREATE FUNCTION chat_web.webhook_host() RETURNS uuid
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_host();
  SELECT host FROM chat_web.webhook_duty;
$$;

-- Of webhooks that hosts had before they joined: one that was removed since is not added again.
CREATE TABLE chat_web.imported_webhooks (id text PRIMARY KEY);

-- The place after which events follow that were after an id in its journal, which is in the log up to its end.
CREATE FUNCTION chat_web.find_next(of_origin text, of_seq bigint) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_host();
  SELECT coalesce(
    (SELECT e.n - 1 FROM chat_web.events e WHERE e.origin = of_origin AND e.seq > of_seq ORDER BY e.seq LIMIT 1),
    (SELECT h.n FROM chat_web.log_head h)
  );
$$;

-- Adds a webhook that a host had before it joined, once, with its dead letters: `events`, `sessions` and `letters` of
-- each. The gateway that delivers the webhooks reads them again.
CREATE FUNCTION chat_web.import_webhook(
  own_epoch bigint, webhook text, new_stored text, new_progress text, events text[], sessions text[], letters text[]
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM chat_web.host_at(own_epoch);
  INSERT INTO chat_web.imported_webhooks (id) VALUES (webhook) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN RETURN; END IF;
  INSERT INTO chat_web.webhooks (id, stored, progress) VALUES (webhook, new_stored, new_progress);
  UPDATE chat_web.webhook_duty SET imports = imports + 1;
  INSERT INTO chat_web.dead_letters (webhook, event, session, place, letter)
  SELECT webhook, row.event, row.session, chat_web.place_of(row.event), row.letter
  FROM unnest(events, sessions, letters) AS row (event, session, letter)
  ON CONFLICT DO NOTHING;
END $$;
