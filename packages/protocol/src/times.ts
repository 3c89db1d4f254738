import * as v from 'valibot';

/** A time as the gateway returns it: ISO 8601. */
export const isoTime = v.pipe(v.string(), v.isoTimestamp());

const MUST_BE_TIME = 'must be a time in ISO 8601 with its time zone, such as 2027-01-31T00:00:00Z';

/** A time as a caller writes it: ISO 8601 with its zone. */
export const writtenTime = v.pipe(v.string(), v.isoTimestamp(MUST_BE_TIME), v.check(isRealTime, MUST_BE_TIME));

/** False for a day that its month does not have, and for a time that is not valid once written in UTC. */
function isRealTime(written: string): boolean {
  const [year = 0, month = 0, day = 0] = written.slice(0, 10).split('-').map(Number);
  const isDay = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  return isDay && !Number.isNaN(Date.parse(written)) && v.is(isoTime, new Date(written).toISOString());
}

/** The time in Unix seconds, as the network writes times. */
export function unixNow(): number {
  return Math.floor(Date.now() / 1_000);
}
