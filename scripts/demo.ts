import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runDemo } from './demo-steps.ts';
import { interruption } from './interruption.ts';

/** `npm run demo`: links an account and exchanges two messages on the simulator, then keeps running. */

const USAGE = `Usage: npm run demo [-- --once] [-- --port 3000]

Starts the simulator and a gateway, prints the addresses of their pages, links an account by QR, sends a text and
receives a reply.
  --once    exit after that: code 0 if every step passed, otherwise 1 and the step's name
  --port    the gateway's port (CHAT_WEB_PORT, else 3000; 0 picks a free one)
`;

const { once, port, help } = flags();
if (help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const dataDir = mkdtempSync(join(tmpdir(), 'chat-web-demo-'));
const interrupted = interruption();

try {
  await runDemo({ dataDir, port, once, signal: interrupted.signal });
} catch (error) {
  process.exitCode = 1;
  if (!interrupted.signal.aborted) {
    console.error(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`);
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
}
process.exit();

function flags() {
  try {
    const options = {
      once: { type: 'boolean', default: false },
      port: { type: 'string', default: process.env.CHAT_WEB_PORT ?? '3000' },
      help: { type: 'boolean', short: 'h', default: false },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exit(64);
  }
}
