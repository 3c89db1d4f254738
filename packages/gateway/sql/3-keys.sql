-- The keys of the API, which each gateway of the cluster accepts. Only hashes of keys are stored.

CREATE TABLE chat_web.keys (
  id text PRIMARY KEY,
  stored jsonb NOT NULL CHECK (length(stored::text) < 100000)
);
-- Counts the changes of the keys.
ALTER TABLE chat_web.directory ADD COLUMN keys_change bigint NOT NULL DEFAULT 0;

CREATE FUNCTION chat_web.keys_change() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_host();
  SELECT keys_change FROM chat_web.directory;
$$;

CREATE FUNCTION chat_web.list_keys() RETURNS SETOF jsonb
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_host();
  SELECT stored FROM chat_web.keys ORDER BY stored ->> 'createdAt', id;
$$;

-- A key that exists stays as it is.
CREATE FUNCTION chat_web.add_key(key jsonb) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_host();
  SELECT chat_web.ring();
  UPDATE chat_web.directory SET keys_change = keys_change + 1;
  INSERT INTO chat_web.keys (id, stored) VALUES (key ->> 'id', key) ON CONFLICT (id) DO NOTHING;
$$;

CREATE FUNCTION chat_web.remove_key(key_id text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT chat_web.require_host();
  SELECT chat_web.ring();
  UPDATE chat_web.directory SET keys_change = keys_change + 1;
  DELETE FROM chat_web.keys WHERE id = key_id;
$$;
