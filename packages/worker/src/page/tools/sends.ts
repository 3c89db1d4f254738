import { within } from '../delay.ts';
import type { PageChat, PageMessage } from '../models.ts';
import { idsOf, isMe, lidOf, optional, phoneOr } from './identities.ts';
import { personWid } from './number-forms.ts';

// Fields of every message, which a preview must not set.
const ownFields = ['id', 'ack', 'body', 'from', 'to', 'local', 'self', 't', 'isNewMsg', 'type', 'chatWebMark'];

const token = /@(\d{1,20})(?!\d)/g;

function userOf(id: string) {
  return id.slice(0, id.indexOf('@'));
}

/** The fields of a link preview, made by the account's phone; none without a link, or if it is not ready in time. */
export async function previewOf(
  text: string,
  chat: PageChat,
  timeoutMs: number,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    const shown = optional('WAWebCodeFormatMutator')?.removeCodeBlocks?.(text) ?? text;
    // Web addresses only: without the second argument, e-mail addresses and missing spaces count as links, too.
    const link = optional('WALinkify')?.findLinks?.(shown, true)[0];
    const load = optional('WAWebLinkPreviewChatAction')?.getLinkPreview;
    if (!link || !load) return {};
    const data = (await within(load(link, chat), timeoutMs))?.data;
    if (!data) return {};
    const fields = Object.entries(data).filter(([name]) => !ownFields.includes(name));
    return { ...Object.fromEntries(fields), preview: true, subtype: 'url' };
  } catch {
    return {}; // The text matters more than its preview.
  }
}

/** The mentioned people and the text, with the kind of ids that the group uses for its members. */
export function mentioned(
  chat: Pick<PageChat, 'id' | 'groupMetadata'>,
  ids: readonly string[],
  text: string,
): { readonly ids: string[]; readonly text: string } {
  const isGroup = String(chat.id).endsWith('@g.us');
  const byLid = chat.groupMetadata?.isLidAddressingMode === true;
  const known = (id: string) => {
    const wid = personWid(id);
    if (!isGroup) return String(wid);
    return (byLid ? lidOf(wid) : phoneOr(wid)) ?? String(wid);
  };
  const pairs = new Map(ids.map((id) => [id, known(id)]));
  const users = new Map([...pairs].map(([id, other]) => [userOf(id), userOf(other)]));
  return {
    ids: [...new Set(pairs.values())],
    text: text.replace(token, (written, user: string) => `@${users.get(user) ?? written.slice(1)}`),
  };
}

/** The chat's setting "advanced chat privacy", which the page puts into each message: other clients read it there. */
export function sharingFields({ id, limitSharing }: Pick<PageChat, 'id' | 'limitSharing'>): { limitSharing?: object } {
  if (limitSharing?.sharingLimited !== true) return {};
  const { initiatedBy, trigger, ...rest } = limitSharing;
  const map = optional('WAWebLimitSharingPropMappingUtils')?.getLimitSharingTriggerFromGroupSettingsChange;
  const isNamed = String(id).endsWith('@g.us') && typeof trigger === 'string';
  const initiatedByMe = initiatedBy != null && isMe(initiatedBy);
  return { limitSharing: { ...rest, trigger: isNamed ? map?.(trigger) : trigger, initiatedByMe } };
}

/** The people mentioned in a message that its new text still mentions, by the ids in the text. */
export function mentionedStill({ mentionedJidList = [] }: PageMessage, text: string): string[] {
  const users = new Set([...text.matchAll(token)].map(([, user]) => user));
  return mentionedJidList.flatMap(idsOf).filter((id) => users.has(userOf(id)));
}
