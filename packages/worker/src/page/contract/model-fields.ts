import type { PageChat, PageContact, PageGroup, PageMessage, PageParticipant } from '../window.ts';
import type { Capability, Part } from './part.ts';

/** Fields of the models in a collection, each once. */
type Fields<C extends string, M> = { readonly [F in keyof M & string as `${C}[].${F}`]-?: Part };

/** A field of at least some of the newest models. */
const field = (form: string, ...without: Capability[]): Part => ({ is: 'field', form, without });
/** A field of some kinds of models only. */
const some = (form: string): Part => ({ is: 'any', form, without: [] });

/**
 * The fields of the page's models that we read, as part of the contract. The types that the scripts use determine the
 * fields; each start checks the page's models for those that every model must have.
 */
export const modelFields: Fields<'Msg', PageMessage> &
  Fields<'Chat', PageChat> &
  Fields<'Contact', PageContact> &
  Fields<'Chat[].groupMetadata', PageGroup> &
  Fields<'Chat[].groupMetadata.participants', PageParticipant> = {
  'Msg[].id': field('key of fromMe, remote and an id; String(key) is serialised', 'message', 'message_ack'),
  'Msg[].type': field('chat for a text, image, …; ciphertext before it is decrypted', 'message'),
  'Msg[].t': field('when it was sent, in Unix seconds', 'message', 'missedMessages'),
  'Msg[].ack': some('-1 failed, 0 not sent, 1 server, 2 device, 3 read, 4 played'),
  'Msg[].from': some('id of the chat it came from: in groups the group'),
  'Msg[].to': some('id of the chat it goes to'),
  'Msg[].author': some('id of the author, in groups and in the status feed'),
  'Msg[].subtype': some('why it is not decrypted: …_unavailable_fanout if it never will be'),
  'Msg[].isNewMsg': some('true if it arrived live'),
  'Msg[].isStatusV3': some('true for a post to the status feed'),
  'Msg[].isGroupStatus': some('true for a status posted to a group'),
  'Msg[].viewMode': some('HIDDEN, SCHEDULED_MESSAGE: the page does not show it; MEDIA_ALBUM: in an album'),
  'Msg[].isForwarded': some('true if it is forwarded'),
  'Msg[].isSendFailure': some('true if the send or the last edit has failed'),
  'Msg[].star': some('true if it is starred'),
  'Msg[].body': some('the text; for a file its thumbnail'),
  'Msg[].caption': some('the text with a file'),
  'Msg[].directPath': some('path of the file on the server; absent without a file'),
  'Msg[].encFilehash': some('hash of the encrypted file, for the download'),
  'Msg[].filehash': some('hash of the file, for the download'),
  'Msg[].mediaKey': some('key of the file, for the download'),
  'Msg[].mediaKeyTimestamp': some('when that key was created, for the download'),
  'Msg[].mimetype': some('type of the file'),
  'Msg[].filename': some('name of the file'),
  'Msg[].mediaData': some('mediaStage: INIT, FETCHING, RESOLVED, REUPLOADING, ERROR_…'),
  'Msg[].quotedStanzaID': some('id of the quoted message'),
  'Msg[].quotedParticipant': some('id of its author'),
  'Msg[].quotedRemoteJid': some('id of its chat, if that is not the chat of the reply'),
  'Msg[].mentionedJidList': some('ids of the people mentioned'),
  'Msg[].matchedText': some('the link of a preview, as written'),
  'Msg[].nonJidMentions': some('1 if it mentions everyone in the group'),
  'Msg[].isGif': some('true for a video shown as a GIF'),
  'Msg[].isViewOnce': some('true for media that can be opened once'),
  'Msg[].lat': some('latitude of a location, in degrees'),
  'Msg[].lng': some('longitude of a location, in degrees'),
  'Msg[].loc': some('name of a location, and its address on a second line'),
  'Msg[].vcardList': some('several contact cards: {displayName, vcard} of each'),
  'Msg[].pollName': some('question of a poll'),
  'Msg[].pollOptions': some('options of a poll: {name, localId} of each'),
  'Msg[].pollSelectableOptionsCount': some('how many options a person may choose; 0 for any number'),
  'Msg[].recipients': some('on a group notice: ids of the people it is about'),
  'Msg[].templateParams': some('on a request to add others: id of the requester, then of the others'),
  'Msg[].callOutcome': some('on a call log entry: Ongoing, Missed, Completed, …'),
  'Msg[].callCreator': some('who called'),
  'Msg[].isVideoCall': some('true for a video call'),
  'Msg[].local': some('true if it was created in this page'),
  'Msg[].latestEditMsgKey': some('changes with each edit'),
  'Msg[].latestEditSenderTimestampMs': some('when it was last edited'),
  'Msg[].protocolMessageKey': some('on a deleted message: its former id'),
  'Msg[].revokeSender': some('who deleted it for everyone'),
  'Msg[].revokeTimestamp': some('when that was'),
  'Msg[].downloadMedia': field('({downloadEvenIfExpensive, isUserInitiated, rmrReason}) → Promise', 'getMedia'),
  'Msg[].once': field('(change:type, listener(message))', 'lateDecryption'),
  'Msg[].unsafe': field('() → the message, for canReplyMsg', 'sendMessage.reply'),
  'Msg[].msgContextInfo': field('(id of the chat) → the fields of a reply in it', 'sendMessage.reply'),

  'Chat[].id': field('id of the chat', 'listChats', 'listGroups', 'getChat'),
  'Chat[].msgs': field('getModelsArray() → the loaded messages', 'missedMessages'),
  'Chat[].name': some('its name, if formattedTitle is absent'),
  'Chat[].formattedTitle': some('its name, as the page shows it'),
  'Chat[].unreadCount': some('number of unread messages'),
  'Chat[].t': some('when it last changed, in Unix seconds'),
  'Chat[].archive': some('true if it is archived'),
  'Chat[].pin': some('when it was pinned; absent or 0 if it is not'),
  'Chat[].mute': field('expiration in Unix seconds, mute({expiration, sendDevice}), unmute({sendDevice})', 'muteChat'),
  'Chat[].labels': some('ids of its labels'),
  'Chat[].lastReceivedKey': some('key of its last message'),
  'Chat[].endOfHistoryTransferType': some(
    '0, 3: the phone has older messages; 1: it has none; 2: the first sync is still running; 4: they are on the phone only; 5: they may not be shared',
  ),
  'Chat[].accountLid': some("the person's hidden id, in a chat with one person"),
  'Chat[].tcToken': some('token for pictures and texts that are not public'),
  'Chat[].groupMetadata': some('metadata of a group'),
  'Chat[].groupMetadata[].size': some('number of members'),
  'Chat[].groupMetadata[].participants': some('getModelsArray() and get(id) → members'),
  'Chat[].groupMetadata[].desc': some('the description'),
  'Chat[].groupMetadata[].descId': some('its id; a change based on another one is refused with 409'),
  'Chat[].groupMetadata[].owner': some('id of its creator'),
  'Chat[].groupMetadata[].creation': some('when it was created, in Unix seconds'),
  'Chat[].groupMetadata[].announce': some('true if only admins can send messages'),
  'Chat[].groupMetadata[].restrict': some('true if only admins can change subject, description and picture'),
  'Chat[].groupMetadata[].memberAddMode': some('admin_add or all_member_add'),
  'Chat[].groupMetadata[].memberLinkMode': some('all_member_link if all members may see the invite'),
  'Chat[].groupMetadata[].membershipApprovalMode': some('true if an admin approves requests to join'),
  'Chat[].groupMetadata[].isLidAddressingMode': some('true if members have hidden ids'),
  'Chat[].newsletterMetadata': some(
    'metadata of a channel: membershipType, name, description, size, inviteCode, verified',
  ),
  'Chat[].groupMetadata.participants[].id': some('id of the member, by number or hidden'),
  'Chat[].groupMetadata.participants[].isAdmin': some('true for an admin'),
  'Chat[].groupMetadata.participants[].isSuperAdmin': some('true for the creator of the group'),

  'Contact[].id': field('id of the person, by number or hidden', 'listContacts', 'getContact'),
  'Contact[].name': some('name in the address book'),
  'Contact[].pushname': some('name that the person chose'),
  'Contact[].isBusiness': some('true for a business account'),
  'Contact[].isContactBlocked': some('true if the account has blocked them'),
};
