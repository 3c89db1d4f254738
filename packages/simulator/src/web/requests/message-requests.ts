import { requireWriter } from '../../network/group.ts';
import { createMessage, findMessage, partyOf } from '../../network/message.ts';
import { deviceView } from '../../network/message-views.ts';
import type { Network } from '../../network/network.ts';
import type { AccountRecord, Attachment, Message } from '../../network/records.ts';
import { NetworkRefusal } from '../../network/refusal.ts';
import type { WireDraft } from '../../page/wire.ts';
import { SimulatorError } from '../../simulator-error.ts';
import type { Handlers } from './handler.ts';

type Names = 'send' | 'history' | 'message' | 'react' | 'edit' | 'revoke' | 'hide';

/** What a device does with messages. */
export const messageRequests: Handlers<Names> = {
  send: async (network, { account, device }, draft) => {
    // Neither acknowledged nor refused.
    if (account.restricted) return new Promise(() => undefined);
    const { refusal } = account;
    if (refusal.kind === 'network') throw new NetworkRefusal(refusal.code ?? 500, 'the network does not take it');
    if (refusal.kind === 'nack') return { nack: refusal.code ?? 463 };
    try {
      return { t: (await network.postOffice.submit(read(network, account, draft), device)).timestamp };
    } catch (error) {
      if (error instanceof SimulatorError) return { nack: error.status };
      throw error;
    }
  },
  history: (network, { account }, { chat, before, limit }) => {
    const party = network.party(chat, account, 'chat');
    const log = visible(account).filter((message) => partyOf(message, account) === party);
    const end =
      before === undefined ? log.length : log.findIndex(({ id, revocation }) => before === (revocation?.id ?? id));
    return log.slice(Math.max(0, end - limit), Math.max(0, end)).map((message) => deviceView(message, account));
  },
  message: (_network, { account }, { id }) => {
    const found = findMessage(account, id);
    return found ? deviceView(found, account) : null;
  },
  react: async ({ changes, postOffice }, { account }, { id, emoji }) => {
    await postOffice.settled(id);
    changes.react(account, id, emoji);
    return null;
  },
  edit: async ({ changes, postOffice }, { account }, { id, body }) => {
    await postOffice.settled(id);
    changes.edit(account, id, body);
    return null;
  },
  revoke: async ({ changes, postOffice }, { account }, { id }) => {
    await postOffice.settled(id);
    changes.revoke(account, id);
    return null;
  },
  hide: async ({ changes, postOffice }, { account }, { ids }) => {
    await Promise.all(ids.map((id) => postOffice.settled(id)));
    changes.hide(account, ids);
    return null;
  },
};

/** What a device wants to send, as the network has it; throws for what cannot be sent. */
function read(network: Network, account: AccountRecord, draft: WireDraft): Message {
  const to = network.party(draft.chat, account, 'chat');
  if (to.kind === 'group') requireWriter(to, account);
  if (to.kind === 'newsletter') throw new SimulatorError(403, `chat: ${account.number} does not write to channels`);
  const { id, t, type, body, style, fields } = draft;
  return createMessage({
    id,
    from: account,
    to,
    type,
    body,
    timestamp: t,
    style,
    fields,
    quoted: quoteOf(network, draft),
    attachment: attachmentOf(network, draft),
    mentions: draft.mentions?.flatMap((who) => network.directory.find(who) ?? []) ?? [],
  });
}

function visible(account: AccountRecord) {
  return account.log.filter(({ hiddenFrom }) => !hiddenFrom.has(account));
}

function quoteOf({ directory }: Network, { quoted }: WireDraft) {
  const author = quoted && directory.find(quoted.author);
  return quoted && author ? { id: quoted.id, body: quoted.body, author } : undefined;
}

/** What the page says about its file, with the size and the hash of what the media server really got. */
function attachmentOf({ mediaStore }: Network, { media }: WireDraft): Attachment | undefined {
  if (!media) return undefined;
  const file = mediaStore.find(media.directPath);
  if (!file) throw new SimulatorError(404, `media: nothing was uploaded to ${media.directPath}`);
  return { ...media, size: file.size, sha256: file.sha256 };
}
