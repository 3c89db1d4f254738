import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(import.meta.resolve('@chat-web/gateway/main'));

/** Runs a gateway until it exits by itself. */
export async function runGateway(settings: Readonly<Record<string, string>>) {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [MAIN], { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH, ...settings } });
  const [[code], stdout, stderr] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
