import * as v from 'valibot';

/**
 * Messages as the provider's cloud delivers them. Only fields that a kind always has are required. A message is passed
 * on unchanged, including fields that are not listed here.
 */

const text = v.string();
/** The provider's ids of people: a phone number in digits, or a separate id for people with a user name. */
const personId = v.string();
const maybe = <const S extends v.GenericSchema>(schema: S) => v.nullish(schema);

/** A file has an id, with which the provider's API returns its bytes. */
const file = { id: text, mime_type: maybe(text), sha256: maybe(text), url: maybe(text) };
const captioned = v.object({ ...file, caption: maybe(text) });

/** An error of the provider's table of codes. */
export const cloudError = v.object({
  code: v.number(),
  title: maybe(text),
  message: maybe(text),
  error_data: maybe(v.object({ details: maybe(text) })),
  href: maybe(text),
});
export type CloudError = v.InferOutput<typeof cloudError>;

const common = {
  /** The provider's id of the message, `wamid.…`. */
  id: text,
  /** Unix seconds, as text. */
  timestamp: text,
  /** The sender's phone number in digits; absent for people who show a user name instead. */
  from: maybe(personId),
  /** The sender's id for this business; it stays the same if the number changes. */
  from_user_id: maybe(personId),
  from_parent_user_id: maybe(personId),
  /** The recipient of a message that the business itself sent from a phone. */
  to: maybe(personId),
  to_user_id: maybe(personId),
  /** The group that it was sent to. */
  group_id: maybe(text),
  /** The message that it replies to, or forwards. */
  context: maybe(
    v.object({
      id: maybe(text),
      from: maybe(personId),
      from_user_id: maybe(personId),
      forwarded: maybe(v.boolean()),
      frequently_forwarded: maybe(v.boolean()),
      /** The product that a question refers to. */
      referred_product: maybe(v.object({ catalog_id: text, product_retailer_id: text })),
    }),
  ),
  /** The advertisement or post that led the sender here. */
  referral: maybe(
    v.object({
      source_url: maybe(text),
      source_id: maybe(text),
      source_type: maybe(text),
      headline: maybe(text),
      body: maybe(text),
      media_type: maybe(text),
      image_url: maybe(text),
      video_url: maybe(text),
      thumbnail_url: maybe(text),
      ctwa_clid: maybe(text),
      welcome_message: maybe(v.object({ text: maybe(text) })),
    }),
  ),
  /** The sender's security code has changed; present if the number is set up to check it. */
  identity: maybe(
    v.object({
      acknowledged: maybe(v.boolean()),
      created_timestamp: maybe(v.union([text, v.number()])),
      hash: maybe(text),
    }),
  ),
  errors: maybe(v.array(cloudError)),
};

const address = v.object({
  street: maybe(text),
  city: maybe(text),
  state: maybe(text),
  zip: maybe(text),
  country: maybe(text),
  country_code: maybe(text),
  type: maybe(text),
});

const sharedContact = v.object({
  name: maybe(
    v.object({
      formatted_name: maybe(text),
      first_name: maybe(text),
      last_name: maybe(text),
      middle_name: maybe(text),
      prefix: maybe(text),
      suffix: maybe(text),
    }),
  ),
  phones: maybe(v.array(v.object({ phone: maybe(text), wa_id: maybe(text), user_id: maybe(text), type: maybe(text) }))),
  emails: maybe(v.array(v.object({ email: maybe(text), type: maybe(text) }))),
  urls: maybe(v.array(v.object({ url: maybe(text), type: maybe(text) }))),
  addresses: maybe(v.array(address)),
  org: maybe(v.object({ company: maybe(text), department: maybe(text), title: maybe(text) })),
  birthday: maybe(text),
  vcard: maybe(text),
});

/** What a person has chosen or filled in; `response_json` is a JSON text. */
const interactive = v.variant('type', [
  v.object({ type: v.literal('button_reply'), button_reply: v.object({ id: text, title: maybe(text) }) }),
  v.object({
    type: v.literal('list_reply'),
    list_reply: v.object({ id: text, title: maybe(text), description: maybe(text) }),
  }),
  v.object({
    type: v.literal('nfm_reply'),
    nfm_reply: v.object({ response_json: text, body: maybe(text), name: maybe(text) }),
  }),
  v.object({
    type: v.literal('call_permission_reply'),
    call_permission_reply: v.object({
      response: text,
      is_permanent: maybe(v.boolean()),
      expiration_timestamp: maybe(v.union([text, v.number()])),
      response_source: maybe(text),
    }),
  }),
]);

const orderedItem = v.object({
  product_retailer_id: text,
  quantity: v.union([v.number(), text]),
  item_price: v.union([v.number(), text]),
  currency: text,
});

export const cloudMessage = v.variant('type', [
  v.object({ ...common, type: v.literal('text'), text: v.object({ body: text }) }),
  v.object({ ...common, type: v.literal('image'), image: captioned }),
  v.object({ ...common, type: v.literal('video'), video: captioned }),
  /** `voice`: recorded in the app, rather than a file. */
  v.object({ ...common, type: v.literal('audio'), audio: v.object({ ...file, voice: maybe(v.boolean()) }) }),
  v.object({
    ...common,
    type: v.literal('document'),
    document: v.object({ ...captioned.entries, filename: maybe(text) }),
  }),
  v.object({ ...common, type: v.literal('sticker'), sticker: v.object({ ...file, animated: maybe(v.boolean()) }) }),
  v.object({
    ...common,
    type: v.literal('location'),
    location: v.object({
      latitude: v.number(),
      longitude: v.number(),
      name: maybe(text),
      address: maybe(text),
      url: maybe(text),
    }),
  }),
  v.object({ ...common, type: v.literal('contacts'), contacts: v.array(sharedContact) }),
  v.object({ ...common, type: v.literal('interactive'), interactive }),
  /** A quick reply of a template. */
  v.object({ ...common, type: v.literal('button'), button: v.object({ text, payload: maybe(text) }) }),
  v.object({
    ...common,
    type: v.literal('order'),
    order: v.object({ catalog_id: text, text: maybe(text), product_items: v.array(orderedItem) }),
  }),
  /** Without `emoji`: the reaction was removed. */
  v.object({
    ...common,
    type: v.literal('reaction'),
    reaction: v.object({ message_id: text, emoji: maybe(text) }),
  }),
  /** The sender has changed: a new number, or a new identity. */
  v.object({
    ...common,
    type: v.literal('system'),
    system: v.object({
      body: maybe(text),
      type: maybe(text),
      wa_id: maybe(text),
      new_wa_id: maybe(text),
      user_id: maybe(text),
      identity: maybe(text),
      customer: maybe(text),
    }),
  }),
  /** The new text of an edited message. */
  v.object({ ...common, type: v.literal('edit'), edit: v.object({ original_message_id: text }) }),
  /** An earlier message was deleted. */
  v.object({ ...common, type: v.literal('revoke'), revoke: v.object({ original_message_id: text }) }),
  /** Somebody opened the chat for the first time; sent if the number is set up for it. */
  v.object({ ...common, type: v.literal('request_welcome') }),
  /** Content that the cloud does not support, such as a poll; `errors` has the reason. */
  v.object({ ...common, type: v.literal('unsupported'), unsupported: maybe(v.object({ type: maybe(text) })) }),
]);
/** A message of the provider's cloud; its `type` determines its other fields. */
export type CloudMessage = v.InferOutput<typeof cloudMessage>;

export const cloudMetadata = v.object({ phone_number_id: text, display_phone_number: maybe(text) });

/** A person, as listed beside messages and statuses. */
export const cloudContact = v.object({
  /** The phone number in digits; absent for people who show a user name instead. */
  wa_id: maybe(personId),
  user_id: maybe(personId),
  parent_user_id: maybe(personId),
  profile: maybe(v.object({ name: maybe(text), username: maybe(text) })),
  identity_key_hash: maybe(text),
});
export type CloudContact = v.InferOutput<typeof cloudContact>;

/** The status of a message that was sent through the cloud. */
export const cloudStatus = v.object({
  id: text,
  status: text as v.GenericSchema<string, CloudStatusName>,
  /** Unix seconds, as text. */
  timestamp: text,
  recipient_id: maybe(personId),
  recipient_user_id: maybe(personId),
  /** `group`: `recipient_id` is a group, `recipient_participant_id` one of its people. */
  recipient_type: maybe(text),
  recipient_participant_id: maybe(personId),
  recipient_participant_user_id: maybe(personId),
  conversation: maybe(
    v.object({
      id: maybe(text),
      expiration_timestamp: maybe(v.union([text, v.number()])),
      origin: maybe(v.object({ type: maybe(text) })),
    }),
  ),
  pricing: maybe(
    v.object({
      billable: maybe(v.boolean()),
      pricing_model: maybe(text),
      category: maybe(text),
      type: maybe(text),
    }),
  ),
  errors: maybe(v.array(cloudError)),
  /** The value that the business passed with the message, to find it again. */
  biz_opaque_callback_data: maybe(text),
});
export type CloudStatus = v.InferOutput<typeof cloudStatus>;

/** The documented statuses; a new one is passed on by its name. */
export type CloudStatusName =
  | 'sent'
  | 'delivered'
  | 'read'
  | 'played'
  | 'failed'
  | 'deleted'
  | 'warning'
  | (string & {});
