import { sessionId } from '@chat-web/protocol';
import * as v from 'valibot';
import { lineage, MAX_GENERATIONS } from '../sessions/lineages.ts';

/** The first file of an archive: the format, the session, and the files that follow, in order. */
export const MANIFEST = 'manifest.json';
/** What the gateway knows of the session: see `MovingState`. One JSON object per line. */
export const STATE = 'state.jsonl';

/**
 * The folders of a browser's profile that hold a linked account, by their names in an archive: its keys and messages,
 * and the flags that mark it as linked. The browser recreates everything else in a profile.
 */
export const PROFILE_FOLDERS = ['IndexedDB', 'Local Storage'] as const;
/** Their prefix in an archive. */
export const PROFILE = 'profile/';
/** Their parent folder in a profile. */
export const IN_PROFILE = 'Default';

const MAX_FILES = 5_000;

/** Limits of an archive. An account with a long history has some hundreds of files, in some ten folders. */
export const ARCHIVE_LIMITS = {
  manifestBytes: 2 * 1_048_576,
  /** A file is four values. */
  manifestJson: { depth: 3, values: 4 * MAX_FILES + MAX_GENERATIONS + 20 },
  stateBytes: 32 * 1_048_576,
  stateLineBytes: 2 * 1_048_576,
  /** One for each Idempotency-Key, and some hundred others. */
  stateLines: 101_000,
  /** The largest line has 20,000 first messages, each of three values. */
  stateLineJson: { depth: 8, values: 65_000 },
  files: MAX_FILES,
  folders: 500,
  fileBytes: 2 ** 33 - 1,
} as const;

/** The browser recreates these; the logs contain paths of the machine. */
const RECREATED = ['LOCK', 'LOG', 'LOG.old'] as const;
/** Names as Chromium creates them: not hidden, not an option, not another folder. */
const SEGMENT = `(?!(?:${RECREATED.join('|')})(?:/|$))[A-Za-z0-9_][A-Za-z0-9_.@+ -]{0,90}`;
const FILE = new RegExp(`^${PROFILE}(${PROFILE_FOLDERS.join('|')})(/${SEGMENT}){1,6}$`);
const MAX_NAME_LENGTH = 200;

/** True for the name of an entry of a profile that an export leaves out. */
export function isRecreated(name: string): boolean {
  return RECREATED.some((one) => one === name);
}

/** True for the name of a file that may follow the manifest in an archive: an export writes no other. */
export function isArchiveName(name: string): boolean {
  return name.length <= MAX_NAME_LENGTH && (name === STATE || FILE.test(name));
}

const isoTime = v.pipe(v.string(), v.maxLength(40), v.isoTimestamp());
const archivedFile = v.strictObject({
  name: v.pipe(v.string(), v.check(isArchiveName)),
  bytes: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(ARCHIVE_LIMITS.fileBytes)),
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});
export type ArchivedFile = v.InferOutput<typeof archivedFile>;

/** The manifest of this version's archives. */
export const manifest = v.strictObject({
  format: v.literal('chat-web-session'),
  version: v.literal(1),
  session: sessionId,
  ...lineage.entries,
  exportedAt: isoTime,
  /** When the account was linked, and its id; absent if unknown. */
  linkedAt: v.optional(isoTime),
  wid: v.optional(v.pipe(v.string(), v.regex(/^\d{1,20}@(c\.us|lid)$/))),
  /** Versions, for people. */
  gateway: v.pipe(v.string(), v.maxLength(40)),
  browser: v.optional(v.pipe(v.string(), v.maxLength(40))),
  files: v.pipe(
    v.array(v.unknown()),
    v.maxLength(ARCHIVE_LIMITS.files),
    v.array(archivedFile),
    v.check(areDistinct),
    v.check(areInFewFolders),
    v.check(areComplete),
  ),
});
export type Manifest = Readonly<v.InferOutput<typeof manifest>>;

/** Distinct even on a case-insensitive disk; and no file is the folder of another. */
function areDistinct(files: ArchivedFile[]): boolean {
  const names = new Set(files.map(({ name }) => name.toLowerCase()));
  if (names.size !== files.length) return false;
  return files.every(({ name }) => foldersOf(name.toLowerCase()).every((folder) => !names.has(folder)));
}

function areInFewFolders(files: ArchivedFile[]): boolean {
  return new Set(files.flatMap(({ name }) => foldersOf(name))).size <= ARCHIVE_LIMITS.folders;
}

/** The folders that a file is in, the uppermost first. */
function foldersOf(name: string): string[] {
  const segments = name.split('/');
  return segments.slice(1).map((_, depth) => segments.slice(0, depth + 1).join('/'));
}

function areComplete(files: ArchivedFile[]): boolean {
  const has = (start: string) => files.some(({ name }) => name.startsWith(start));
  return has(STATE) && PROFILE_FOLDERS.every((folder) => has(`${PROFILE}${folder}/`));
}
