import type { SessionView } from '@chat-web/host';
import type { Reason } from '@chat-web/protocol';

const NOTHING = 'Nothing to do: the gateway restarts it automatically.';
const DOCTOR = 'If it persists, run chat-web doctor on the host: it checks the browser, the page and the account.';

/** What to do about a session that is not ready, by its reason. */
const BY_REASON: Readonly<Record<Reason, string>> = {
  STOPPED: 'Start it when you want it back. Its link is kept.',
  MOVED: 'It runs on another gateway. Delete it here, or take it back if it does not run there (docs/moving.md).',
  REQUESTED: 'Nothing to do: it is being restarted.',
  RECYCLED: 'Nothing to do: it was idle, and is restarted to free memory.',
  QR_TIMEOUT: 'Start it, and scan the QR before CHAT_WEB_QR_TIMEOUT_SECONDS have passed.',
  PASSKEY_REQUIRED:
    'The owner of the account has to follow the instruction above. How to link it on the owner\u2019s computer: docs/linking.md.',
  LOGOUT: 'Link it again: scan the new QR with the phone of the account.',
  CONFLICT: 'The account is in use with the same link somewhere else. End that use, then restart it.',
  CONNECTION_LOST: 'Nothing to do: the page connects again, or is restarted.',
  ACCOUNT_RESTRICTED: 'Check the phone: the network restricts the account, or the address of this host. Then start it.',
  START_REFUSED:
    'The sentence above names what is missing. Free memory or disk space, or close the browser that uses the profile.',
  START_TIMEOUT: NOTHING,
  RECOVERY_FAILED: 'Check the disk of the data folder: the folder of the session could not be moved or removed.',
  BROWSER_NOT_FOUND: 'Install Chromium on the host, or set CHAT_WEB_BROWSER_PATH. Then start it.',
  LAUNCH_FAILED: `The gateway tries again, unless the browser is too old for the profile. ${DOCTOR}`,
  PROXY_FAILED:
    'The gateway tries again. Check the proxy, and start the session with another one if that does not help.',
  BROWSER_EXITED: NOTHING,
  MEMORY_LIMIT: 'The gateway restarts it. If that recurs, raise CHAT_WEB_MEMORY_HARD_MB: the account is large.',
  PAGE_CRASHED: NOTHING,
  PAGE_FAILED: `The gateway tries again. ${DOCTOR}`,
  PAGE_FROZEN: NOTHING,
  PAGE_DEAF: NOTHING,
  PAGE_MUTE: 'The gateway restarts it. If that recurs, check the phone: the account may be restricted.',
  PAGE_OUTDATED: 'Without CHAT_WEB_PAGE_VERSION the newest page is loaded. Remove that setting if it is set.',
  PAGE_UNSUPPORTED: 'The page has changed. Update the gateway, or pin an older page (docs/page-changes.md).',
  HOST_LOST:
    'Check the machine of its host. If it does not come back, continue with its disk elsewhere: docs/hosts.md.',
  WORKER_EXITED: 'The gateway restarts it. If that recurs, check its log.',
  WORKER_UNRESPONSIVE: 'The gateway restarts it. Also check the load of the host.',
  WORKER_PROTOCOL_ERROR: 'Treat it as an attack on this session: see SECURITY.md.',
};

/** What to do about a session, as a sentence; undefined if there is nothing to say. */
export function adviceFor({ status, reason, degraded }: SessionView): string | undefined {
  if (reason) return BY_REASON[reason];
  if (status === 'qr') return 'Scan the QR with the phone of the account: Settings, Linked devices, Link a device.';
  if (status === 'authenticating') return 'Leave the phone on: its chats are loading. This can take some minutes.';
  if (status === 'stopped') return BY_REASON.STOPPED;
  if (degraded && degraded.length > 0)
    return 'It is connected, but some things do not work on this build of the page: they are listed below.';
  return undefined;
}
