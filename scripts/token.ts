import { randomBytes } from 'node:crypto';
import { hashOf } from '@chat-web/gateway/access/token';

/** `npm run token`: a new token for the gateway, and the hash of it that the gateway needs. */

const TOKEN_BYTES = 32;

const token = randomBytes(TOKEN_BYTES).toString('base64url');

process.stdout.write(`The token, for those who use the gateway. Keep it as a password; it is shown this once:

  ${token}

  Authorization: Bearer ${token}

Its hash, for the gateway. It opens nothing, and may stand in an environment, a unit or a file:

  CHAT_WEB_TOKEN=${hashOf(token)}

Or write sha256:... as the first line of the file that CHAT_WEB_TOKEN_FILE names: after a change, SIGHUP (systemctl
reload chat-web) is enough, and the former token holds for CHAT_WEB_TOKEN_GRACE_SECONDS more.
`);
