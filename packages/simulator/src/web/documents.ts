import { readdir, readFile } from 'node:fs/promises';
import encodeQR from 'qr';
import type { PageSettings } from '../page/wire.ts';

export interface Document {
  readonly type: string;
  readonly body: string;
}

/** Requests under this path are never answered. */
export const PENDING_PATH = '/pending.png';

const folder = new URL('.', import.meta.resolve('#simulator/page/main.js'));

/** The scripts of the page by their path, read once. */
export async function readScripts(): Promise<Map<string, string>> {
  const names = await readdir(folder, { recursive: true });
  const scripts = names.filter((name) => name.endsWith('.js'));
  const entries = scripts.map(async (name): Promise<[string, string]> => {
    const text = await readFile(new URL(name, folder), 'utf8');
    return [`/page/${name}`, text.replace(/^\/\/# sourceMappingURL=.*$/m, '')];
  });
  return new Map(await Promise.all(entries));
}

/** The page itself. It lists all its scripts, so that none waits for another to import it. */
export function renderPage(settings: PageSettings, scripts: Iterable<string>): Document {
  const pending = settings.fault === 'image' ? `<img src="${PENDING_PATH}" alt="" hidden>` : '';
  const preloads = [...scripts].map((path) => `<link rel="modulepreload" href="${path}">`).join('\n');
  const json = JSON.stringify(settings).replaceAll('<', '\\u003c');
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>WhatsApp Web (simulated)</title>
<link rel="icon" href="data:,">
<style>
  body { font-family: sans-serif; margin: 2rem; background: #fff }
  img { width: 20rem; height: 20rem }
</style>
<script type="application/json" id="page-settings">${json}</script>
${preloads}
<script type="module" src="/page/main.js"></script>
</head>
<body><main id="app"></main>${pending}</body>
</html>
`;
  return { type: 'text/html; charset=utf-8', body };
}

export function renderQr(text: string): Document {
  return { type: 'image/svg+xml', body: encodeQR(text, 'svg', { ecc: 'low', border: 4 }) };
}
