import * as v from 'valibot';
import { socketStates } from '../page/socket-states.ts';

const number = v.pipe(v.string(), v.regex(/^[1-9]\d{4,14}$/, 'must be digits with the country code, without a plus'));
const person = v.pipe(
  v.string(),
  v.regex(/^([1-9]\d{4,14}(@c\.us)?|\d{5,20}@lid)$/, 'must be a number without a plus, <number>@c.us or <digits>@lid'),
);
const group = v.pipe(v.string(), v.regex(/^\d{5,20}@g\.us$/, 'must be <digits>@g.us'));
const newsletter = v.pipe(v.string(), v.regex(/^\d{18}@newsletter$/, 'must be <18 digits>@newsletter'));
const people = v.array(person);
const delayMs = v.pipe(v.number(), v.integer(), v.minValue(0));
const amount = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(10_000)));
const text = v.pipe(v.string(), v.nonEmpty('must not be empty'));

/** The body of each route that takes one. */
export const schemas = {
  account: v.strictObject({
    number,
    name: text,
    lid: v.optional(v.pipe(v.string(), v.regex(/^\d{5,20}$/, 'must be digits'))),
    platform: v.optional(v.picklist(['android', 'iphone'])),
    addressing: v.optional(v.picklist(['pn', 'lid'])),
    hiddenNumber: v.optional(v.boolean()),
  }),
  scan: v.strictObject({ qr: text }),
  pair: v.strictObject({ code: text }),
  message: v.pipe(
    v.strictObject({
      id: v.optional(v.pipe(v.string(), v.regex(/^[0-9A-F]{10,40}$/, 'must be 10 to 40 hexadecimal digits'))),
      to: v.union([person, group, v.literal('status@broadcast')], 'must be a number, a group or status@broadcast'),
      body: v.optional(v.string()),
      quotedMessageId: v.optional(text),
      decryptLateMs: v.optional(delayMs),
      media: v.optional(
        v.strictObject({
          kind: v.picklist(['image', 'video', 'audio', 'voice', 'document', 'sticker']),
          base64: v.pipe(v.string(), v.check(isBase64, 'must be base64')),
          mimeType: text,
          filename: v.optional(v.string()),
        }),
      ),
      mentions: v.optional(people),
    }),
    v.forward(
      v.check(({ body, media }) => body !== undefined || media !== undefined, 'must be there where there is no media'),
      ['body'],
    ),
  ),
  reaction: v.strictObject({ messageId: text, emoji: v.string() }),
  edit: v.strictObject({ body: text }),
  age: v.strictObject({ ms: v.pipe(v.number(), v.integer()) }),
  group: v.strictObject({ id: v.optional(group), subject: text, participants: people }),
  groupUpdate: v.strictObject({
    ...{ subject: v.optional(text), add: v.optional(people), remove: v.optional(people) },
    ...{ promote: v.optional(people), demote: v.optional(people), leave: v.optional(v.boolean()) },
  }),
  profile: v.strictObject({
    picture: v.optional(v.picklist(['none', 'private', 'present'])),
    pictureDelayMs: v.optional(delayMs),
    pictureCode: v.optional(v.nullable(v.picklist([401, 404, 423, 429, 500]))),
    groupPrivacy: v.optional(v.picklist(['all', 'invite_only'])),
    business: v.optional(v.boolean()),
    name: v.optional(text),
  }),
  contacts: v.strictObject({
    save: v.optional(v.array(v.strictObject({ number: person, name: text }))),
    ...{ forget: v.optional(people), block: v.optional(people), unblock: v.optional(people) },
  }),
  fill: v.strictObject({ chats: amount, contacts: amount, groups: amount }),
  read: v.strictObject({ from: v.union([person, group], 'must be a number or a group') }),
  online: v.strictObject({ online: v.boolean() }),
  fault: v.strictObject({ kind: v.picklist(['none', 'document', 'image', 'state', 'sync']) }),
  restricted: v.strictObject({ restricted: v.boolean() }),
  refusal: v.variant('kind', [
    v.strictObject({ kind: v.literal('none') }),
    v.strictObject({
      kind: v.picklist(['network', 'nack']),
      code: v.optional(v.pipe(v.number(), v.integer(), v.minValue(400), v.maxValue(599))),
    }),
  ]),
  passkey: v.strictObject({ required: v.boolean() }),
  notice: v.strictObject({
    kind: v.picklist(['call_log', 'e2e_notification', 'notification_template', 'newsletter']),
    from: v.union([person, group, newsletter], 'must be a number, a group or a channel'),
    isNewMsg: v.optional(v.boolean()),
  }),
  stall: v.strictObject({ stalled: v.boolean() }),
  logout: v.strictObject({
    deviceId: v.optional(text),
    times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100))),
  }),
  disturb: v.variant('kind', [
    v.strictObject({ kind: v.picklist(['reload', 'pushState', 'iframe', 'sync', 'deaf', 'conflict', 'idle']) }),
    v.strictObject({ kind: v.literal('block'), ms: delayMs }),
    v.strictObject({ kind: v.literal('leak'), mbPerSecond: v.pipe(v.number(), v.gtValue(0), v.maxValue(1000)) }),
    v.strictObject({ kind: v.literal('state'), state: v.picklist(socketStates) }),
    v.strictObject({ kind: v.literal('write'), value: v.string() }),
    v.strictObject({ kind: v.literal('grow'), mb: v.pipe(v.number(), v.gtValue(0), v.maxValue(4000)) }),
    v.strictObject({ kind: v.literal('dialogue'), which: v.picklist(['log-out', 'refresh', 'stuck']) }),
  ]),
};

/** Without a regular expression over it all: there may be 90 MB. */
function isBase64(base64: string): boolean {
  return base64.length > 0 && base64.length % 4 === 0 && Buffer.byteLength(base64, 'base64') === sizeOf(base64);
}

function sizeOf(base64: string): number {
  return Buffer.from(base64, 'base64').length;
}
