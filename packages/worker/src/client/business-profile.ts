import { type BusinessProfile, businessProfile, cutText, LIMITS } from '@chat-web/protocol';
import * as v from 'valibot';
import { orNone, validRows } from './schemas.ts';

const MAX_WEBSITES = 20;
const MAX_CATEGORIES = 50;
const DAY_MINUTES = 24 * 60;

const anything = v.optional(v.unknown());
const texts = v.fallback(v.array(v.unknown()), []);
const dayModel = v.object({
  day: v.string(),
  mode: v.string(),
  hours: v.optional(v.array(v.tuple([v.number(), v.number()])), []),
});
const profileModel = v.object({
  isBusiness: anything,
  description: anything,
  address: anything,
  email: anything,
  websites: texts,
  categories: texts,
  hours: orNone(v.object({ timezone: anything, days: v.array(v.unknown()) })),
});

/** A business profile for the API, from the page's data; invalid parts are left out. */
export function toBusinessProfile(contactId: string, read: unknown): BusinessProfile {
  const { isBusiness, description, address, email, websites, categories, hours } = v.parse(profileModel, read);
  const profile = {
    ...textField('description', description),
    ...textField('address', address),
    ...textField('email', email),
    websites: cutTextsIn(websites, MAX_WEBSITES),
    categories: cutTextsIn(categories, MAX_CATEGORIES),
    ...(hours
      ? { hours: { ...textField('timezone', hours.timezone), days: validRows(dayModel, hours.days).map(toDay) } }
      : {}),
  };
  const hasSome = Object.values(profile).some((value) => !Array.isArray(value) || value.length > 0);
  const whole = { contactId, isBusiness: isBusiness === true || hasSome, ...profile };
  const parsed = v.safeParse(businessProfile, whole);
  if (parsed.success) return parsed.output;
  const { hours: _, ...rest } = whole; // The other parts are valid already.
  return rest;
}

function cutTextIn(text: unknown): string | undefined {
  return typeof text === 'string' && text !== '' ? cutText(text, LIMITS.name) : undefined;
}

function textField<K extends string>(name: K, text: unknown): Partial<Record<K, string>> {
  const cut = cutTextIn(text);
  return (cut === undefined ? {} : { [name]: cut }) as Partial<Record<K, string>>;
}

function cutTextsIn(texts: readonly unknown[], max: number): string[] {
  return texts.flatMap((text) => cutTextIn(text) ?? []).slice(0, max);
}

function toDay({ day, mode, hours }: v.InferOutput<typeof dayModel>) {
  return { day, mode, periods: hours.map(([from, to]) => ({ opensAt: timeOfDay(from), closesAt: timeOfDay(to) })) };
}

/** `hh:mm`, from minutes since midnight. */
function timeOfDay(minutes: number): string {
  const bounded = Math.max(0, Math.min(DAY_MINUTES, Math.trunc(minutes) || 0));
  return [Math.floor(bounded / 60), bounded % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
