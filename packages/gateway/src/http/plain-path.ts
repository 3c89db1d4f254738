import { operations, otherRoutes } from '@chat-web/protocol';

/** Paths of folders of files: a slash at the end has a meaning there. */
const FILES = /^\/(console|docs)(\/|$)/;
/** Monitors write it in any case. */
export const HEALTH = /^\/health(\/(front|ready))?$/i;

const patterns = Object.values({ ...operations, ...otherRoutes }).map(({ path }) => segmentsOf(path));
const MAX_DEPTH = Math.max(...patterns.map(({ length }) => length));

/**
 * The path by which all steps of a request know it: slashes at the end are left out, and so are repeated ones, unless
 * the id of something is missing between them. Everything else stays: dots are resolved before, and `%2F` is part of an
 * id.
 */
export function plainPath(path: string): string {
  const plain = path.includes('//') || path.endsWith('/') ? withoutEmpty(path) : path;
  return HEALTH.test(plain) ? plain.toLowerCase() : plain;
}

function withoutEmpty(path: string): string {
  const absolute = path.replace(/^\/+/, '/');
  if (FILES.test(absolute)) return absolute;
  const kept: string[] = [];
  // In this order: to look for the end of each long run of slashes would take the time of its length, again and again.
  for (const segment of segmentsOf(absolute.replace(/\/{2,}/g, '//').replace(/\/+$/, ''))) {
    if (kept.length >= MAX_DEPTH) return absolute; // No route is that long.
    if (segment !== '' || isId(kept)) kept.push(segment);
  }
  return `/${kept.join('/')}`;
}

/** True if a route has an id after these segments. */
function isId(before: readonly string[]): boolean {
  return patterns.some(
    (pattern) =>
      pattern[before.length]?.startsWith(':') &&
      before.every((segment, at) => pattern[at] === segment || pattern[at]?.startsWith(':')),
  );
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1);
}
