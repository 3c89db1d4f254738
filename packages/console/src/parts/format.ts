import type { AccountLimit } from '@chat-web/protocol';

const UNITS = [
  ['second', 1_000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['year', 31_536_000_000],
] as const;
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });
const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A time relative to another, such as `3 min. ago` or `in 12 sec.`. Both in Unix ms. */
export function relativeTime(at: number, now: number): string {
  const ms = at - now;
  const [unit, size] = UNITS.findLast(([, min]) => Math.abs(ms) >= min) ?? UNITS[0];
  return relative.format(Math.trunc(ms / size), unit);
}

export function fullTime(at: number): string {
  if (Number.isNaN(at)) return 'no time';
  return absolute.format(at);
}

/** A time in the local time zone; on another day, with its date. */
export function shortTime(at: number, now: number): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return isToday ? timeOfDay.format(at) : dayAndTime.format(at);
}

const MB = 1_048_576;
const GB = 1_073_741_824;

export function bytesText(bytes: number): string {
  if (bytes >= GB) return `${(bytes / GB).toFixed(1)} GB`;
  if (bytes >= 10 * MB) return `${Math.round(bytes / MB)} MB`;
  if (bytes >= MB / 10) return `${(bytes / MB).toFixed(1)} MB`;
  return bytes >= 1_024 ? `${Math.round(bytes / 1_024)} KB` : `${bytes} bytes`;
}

/** `1 session`, `2 sessions`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** WhatsApp's limits on an account, each in a few words. */
export function limitTexts(limits: readonly AccountLimit[]): string[] {
  return limits.map(({ kind, until, remaining }) => {
    const what = kind === 'time_lock' ? 'cannot write to new people' : `${counted(remaining ?? 0, 'new chat')} left`;
    return until === undefined ? what : `${what} until ${fullTime(Date.parse(until))}`;
  });
}

/** A fraction of 1 as a percentage, such as `0.4 %`. */
export function percentText(share: number): string {
  const percent = share * 100;
  return `${percent >= 10 ? Math.round(percent) : percent.toFixed(1)} %`;
}

/** The session patterns in a written text, separated by commas or spaces. */
export function patternsIn(written: string): string[] {
  return written.split(/[\s,]+/).filter(Boolean);
}
