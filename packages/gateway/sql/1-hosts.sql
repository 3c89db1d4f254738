-- The hosts of a cluster, and which gateway may run the sessions in a data folder.
--
-- Every function runs with the rights of the schema's owner, and acts only for the host whose role called it: a host
-- that was taken over cannot act for another one.

CREATE TABLE chat_web.hosts (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  name text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$'),
  -- Its role in the database. The only one that may act for it.
  role name NOT NULL UNIQUE,
  -- Where the other gateways reach it: the base URL of its API.
  address text CHECK (length(address) < 500),
  -- The public key, Ed25519 in DER, of what its gateway forwards. A new one for each start.
  public_key bytea,
  -- How many sessions it has room for.
  capacity integer NOT NULL DEFAULT 0,
  -- Counts the claims of its data folder. Only the gateway with the last one may run its sessions.
  epoch bigint NOT NULL DEFAULT 0,
  -- Of the last claim, until the gateway has confirmed that its epoch is on the disk.
  nonce text CHECK (length(nonce) < 200),
  -- `lost`: it was live, and its last beat is more than 30 seconds ago.
  state text NOT NULL DEFAULT 'released' CHECK (state IN ('live', 'released', 'lost')),
  beat_at timestamptz,
  -- While it is lost: the host that has to publish that. NULL once it has.
  herald uuid,
  -- Since when no beat was missing.
  beating_since timestamptz,
  -- The last position of its journal at the last beat: a disk whose journal does not know it is an older copy.
  journal_position text CHECK (length(journal_position) < 200),
  machine_id text CHECK (length(machine_id) < 200),
  boot_id text CHECK (length(boot_id) < 200),
  -- Device and inode of the data folder.
  folder text CHECK (length(folder) < 200),
  -- `exclusive`: the platform attaches it to one machine at a time.
  disk text NOT NULL DEFAULT 'attached' CHECK (disk IN ('attached', 'exclusive')),
  -- An operator has confirmed that its machine is off.
  is_off boolean NOT NULL DEFAULT false,
  -- It gets no sessions, and its gateway moves those that it has to other hosts.
  draining boolean NOT NULL DEFAULT false,
  -- What its gateway says of itself, for GET /hosts.
  about jsonb NOT NULL DEFAULT '{}' CHECK (length(about::text) < 10000)
);

-- A function of its own, so that tests can set the clock.
CREATE FUNCTION chat_web.moment() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT clock_timestamp()';

-- Roles belong to the whole server: one of another cluster must not act here. The owner of the schema may.
CREATE FUNCTION chat_web.require_host() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM chat_web.hosts h WHERE h.role = session_user)
    AND session_user <> (SELECT pg_get_userbyid(n.nspowner) FROM pg_namespace n WHERE n.nspname = 'chat_web') THEN
    RAISE EXCEPTION 'the role does not belong to a host of this cluster' USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;

-- The host of the calling role.
CREATE FUNCTION chat_web.own_host()
RETURNS TABLE (id uuid, name text, epoch bigint, journal_position text, silent_seconds integer)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT h.id, h.name, h.epoch, h.journal_position, extract(epoch FROM chat_web.moment() - h.beat_at)::integer
  FROM chat_web.hosts h WHERE h.role = session_user;
$$;

-- Claims the data folder of a host for a gateway that is about to start on it. Returns one of:
-- `claimed`, with the new epoch: the gateway may start;
-- `unknown_host`: there is no such host, or not for this role;
-- `old_copy`: the folder is not what the last gateway left, so that its sessions would break their links;
-- `newer_than_database`: the folder was claimed more often than the database knows, which has lost claims;
-- `in_use`: the last gateway may still run. Later, or after a confirmation, the claim may succeed;
-- `claimable`, for a trial.
--
-- disk_epoch, new_nonce: what host.json on the disk says. The nonce is written before the claim and stays until its epoch
-- is written, so that a crash between the two can be told from an older copy.
-- known_position: the `journal_position` of the host, if the journal on the disk knows it. watched: for how many seconds
-- the caller has seen that nothing else writes to the folder. is_trial: only tells whether the folder could be claimed,
-- before the journal is opened.
CREATE FUNCTION chat_web.claim(
  host uuid, disk_epoch bigint, new_nonce text, known_position text,
  new_machine_id text, new_boot_id text, new_folder text, new_disk text, watched integer,
  is_trial boolean DEFAULT false
) RETURNS TABLE (outcome text, epoch bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  last chat_web.hosts;
BEGIN
  SELECT * INTO last FROM chat_web.hosts h WHERE h.id = host AND h.role = session_user FOR UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'unknown_host', NULL::bigint;
    RETURN;
  END IF;

  IF disk_epoch > last.epoch THEN
    RETURN QUERY SELECT 'newer_than_database', NULL::bigint;
    RETURN;
  END IF;
  IF (disk_epoch = last.epoch OR new_nonce = last.nonce) IS NOT TRUE
    OR (NOT is_trial AND known_position IS DISTINCT FROM coalesce(last.journal_position, known_position)) THEN
    RETURN QUERY SELECT 'old_copy', NULL::bigint;
    RETURN;
  END IF;

  IF NOT coalesce(
    last.state = 'released'
    -- The lock of the folder has proved that the last gateway is dead.
    OR (last.boot_id = new_boot_id AND last.folder = new_folder)
    -- The machine has restarted since. Its identity is copied with it, so that this is not enough for a live host.
    OR (last.machine_id = new_machine_id AND last.boot_id <> new_boot_id AND last.folder = new_folder
      AND last.beat_at < chat_web.moment() - interval '30 seconds')
    OR last.is_off
    OR (last.disk = 'exclusive' AND last.beat_at < chat_web.moment() - interval '60 seconds' AND watched >= 45),
    false
  ) THEN
    RETURN QUERY SELECT 'in_use', NULL::bigint;
    RETURN;
  END IF;

  IF is_trial THEN
    RETURN QUERY SELECT 'claimable', NULL::bigint;
    RETURN;
  END IF;
  RETURN QUERY UPDATE chat_web.hosts h SET
    epoch = last.epoch + 1, nonce = new_nonce, state = 'live', is_off = false, herald = NULL,
    beat_at = chat_web.moment(), beating_since = chat_web.moment(),
    machine_id = new_machine_id, boot_id = new_boot_id, folder = new_folder, disk = new_disk
  WHERE h.id = host RETURNING 'claimed', h.epoch;
END $$;

-- The gateway with this epoch lives. No row: another one has claimed its folder, so it must kill its browsers. `was_lost`:
-- the others have taken it for lost.
CREATE FUNCTION chat_web.beat(host uuid, own_epoch bigint, new_position text, new_about jsonb)
RETURNS TABLE (was_lost boolean) LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH before AS (
    SELECT h.id, h.state FROM chat_web.hosts h
    WHERE h.id = host AND h.role = session_user AND h.epoch = own_epoch AND h.state <> 'released' FOR UPDATE
  )
  UPDATE chat_web.hosts h SET
    state = 'live', beat_at = chat_web.moment(), nonce = NULL, is_off = false, herald = NULL,
    beating_since = CASE WHEN h.beat_at > chat_web.moment() - interval '15 seconds' THEN h.beating_since
      ELSE chat_web.moment() END,
    journal_position = new_position, about = new_about
  FROM before WHERE h.id = before.id RETURNING before.state = 'lost';
$$;

-- The gateway with this epoch has stopped: none of its browsers runs.
CREATE FUNCTION chat_web.release(host uuid, own_epoch bigint, new_position text)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE chat_web.hosts h SET
    state = 'released', beat_at = chat_web.moment(), nonce = NULL, journal_position = new_position
  WHERE h.id = host AND h.role = session_user AND h.epoch = own_epoch;
  RETURN FOUND;
END $$;

-- Hosts whose last beat is more than 30 seconds ago become `lost`. Only a host whose own beats have all arrived in that
-- time can tell: after an outage of the database, none has. Returns those of which the calling host has to publish that:
-- also after another host that had to is lost itself. `published`: those of which it has.
CREATE FUNCTION chat_web.mark_lost(published uuid[]) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  own chat_web.hosts;
BEGIN
  SELECT * INTO own FROM chat_web.hosts h WHERE h.role = session_user;
  UPDATE chat_web.hosts h SET herald = NULL WHERE h.herald = own.id AND h.id = ANY (published);
  IF own.beating_since < chat_web.moment() - interval '30 seconds' THEN
    UPDATE chat_web.hosts h SET state = 'lost', herald = own.id
    WHERE h.state = 'live' AND h.beat_at < chat_web.moment() - interval '30 seconds';
  END IF;
  UPDATE chat_web.hosts h SET herald = own.id
  WHERE h.state = 'lost' AND h.herald <> own.id
    AND NOT EXISTS (SELECT FROM chat_web.hosts o WHERE o.id = h.herald AND o.state = 'live');
  RETURN QUERY SELECT h.id FROM chat_web.hosts h WHERE h.state = 'lost' AND h.herald = own.id;
END $$;

-- An operator has checked that the machine of a host is off. Holds until the next claim or beat. False for a host whose
-- last beat is less than 30 seconds ago.
CREATE FUNCTION chat_web.confirm_off(host uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM chat_web.require_host();
  UPDATE chat_web.hosts h SET is_off = true
  WHERE h.id = host AND (h.state = 'released' OR h.beat_at < chat_web.moment() - interval '30 seconds');
  RETURN FOUND;
END $$;
