import { Collection } from '../collection.ts';
import { resolveMedia } from '../media/downloads.ts';
import { MediaData, type MediaFields, mediaFieldNames } from '../media/media-data.ts';
import { Model } from '../model.ts';
import type { MsgKey } from '../msg-key.ts';
import type { Wid } from '../wid.ts';
import type { WireNotice, WireType } from '../wire.ts';

/** What a message consists of; `ciphertext` is one that is not decrypted yet. */
export interface MsgAttributes extends MediaFields {
  id: MsgKey;
  type: WireType | 'ciphertext';
  subtype: WireNotice['subtype'] | 'sender' | 'admin' | 'encrypt' | 'disappearing_mode' | undefined;
  /** The text; of a file, the thumbnail. */
  body: string | undefined;
  caption: string | undefined;
  /** False where the caption is but the name of a document. */
  isCaptionByUser: boolean;
  /** Unix seconds. */
  t: number;
  from: Wid;
  to: Wid;
  /** Who wrote it, in groups and in the status feed. */
  author: Wid;
  self: 'in' | 'out';
  ack: number;
  isSendFailure: boolean;
  /** Arrived or was written while the page was there, as opposed to history. */
  isNewMsg: boolean;
  local: boolean;
  notifyName: string;
  viewed: boolean;
  star: boolean;
  hasReaction: boolean;
  quotedMsg: { type: string; body: string };
  quotedStanzaID: string;
  quotedParticipant: Wid;
  /** The chat of the quoted message; null: that of the reply. */
  quotedRemoteJid: Wid | null;
  mentionedJidList: Wid[];
  groupMentions: unknown[];
  /** Whom a notice in a group concerns. */
  recipients: string[];
  latestEditMsgKey: MsgKey;
  latestEditSenderTimestampMs: number;
  /** Of a message that was deleted for everyone: its former id. */
  protocolMessageKey: MsgKey;
  /** Who deleted it for everyone, and when in Unix seconds. */
  revokeSender: Wid;
  revokeTimestamp: number;
  backgroundColor: number;
  font: number;
  /** Of notices: what they are about, and whether they are visible. */
  kind: string;
  viewMode: string;
  templateParams: unknown[];
  /** Of an entry of the call log. */
  callOutcome: string;
  isVideoCall: boolean;
  callCreator: Wid;
  callParticipants: unknown[];
  /** By which what refers to it is encrypted, such as the votes of a poll; it stays between the devices. */
  messageSecret: Uint8Array;
}

/** Fields that the network passes on unread: of places, contact cards, polls, invitations, previews, mentions and forwarding. */
export const passedFields = [
  ...['loc', 'lat', 'lng', 'vcardFormattedName', 'vcardList'],
  ...[
    'pollName',
    'pollOptions',
    'pollSelectableOptionsCount',
    'title',
    'description',
    'matchedText',
    'nonJidMentions',
    'isForwarded',
  ],
  ...['inviteCode', 'inviteCodeExp', 'inviteGrp', 'inviteGrpName'],
] as const;

/** Types of messages that no person has written. */
const noticeTypes: readonly (string | undefined)[] = [
  ...['gp2', 'call_log', 'e2e_notification', 'notification_template'],
];

/** What a reply carries of the message that it answers. */
export type ContextInfo = Pick<MsgAttributes, 'quotedMsg' | 'quotedStanzaID' | 'quotedParticipant' | 'quotedRemoteJid'>;

/** A message. */
export class Msg extends Model<MsgAttributes> {
  static override readonly props = [
    ...['id', 'type', 'subtype', 'body', 'caption', 'isCaptionByUser', 't', 'from', 'to', 'author', 'self', 'ack'],
    ...[
      'isSendFailure',
      'isNewMsg',
      'local',
      'notifyName',
      'viewed',
      'star',
      'hasReaction',
      'quotedMsg',
      'quotedStanzaID',
    ],
    ...['quotedParticipant', 'quotedRemoteJid', 'mentionedJidList', 'groupMentions', 'recipients', 'latestEditMsgKey'],
    'messageSecret',
    ...[
      'latestEditSenderTimestampMs',
      'protocolMessageKey',
      'revokeSender',
      'revokeTimestamp',
      'backgroundColor',
      'font',
    ],
    ...['kind', 'viewMode', 'templateParams', 'callOutcome', 'isVideoCall', 'callCreator', 'callParticipants'],
    ...mediaFieldNames,
    ...passedFields,
  ];
  /** There where the message has a file. */
  readonly mediaData: MediaData | undefined;
  readonly mediaObject: MediaData | undefined;

  /** Throws without an id. */
  constructor(values: Partial<MsgAttributes>) {
    super(values);
    requireId(this.get('id'));
    if (!values.directPath) return;
    // Files that were sent from here are present; others are downloaded on request.
    const mediaStage = values.local ? 'RESOLVED' : 'NEED_POKE';
    this.mediaData = new MediaData({ type: values.type ?? '', mediaStage, directPath: values.directPath });
    this.mediaObject = this.mediaData;
  }

  get isStatusV3(): boolean {
    return this.get('id')?.remote.isStatus() ?? false;
  }

  get isNotification(): boolean {
    return noticeTypes.includes(this.get('type'));
  }

  /** The model behind a view of it; here there is but one. */
  unsafe(): this {
    return this;
  }

  canReply(): boolean {
    return canReply(this);
  }

  /** What a reply in that chat carries of this message. Anything but the id of its own chat counts as another chat. */
  msgContextInfo(chatId: unknown): ContextInfo {
    const { id, from, author, body, caption, type = 'chat' } = this.serialize() as Partial<MsgAttributes>;
    const participant = id?.participant ?? author ?? from;
    if (!id || !participant) throw new Error('the message has no id');
    return {
      quotedMsg: { type, body: caption ?? body ?? '' },
      quotedStanzaID: id.id,
      quotedParticipant: participant,
      quotedRemoteJid: chatId && !id.remote.equals(chatId) ? id.remote : null,
    };
  }

  /** Acks only rise: a late receipt changes nothing. */
  updateAck(ack: number): void {
    if (ack > (this.get('ack') ?? 0)) this.set({ ack });
  }

  /** The network has rejected it. */
  fail(): void {
    this.set({ ack: -1, isSendFailure: true });
  }

  /** Brings the file to this machine; `mediaData.mediaStage` says how that went. */
  async downloadMedia(_options?: object): Promise<void> {
    const directPath = this.get('directPath');
    if (this.mediaData && directPath) await resolveMedia(this.mediaData, directPath);
  }
}

/** The page looks up who sent a message as soon as there is one, and remembers that under the message's id. */
function requireId(id: MsgKey | undefined): void {
  if (id) return;
  throw new Error(`Data passed to getter must include an id property (it's how we memoize) but got ${id}`);
}

/** False for a message that is still being sent, not decrypted, or deleted for everyone; and for statuses. */
export function canReply(msg: Msg): boolean {
  const type = msg.get('type');
  if (msg.get('id')?.remote.isBroadcast()) return false;
  return (msg.get('ack') ?? 0) > 0 && type !== 'ciphertext' && type !== 'revoked' && !msg.isNotification;
}

/** What the network brings to delete a message for everyone. */
export type RevokeRecord = Pick<MsgAttributes, 'id' | 'from' | 'to' | 't' | 'protocolMessageKey'> & {
  readonly type: 'protocol';
  readonly subtype: 'sender_revoke' | 'admin_revoke';
  readonly author: Wid | undefined;
  readonly isNewMsg: boolean;
};

class Messages extends Collection<Msg> {
  /** Shows what the database has of such records. Scripts wrap it, so that it is looked up for each. */
  processMultipleMessages: (chat: Wid, records: readonly RevokeRecord[]) => Promise<void> = async () => undefined;
}

/** Every message that the page holds. */
export const messages = new Messages(Msg as never);

/** An edit that the database has taken. */
interface MessageEdit {
  readonly parentMsg: Partial<MsgAttributes> & Pick<MsgAttributes, 'id'>;
  readonly editedMsgData: Partial<MsgAttributes>;
  readonly isLatest: boolean;
}

/** Shows edits; scripts wrap it, too. */
export const messageEdits = {
  updateEditedMessagesAction: async (edits: readonly MessageEdit[]): Promise<void> => {
    for (const { parentMsg, editedMsgData } of edits) messages.get(parentMsg.id)?.set(editedMsgData);
  },
};
