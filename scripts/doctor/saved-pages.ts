import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, pagesDirOf } from '@chat-web/gateway/config';
import type { Report } from './report.ts';

const SUFFIX = '.html';
const MOST_NAMED = 5;

/** Lists the saved pages that can be pinned instead of this one, newest first, if they are on this machine. */
export function reportSavedPages(report: Report, config: Config, present: string | undefined): void {
  const versions = savedVersions(pagesDirOf(config));
  if (versions.length === 0) return; // None yet, or the gateway runs elsewhere.
  const others = versions.filter((version) => version !== present).slice(0, MOST_NAMED);
  const detail =
    others.length > 0 ? `${others.join(', ')} can be pinned by CHAT_WEB_PAGE_VERSION` : 'only the current one';
  report.add({ check: 'saved pages', result: 'note', detail });
}

function savedVersions(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(SUFFIX));
    const dated = names.map((name) => ({ name, at: statSync(join(folder, name)).mtimeMs }));
    return dated.sort((a, b) => b.at - a.at).map(({ name }) => name.slice(0, -SUFFIX.length));
  } catch {
    return [];
  }
}
