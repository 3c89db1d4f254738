import * as v from 'valibot';

const number = v.pipe(v.string(), v.regex(/^[1-9]\d{4,14}$/, 'must be digits with the country code, without a plus'));
const person = v.pipe(
  v.string(),
  v.regex(/^[1-9]\d{4,14}(@c\.us)?$/, 'must be a number without a plus, or <number>@c.us'),
);
const text = v.pipe(v.string(), v.nonEmpty('must not be empty'));

/** The body of each route that takes one. */
export const schemas = {
  account: v.strictObject({
    number,
    name: text,
    lid: v.optional(v.pipe(v.string(), v.regex(/^\d{5,20}$/, 'must be digits'))),
    platform: v.optional(v.picklist(['android', 'iphone'])),
    addressing: v.optional(v.picklist(['pn', 'lid'])),
  }),
  scan: v.strictObject({ qr: text }),
  message: v.strictObject({
    to: person,
    body: v.string(),
    quotedMessageId: v.optional(text),
    decryptLateMs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  }),
  read: v.strictObject({ from: person }),
  online: v.strictObject({ online: v.boolean() }),
  logout: v.strictObject({
    deviceId: v.optional(text),
    times: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100))),
  }),
  disturb: v.strictObject({ kind: v.picklist(['reload', 'pushState', 'iframe', 'sync', 'conflict', 'idle']) }),
};
