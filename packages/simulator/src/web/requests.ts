import type { Login } from '../network/linking.ts';
import { deviceView, type Message, peerOf } from '../network/message.ts';
import type { Network } from '../network/network.ts';
import type { RequestName, Requests } from '../page/wire.ts';

type Handler<N extends RequestName> = (
  network: Network,
  login: Login,
  params: Requests[N]['params'],
) => Requests[N]['result'] | Promise<Requests[N]['result']>;

const handlers: { readonly [N in RequestName]: Handler<N> } = {
  exists: ({ directory }, { account }, { jid }) => {
    const found = directory.find(jid);
    return found ? directory.describe(found, account) : null;
  },
  send: async ({ directory, postOffice }, { account, device }, { id, chat, t, body, quoted }) => {
    const author = quoted && directory.find(quoted.author);
    const message: Message = {
      ...{ id, from: account, to: directory.get(chat, 'chat'), body, timestamp: t, decryptLateMs: undefined, ack: 1 },
      quoted: quoted && author ? { ...quoted, author } : undefined,
    };
    return { t: (await postOffice.submit(message, device)).timestamp };
  },
  read: ({ directory, postOffice }, { account }, { chat }) => ({
    read: postOffice.read(account, directory.get(chat, 'chat')),
  }),
  history: ({ directory }, { account }, { chat, before, limit }) => {
    const peer = directory.get(chat, 'chat');
    const log = account.log.filter((message) => peerOf(message, account) === peer);
    const end = before === undefined ? log.length : log.findIndex(({ id }) => id === before);
    return log.slice(Math.max(0, end - limit), Math.max(0, end)).map((message) => deviceView(message, account));
  },
  message: (_network, { account }, { id }) => {
    const found = account.log.find((message) => message.id === id);
    return found ? deviceView(found, account) : null;
  },
  onboarded: (_network, { device }) => {
    device.onboarded = true;
    return null;
  },
  logout: (_network, { account, device }) => {
    account.devices.delete(device.id);
    device.line = undefined;
    return null;
  },
};

/** Answers a question of a device that has logged in; rejects with a sentence. */
export async function answer(network: Network, login: Login, name: RequestName, params: unknown): Promise<unknown> {
  const handler = handlers[name] as Handler<RequestName>;
  return handler(network, login, params as never);
}
