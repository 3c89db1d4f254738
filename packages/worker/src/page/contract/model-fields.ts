import type { PageChat, PageContact, PageGroup, PageMessage, PageParticipant } from '../models.ts';
import type { Capability, Part } from './part.ts';

/** Fields of the models in a collection, each once. */
type Fields<C extends string, M> = { readonly [F in keyof M & string as `${C}[].${F}`]-?: Part };

/** A field of at least some of the newest models. */
const field = (...without: Capability[]): Part => ({ is: 'field', without });
/** A field of some kinds of models only. */
const some: Part = { is: 'any', without: [] };

/**
 * The fields of the page's models that we read, as part of the contract. The types that the program uses determine the
 * fields; each start checks the page's models for those that every model must have.
 */
export const modelFields: Fields<'Msg', PageMessage> &
  Fields<'Chat', PageChat> &
  Fields<'Contact', PageContact> &
  Fields<'Chat[].groupMetadata', PageGroup> &
  Fields<'Chat[].groupMetadata.participants', PageParticipant> = {
  'Msg[].id': field('message', 'message_ack'),
  'Msg[].type': field('message'),
  'Msg[].t': field('message', 'missedMessages'),
  'Msg[].ack': some,
  'Msg[].from': some,
  'Msg[].to': some,
  'Msg[].author': some,
  'Msg[].errorCode': some,
  'Msg[].subtype': some,
  'Msg[].isNewMsg': some,
  'Msg[].isGroupStatus': some,
  'Msg[].viewMode': some,
  'Msg[].isForwarded': some,
  'Msg[].messageSecret': some,
  'Msg[].isSendFailure': some,
  'Msg[].star': some,
  'Msg[].body': some,
  'Msg[].caption': some,
  'Msg[].directPath': some,
  'Msg[].encFilehash': some,
  'Msg[].filehash': some,
  'Msg[].mediaKey': some,
  'Msg[].mediaKeyTimestamp': some,
  'Msg[].mimetype': some,
  'Msg[].filename': some,
  'Msg[].mediaData': some,
  'Msg[].quotedStanzaID': some,
  'Msg[].quotedParticipant': some,
  'Msg[].quotedRemoteJid': some,
  'Msg[].mentionedJidList': some,
  'Msg[].matchedText': some,
  'Msg[].nonJidMentions': some,
  'Msg[].isGif': some,
  'Msg[].isViewOnce': some,
  'Msg[].lat': some,
  'Msg[].lng': some,
  'Msg[].loc': some,
  'Msg[].vcardList': some,
  'Msg[].pollName': some,
  'Msg[].pollOptions': some,
  'Msg[].pollSelectableOptionsCount': some,
  'Msg[].recipients': some,
  'Msg[].templateParams': some,
  'Msg[].callOutcome': some,
  'Msg[].callCreator': some,
  'Msg[].isVideoCall': some,
  'Msg[].local': some,
  'Msg[].latestEditMsgKey': some,
  'Msg[].latestEditSenderTimestampMs': some,
  'Msg[].protocolMessageKey': some,
  'Msg[].revokeSender': some,
  'Msg[].revokeTimestamp': some,
  'Msg[].downloadMedia': field('getMedia'),
  'Msg[].once': field('lateDecryption'),
  'Msg[].unsafe': field('sendMessage.reply'),
  'Msg[].msgContextInfo': field('sendMessage.reply'),

  'Chat[].id': field('listChats', 'listGroups', 'getChat'),
  'Chat[].msgs': field('missedMessages'),
  'Chat[].pendingSeenCount': some,
  'Chat[].canSend': some,
  'Chat[].name': some,
  'Chat[].formattedTitle': some,
  'Chat[].unreadCount': some,
  'Chat[].t': some,
  'Chat[].archive': some,
  'Chat[].pin': some,
  'Chat[].mute': field('muteChat'),
  'Chat[].labels': some,
  'Chat[].lastReceivedKey': some,
  'Chat[].endOfHistoryTransferType': some,
  'Chat[].accountLid': some,
  'Chat[].tcToken': some,
  'Chat[].contact': some,
  'Chat[].groupMetadata': some,
  'Chat[].groupMetadata[].size': some,
  'Chat[].groupMetadata[].participants': some,
  'Chat[].groupMetadata[].desc': some,
  'Chat[].groupMetadata[].descId': some,
  'Chat[].groupMetadata[].owner': some,
  'Chat[].groupMetadata[].creation': some,
  'Chat[].groupMetadata[].isCag': some,
  'Chat[].groupMetadata[].announce': some,
  'Chat[].groupMetadata[].restrict': some,
  'Chat[].groupMetadata[].memberAddMode': some,
  'Chat[].groupMetadata[].memberLinkMode': some,
  'Chat[].groupMetadata[].membershipApprovalMode': some,
  'Chat[].groupMetadata[].isLidAddressingMode': some,
  'Chat[].newsletterMetadata': some,
  'Chat[].groupMetadata.participants[].id': some,
  'Chat[].groupMetadata.participants[].isAdmin': some,
  'Chat[].groupMetadata.participants[].isSuperAdmin': some,

  'Contact[].id': field('listContacts', 'getContact'),
  'Contact[].name': some,
  'Contact[].pushname': some,
  'Contact[].isBusiness': some,
  'Contact[].isContactBlocked': some,
};
