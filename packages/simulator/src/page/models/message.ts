import { Collection } from '../collection.ts';
import { resolveMedia } from '../media/downloads.ts';
import { MediaData, type MediaFields, mediaFieldNames } from '../media/media-data.ts';
import { Model } from '../model.ts';
import type { MsgKey } from '../msg-key.ts';
import type { Wid } from '../wid.ts';

export interface MsgAttributes extends MediaFields {
  id: MsgKey;
  /** `ciphertext` is one that is not decrypted yet. */
  type: string;
  /** What a notice is about, who has deleted a message, or why it is not decrypted. */
  subtype: string | undefined;
  /** The text; of a file, the thumbnail. */
  body: string | undefined;
  caption: string | undefined;
  /** False if the caption is only the name of a document. */
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
  errorCode: string;
  /** Arrived or was written while the page was open, as opposed to history. */
  isNewMsg: boolean;
  local: boolean;
  notifyName: string;
  viewed: boolean;
  star: boolean;
  hasReaction: boolean;
  /** The quoted message, as far as the reply has it. */
  quotedMsg: Partial<MsgAttributes>;
  quotedStanzaID: string;
  quotedParticipant: Wid;
  /** The chat of the quoted message; null: that of the reply. */
  quotedRemoteJid: Wid | null;
  /** The message that it belongs to, such as an album. */
  parentMsgKey: MsgKey;
  associationType: string;
  mentionedJidList: Wid[];
  groupMentions: unknown[];
  /** The people concerned by a notice in a group. */
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
  /** Of notices: their kind, and whether they are visible. */
  kind: string;
  viewMode: string;
  templateParams: unknown[];
  /** Of an entry of the call log. */
  callOutcome: string;
  isVideoCall: boolean;
  callCreator: Wid;
  callParticipants: unknown[];
  /** The key for data that refers to it, such as the votes of a poll; only the devices have it. */
  messageSecret: Uint8Array;
}

/** Fields that the network forwards: of places, contact cards, polls, invitations, previews, mentions, forwarding, timers. */
export const passedFields = [
  'loc',
  'lat',
  'lng',
  'vcardFormattedName',
  'vcardList',
  'pollName',
  'pollOptions',
  'pollSelectableOptionsCount',
  'title',
  'description',
  'matchedText',
  'nonJidMentions',
  'isForwarded',
  'inviteCode',
  'inviteCodeExp',
  'inviteGrp',
  'inviteGrpName',
  'ephemeralDuration',
] as const;

/** Further fields of messages, which only some clients send. */
const otherFields = [
  'ctwaContext',
  'selectedButtonId',
  'selectedId',
  'listResponse',
  'interactivePayload',
  'isFromTemplate',
  'isDynamicReplyButtonsMsg',
  'footer',
  'list',
  'interactiveHeader',
  'carouselCardsParsed',
  'orderTitle',
  'message',
  'paymentNoteMsg',
  'richResponse',
  'quarantineExtractedText',
  'comment',
  'newsletterAdminInviteInfo',
  'newsletterFollowerInviteInfo',
  'eventName',
  'eventDescription',
  'eventLocation',
  'futureproofType',
];

/** What a reply contains of the quoted message. */
const quotedFields: readonly string[] = ['type', 'body', 'caption', ...mediaFieldNames, ...passedFields];

/** The network's code for an account that has reached its monthly limit of new people. */
const MONTHLY_LIMIT = 475;

/** Types of messages that no person has written. */
const noticeTypes: readonly (string | undefined)[] = ['gp2', 'call_log', 'e2e_notification', 'notification_template'];

/** What a reply contains of the message that it answers. */
export type ContextInfo = Pick<MsgAttributes, 'quotedMsg' | 'quotedStanzaID' | 'quotedParticipant' | 'quotedRemoteJid'>;

export class Msg extends Model<MsgAttributes> {
  static override readonly props = [
    'id',
    'type',
    'subtype',
    'body',
    'caption',
    'isCaptionByUser',
    't',
    'from',
    'to',
    'author',
    'self',
    'ack',
    'isSendFailure',
    'errorCode',
    'isNewMsg',
    'local',
    'notifyName',
    'viewed',
    'star',
    'hasReaction',
    'quotedMsg',
    'quotedStanzaID',
    'quotedParticipant',
    'quotedRemoteJid',
    'parentMsgKey',
    'associationType',
    'mentionedJidList',
    'groupMentions',
    'recipients',
    'latestEditMsgKey',
    'messageSecret',
    'latestEditSenderTimestampMs',
    'protocolMessageKey',
    'revokeSender',
    'revokeTimestamp',
    'backgroundColor',
    'font',
    'kind',
    'viewMode',
    'templateParams',
    'callOutcome',
    'isVideoCall',
    'callCreator',
    'callParticipants',
    ...mediaFieldNames,
    ...passedFields,
    ...otherFields,
  ];
  /** Present if the message has a file. */
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

  get isNotification(): boolean {
    return noticeTypes.includes(this.get('type'));
  }

  /** The model behind a view of it; here both are the same. */
  unsafe(): this {
    return this;
  }

  /** What a reply in that chat contains of this message. Any value but the id of its own chat counts as another. */
  msgContextInfo(chatId: unknown): ContextInfo {
    const values = this.serialize() as Partial<MsgAttributes>;
    const { id, from, author } = values;
    const participant = id?.participant ?? author ?? from;
    if (!id || !participant) throw new Error('the message has no id');
    return {
      quotedMsg: Object.fromEntries(Object.entries(values).filter(([name]) => quotedFields.includes(name))),
      quotedStanzaID: id.id,
      quotedParticipant: participant,
      quotedRemoteJid: chatId && !id.remote.equals(chatId) ? id.remote : null,
    };
  }

  /** Acks only increase: a late receipt changes nothing. */
  updateAck(ack: number): void {
    if (ack > (this.get('ack') ?? 0)) this.set({ ack });
  }

  /** The network has rejected it, with that code. */
  fail(code?: number): void {
    this.set({ ack: -1, isSendFailure: true });
    if (code === MONTHLY_LIMIT) this.set({ errorCode: 'UserReachedMaxMonthlyLimitForNewMessages' });
  }

  /** Downloads the file; `mediaData.mediaStage` has the result. */
  async downloadMedia(_options?: object): Promise<void> {
    const directPath = this.get('directPath');
    if (this.mediaData && directPath) await resolveMedia(this.mediaData, directPath);
  }
}

/** The page looks up the sender of a message at once, and caches it under the message's id. */
function requireId(id: MsgKey | undefined): void {
  if (id) return;
  throw new Error(`Data passed to getter must include an id property (it's how we memoize) but got ${id}`);
}

/** The record by which the network deletes a message for everyone. */
export type RevokeRecord = Pick<MsgAttributes, 'id' | 'from' | 'to' | 't' | 'protocolMessageKey'> & {
  readonly type: 'protocol';
  readonly subtype: 'sender_revoke' | 'admin_revoke';
  readonly author: Wid | undefined;
  readonly isNewMsg: boolean;
};

class Messages extends Collection<Msg> {
  /** Shows such records from the database. Scripts wrap it, so it is looked up for each. */
  processMultipleMessages: (chat: Wid, records: readonly RevokeRecord[]) => Promise<void> = async () => undefined;
}

/** Every message that the page holds. */
export const messages = new Messages(Msg as never);

/** An edit that the database has stored. */
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
