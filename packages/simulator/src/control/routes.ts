import * as v from 'valibot';
import { describeAccount } from '../network/account.ts';
import { fill } from '../network/fill.ts';
import { GroupPhone } from '../network/group-phone.ts';
import type { Network } from '../network/network.ts';
import { bringNotice } from '../network/notices.ts';
import { changeContacts, changeProfile } from '../network/people.ts';
import { Phone } from '../network/phone.ts';
import { readQr } from '../qr-image.ts';
import { type Settings, settingsSchema } from '../settings.ts';
import type { Pages } from '../web/pages.ts';
import { schemas } from './schemas.ts';

/** What the routes act on. */
export interface Stage {
  readonly network: Network;
  readonly pages: Pages;
  readonly settings: Settings;
}

interface Call {
  readonly stage: Stage;
  /** The parameters in the path. */
  readonly id: string;
  readonly other: string;
  readonly query: Record<string, string>;
}

/** One route of the control API. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In Hono's notation; its parameters are called `id` and `other`. */
  readonly path: string;
  /** Answers with what becomes the JSON body; `body` is what came, unchecked. */
  handle(call: Call, body: unknown): unknown;
}

const account = ({ stage, id }: Call) => stage.network.directory.get(id);
const phone = ({ stage, id }: Call) => new Phone(stage.network, id);
const groupPhone = ({ stage, id }: Call) => new GroupPhone(stage.network, id);

/** A handler that gets its body checked. */
function checked<S extends v.GenericSchema>(schema: S, act: (call: Call, body: v.InferOutput<S>) => unknown) {
  return (call: Call, body: unknown) => act(call, v.parse(schema, body));
}

/** Every route of the control API. */
export const routes: readonly Route[] = [
  { method: 'GET', path: '/accounts', handle: ({ stage }) => stage.network.directory.all().map(describeAccount) },
  {
    method: 'POST',
    path: '/accounts',
    handle: checked(schemas.account, ({ stage }, seed) => describeAccount(stage.network.directory.add(seed))),
  },
  {
    method: 'GET',
    path: '/accounts/:id',
    handle: (call) => describeAccount(account(call)),
  },
  {
    method: 'POST',
    path: '/accounts/:id/scan',
    handle: checked(schemas.scan, (call, { qr }) => phone(call).scan(readQr(qr))),
  },
  {
    method: 'POST',
    path: '/accounts/:id/pair',
    handle: checked(schemas.pair, (call, { code }) => phone(call).pair(code)),
  },
  { method: 'GET', path: '/accounts/:id/messages', handle: (call) => phone(call).messages(call.query.with) },
  {
    method: 'POST',
    path: '/accounts/:id/messages',
    handle: checked(schemas.message, (call, message) => phone(call).send(message)),
  },
  {
    method: 'POST',
    path: '/accounts/:id/reactions',
    handle: checked(schemas.reaction, (call, { messageId, emoji }) => phone(call).react(messageId, emoji)),
  },
  {
    method: 'PATCH',
    path: '/accounts/:id/messages/:other',
    handle: checked(schemas.edit, (call, { body }) => phone(call).edit(call.other, body)),
  },
  { method: 'DELETE', path: '/accounts/:id/messages/:other', handle: (call) => phone(call).revoke(call.other) },
  { method: 'GET', path: '/accounts/:id/messages/:other/media', handle: (call) => phone(call).media(call.other) },
  { method: 'GET', path: '/accounts/:id/statuses', handle: (call) => phone(call).statuses() },
  { method: 'GET', path: '/accounts/:id/groups', handle: (call) => groupPhone(call).list() },
  {
    method: 'POST',
    path: '/accounts/:id/groups',
    handle: checked(schemas.group, (call, draft) => groupPhone(call).create(draft)),
  },
  {
    method: 'PATCH',
    path: '/accounts/:id/groups/:other',
    handle: checked(schemas.groupUpdate, (call, update) => groupPhone(call).update(call.other, update)),
  },
  {
    method: 'PATCH',
    path: '/accounts/:id/profile',
    handle: checked(schemas.profile, (call, change) => changeProfile(call.stage.network, account(call), change)),
  },
  {
    method: 'PATCH',
    path: '/accounts/:id/contacts',
    handle: checked(schemas.contacts, (call, change) => changeContacts(call.stage.network, account(call), change)),
  },
  {
    method: 'POST',
    path: '/accounts/:id/fill',
    handle: checked(schemas.fill, (call, amounts) => fill(call.stage.network, account(call), amounts)),
  },
  {
    method: 'DELETE',
    path: '/messages/:id/media',
    handle: ({ stage: { network }, id }) => network.changes.dropMedia(id, network.mediaStore),
  },
  {
    method: 'POST',
    path: '/messages/:id/age',
    handle: checked(schemas.age, ({ stage, id }, { ms }) => stage.network.changes.age(id, ms)),
  },
  {
    method: 'POST',
    path: '/accounts/:id/read',
    handle: checked(schemas.read, (call, { from }) => phone(call).read(from)),
  },
  {
    method: 'PUT',
    path: '/accounts/:id/online',
    handle: checked(schemas.online, (call, { online }) => phone(call).turn(online)),
  },
  {
    method: 'POST',
    path: '/accounts/:id/logout',
    handle: checked(schemas.logout, (call, { deviceId, times = 1 }) => phone(call).logout(deviceId, times)),
  },
  {
    method: 'PUT',
    path: '/accounts/:id/fault',
    handle: checked(schemas.fault, (call, { kind }) => {
      account(call).fault = kind;
    }),
  },
  {
    method: 'PUT',
    path: '/accounts/:id/restricted',
    handle: checked(schemas.restricted, (call, { restricted }) => {
      account(call).restricted = restricted;
    }),
  },
  {
    method: 'PUT',
    path: '/accounts/:id/refusal',
    handle: checked(schemas.refusal, (call, refusal) => {
      account(call).refusal = refusal;
    }),
  },
  {
    method: 'PUT',
    path: '/accounts/:id/passkey',
    handle: checked(schemas.passkey, (call, { required }) => {
      account(call).passkey = required;
    }),
  },
  {
    method: 'POST',
    path: '/accounts/:id/notices',
    handle: checked(schemas.notice, (call, notice) => bringNotice(call.stage.network, account(call), notice)),
  },
  { method: 'POST', path: '/accounts/:id/disconnect', handle: (call) => phone(call).connect(false) },
  { method: 'POST', path: '/accounts/:id/reconnect', handle: (call) => phone(call).connect(true) },
  {
    method: 'PUT',
    path: '/accounts/:id/stall',
    handle: checked(schemas.stall, (call, { stalled }) => call.stage.pages.stall(account(call).number, stalled)),
  },
  { method: 'GET', path: '/pages', handle: ({ stage }) => stage.pages.list() },
  {
    method: 'POST',
    path: '/pages/:id/disturb',
    handle: checked(schemas.disturb, ({ stage, id }, cue) => stage.pages.disturb(id, cue)),
  },
  { method: 'GET', path: '/settings', handle: ({ stage }) => stage.settings.current },
  {
    method: 'PATCH',
    path: '/settings',
    handle: checked(settingsSchema, ({ stage }, change) => stage.settings.change(change)),
  },
];
