import * as v from 'valibot';
import { digestOf } from '../inbound/hmac.ts';
import { type CloudFieldName, type CloudFieldValue, cloudFields, isCloudFieldName } from './cloud-fields.ts';
import {
  type CloudContact,
  type CloudError,
  type CloudMessage,
  type CloudStatus,
  cloudContact,
  cloudError,
  cloudMessage,
  cloudMetadata,
  cloudStatus,
} from './cloud-message.ts';

/** The account and number that an event concerns. */
export interface CloudEventOrigin {
  /** The id of the event in this package, the same on each repetition. */
  readonly id: string;
  readonly accountId: string | undefined;
  /** The id of the business's number; absent if the event concerns the whole account. */
  readonly phoneNumberId: string | undefined;
  /** The number itself, in digits. */
  readonly displayPhoneNumber: string | undefined;
}

/** An event by its name; see `CloudEvent`. */
export interface CloudEventData {
  /** An inbound message. `contact` is its sender, if the provider names one. */
  readonly message: { readonly message: CloudMessage; readonly contact: CloudContact | undefined };
  /** A message that the business itself sent from the app on a phone. */
  readonly message_echo: { readonly message: CloudMessage };
  /** The new status of a sent message. */
  readonly status: { readonly status: CloudStatus; readonly contact: CloudContact | undefined };
  /** An error of the number that belongs to no message or status. */
  readonly error: { readonly error: CloudError };
  /**
   * Anything unknown to this version, or not as documented: a message of a new type, a field, or a part of one. `field`
   * is its field, `value` the received value; for a message or a status, only that one.
   */
  readonly other: {
    readonly field: string | undefined;
    readonly value: unknown;
    readonly contact?: CloudContact | undefined;
  };
}

type FieldEvents = { readonly [N in CloudFieldName]: { readonly value: CloudFieldValue<N> } };
type EventsByName = CloudEventData & FieldEvents;

/** The name of an event: `message`, `status`, a field of the provider, or `other`. */
export type CloudEventName = keyof EventsByName;

/**
 * An event of the provider's cloud: `name` says which. Messages, statuses and values are objects as the provider sent them,
 * under its own names; its reference applies.
 */
export type CloudEvent<N extends CloudEventName = CloudEventName> = {
  [K in N]: CloudEventOrigin & { readonly name: K } & EventsByName[K];
}[N];

type Named = { [K in CloudEventName]: { readonly name: K } & EventsByName[K] }[CloudEventName];

/** An event before its id is computed, and the input of the id. */
interface Draft {
  readonly named: Named;
  readonly identity: readonly unknown[];
}

type Json = Readonly<Record<string, unknown>>;

const MESSAGES = 'messages';
const ECHOES = 'smb_message_echoes';
const KNOWN_PARTS = ['messaging_product', 'metadata', 'contacts', 'messages', 'statuses', 'errors', 'message_echoes'];
/** Longer ids are hashed. */
const MAX_ID_LENGTH = 300;
/** A delivery with more is passed on whole, as `other`. */
const MAX_EVENTS = 20_000;

/**
 * The events of a delivery, in order. Every JSON value has events: anything not as documented becomes `other`. Never
 * throws for what `parsedJson` returns.
 */
export async function cloudEventsOf(body: unknown): Promise<CloudEvent[]> {
  const found = draftsIn(body);
  // The provider sends a thousand at most, and each costs time.
  const isUsual = found.length > 0 && found.length <= MAX_EVENTS;
  const events: CloudEvent[] = [];
  for (const { draft, origin } of isUsual ? found : [{ draft: otherOf(undefined, body), origin: {} }])
    events.push(await complete(draft, origin));
  return events;
}

interface Found {
  readonly draft: Draft;
  readonly origin: Partial<CloudEventOrigin>;
}

function draftsIn(body: unknown): Found[] {
  if (!isObject(body) || body.object !== 'whatsapp_business_account') return [];
  return (asList(body.entry) ?? []).flatMap((entry) => {
    const changes = isObject(entry) ? asList(entry.changes) : undefined;
    const accountId = isObject(entry) ? asId(entry.id) : undefined;
    const time = isObject(entry) ? asTime(entry.time) : undefined;
    if (!changes) return [{ draft: otherOf(undefined, entry), origin: { accountId } }];
    return changes.flatMap((change) => {
      const value = isObject(change) && isObject(change.value) ? change.value : {};
      const metadata = v.is(cloudMetadata, value.metadata) ? value.metadata : undefined;
      const origin = {
        accountId,
        phoneNumberId: asId(metadata?.phone_number_id),
        displayPhoneNumber: metadata?.display_phone_number ?? undefined,
      };
      return draftsOf(change, time).map((draft) => ({ draft, origin }));
    });
  });
}

function draftsOf(change: unknown, time: unknown): Draft[] {
  if (!isObject(change)) return [otherOf(undefined, change)];
  const field = asText(change.field);
  const { value } = change;
  if (isObject(value) && (field === MESSAGES || field === ECHOES)) return messagesOf(field, value, time);
  if (field !== undefined && isObject(value) && isCloudFieldName(field) && v.is(cloudFields[field], value)) {
    const named = { name: field, value } as Extract<Named, { readonly name: CloudFieldName }>;
    return [{ named, identity: [field, time, value] }];
  }
  return [otherOf(field, value, time)];
}

function messagesOf(field: string, value: Json, time: unknown): Draft[] {
  const contacts = (asList(value.contacts) ?? []).filter((one) => v.is(cloudContact, one));
  const byId = contactsById(contacts);
  const messages = asList(value.messages) ?? [];
  const statuses = asList(value.statuses) ?? [];
  // A number may be written in two ways, as in Brazil, and then matches no contact; a single contact is used
  // nevertheless.
  const only = contacts.length === 1 && messages.length + statuses.length === 1 ? contacts[0] : undefined;
  const drafts = [
    ...messages.map((one) => messageOf(field, one, senderOf(one, byId) ?? only)),
    ...(asList(value.message_echoes) ?? []).map((one) => echoOf(field, one)),
    ...statuses.map((one) => statusOf(field, one, recipientOf(one, byId) ?? only)),
    ...(asList(value.errors) ?? []).map((one) => errorOf(field, one, time)),
  ];
  const isNew = Object.keys(value).some((part) => !KNOWN_PARTS.includes(part));
  // Otherwise a part that was added since would be lost.
  return isNew || drafts.length === 0 ? [...drafts, otherOf(field, value, time)] : drafts;
}

function messageOf(field: string, message: unknown, contact: CloudContact | undefined): Draft {
  if (v.is(cloudMessage, message)) {
    return { named: { name: 'message', message, contact }, identity: ['message', message.type, message.id] };
  }
  return otherItem(field, message, contact);
}

function echoOf(field: string, message: unknown): Draft {
  if (!v.is(cloudMessage, message)) return otherItem(field, message);
  return { named: { name: 'message_echo', message }, identity: ['echo', message.type, message.id] };
}

function statusOf(field: string, status: unknown, contact: CloudContact | undefined): Draft {
  if (!v.is(cloudStatus, status)) return otherItem(field, status, contact);
  // A message to a group has a status for each member.
  const recipient = [
    status.recipient_id ?? status.recipient_user_id,
    status.recipient_participant_id ?? status.recipient_participant_user_id,
  ];
  return {
    named: { name: 'status', status, contact },
    identity: ['status', status.id, status.status, status.timestamp, ...recipient],
  };
}

function errorOf(field: string, error: unknown, time: unknown): Draft {
  if (!v.is(cloudError, error)) return otherOf(field, error, time);
  return { named: { name: 'error', error }, identity: ['error', time, error] };
}

function otherItem(field: string, value: unknown, contact?: CloudContact): Draft {
  return { named: { name: 'other', field, value, contact }, identity: ['other', field, value] };
}

function otherOf(field: string | undefined, value: unknown, time?: unknown): Draft {
  return { named: { name: 'other', field, value }, identity: ['other', field, time, value] };
}

async function complete({ named, identity }: Draft, origin: Partial<CloudEventOrigin>): Promise<CloudEvent> {
  const { accountId, phoneNumberId, displayPhoneNumber } = origin;
  const text = canonicalJson([accountId, phoneNumberId, ...identity]);
  const id = text.length > MAX_ID_LENGTH ? await digestOf(text) : text;
  return { ...named, id, accountId, phoneNumberId, displayPhoneNumber };
}

/** The first contact with an id counts. */
function contactsById(contacts: readonly CloudContact[]): ReadonlyMap<string, CloudContact> {
  const byId = new Map<string, CloudContact>();
  for (const contact of contacts)
    for (const id of [contact.wa_id, contact.user_id]) if (id && !byId.has(id)) byId.set(id, contact);
  return byId;
}

function senderOf(message: unknown, contacts: ReadonlyMap<string, CloudContact>): CloudContact | undefined {
  if (!isObject(message)) return undefined;
  return contacts.get(asText(message.from) ?? '') ?? contacts.get(asText(message.from_user_id) ?? '');
}

function recipientOf(status: unknown, contacts: ReadonlyMap<string, CloudContact>): CloudContact | undefined {
  if (!isObject(status)) return undefined;
  return contacts.get(asText(status.recipient_id) ?? '') ?? contacts.get(asText(status.recipient_user_id) ?? '');
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Of what is part of the id of each event of an entry: a long one would be copied as often as there are events. */
function asId(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= MAX_ID_LENGTH ? value : undefined;
}

function asTime(value: unknown): number | string | undefined {
  return typeof value === 'number' ? value : asId(value);
}

/** The JSON of a value with sorted object keys: equal values have equal texts. */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
  return `{${members.join(',')}}`;
}
