import { randomBytes } from 'node:crypto';
import { tokenHash } from '@chat-web/gateway/tools';

/** `chat-web token`: creates a token, and its hash for the gateway. */

const TOKEN_BYTES = 32;

const token = randomBytes(TOKEN_BYTES).toString('base64url');

process.stdout.write(`The token, for clients of the gateway. Store it like a password; it is shown only now:

  ${token}

  Authorization: Bearer ${token}

Its hash, for the gateway. It gives no access, and may be in an environment, a unit or a file:

  CHAT_WEB_TOKEN=${tokenHash(token)}

Or write sha256:... as the first line of the file of CHAT_WEB_TOKEN_FILE. A change then needs no restart: see "Reloading
settings" in docs/service.md.
`);
