import { cutText, LIMITS, type Message } from '@chat-web/protocol';
import * as v from 'valibot';
import { orNone } from './schemas.ts';

/** A text that is cut if it is long, and left out if it is empty or none. */
const known = v.pipe(
  orNone(v.string()),
  v.transform((text) => (text ? cutText(text, LIMITS.name) : undefined)),
);
const link = orNone(v.pipe(v.string(), v.maxLength(LIMITS.url), v.regex(/^https?:\/\//)));

/** What only some kinds of messages have, in the model of the page. */
export const contentFields = {
  contacts: orNone(v.array(v.object({ name: v.string(), numbers: v.array(v.string()) }))),
  referral: orNone(v.object({ url: link, id: known, type: known, title: known, clickId: known })),
  selected: orNone(v.object({ id: known, text: known })),
  poll: orNone(v.object({ options: v.array(v.string()), multiple: v.boolean() })),
};
const contents = v.object(contentFields);
type Contents = v.InferOutput<typeof contents>;

/** The same for the API, within its limits. */
export function toContents(read: Contents): Partial<Pick<Message, keyof Contents>> {
  const { contacts, selected, poll } = read;
  const referral = Object.entries(read.referral ?? {}).flatMap(([name, text]) =>
    text === undefined ? [] : [[name, text] as const],
  );
  return {
    ...(contacts ? { contacts: contacts.slice(0, LIMITS.contactCards).map(toContactCard) } : {}),
    ...(referral.length > 0 ? { referral: Object.fromEntries(referral) } : {}),
    ...(selected ? { selected: { ...(selected.id ? { id: selected.id } : {}), text: selected.text ?? '' } } : {}),
    ...(poll ? { poll: toPoll(poll) } : {}),
  };
}

function toContactCard({ name, numbers }: NonNullable<Contents['contacts']>[number]) {
  return {
    name: cutText(name, LIMITS.name),
    numbers: numbers.filter((number) => /^\+?\d{1,30}$/.test(number)).slice(0, LIMITS.numbersOfCard),
  };
}

function toPoll({ options, multiple }: NonNullable<Contents['poll']>) {
  return { options: options.slice(0, LIMITS.pollOptions).map((option) => cutText(option, LIMITS.name)), multiple };
}
