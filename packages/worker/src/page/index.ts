/** The functions of the page program that the worker calls, by name. */

export {
  readPrivacy,
  readProfile,
  removeProfilePicture,
  setAbout,
  setName,
  setPresence,
  setPrivacy,
  setProfilePicture,
} from './account.ts';
export { attach } from './attach.ts';
export { rejectCall } from './calls.ts';
export { changesSince, listenToChanges } from './changes.ts';
export {
  followChannel,
  listChannelMessages,
  listChannels,
  postToChannel,
  readChannel,
  unfollowChannel,
} from './channels.ts';
export {
  archiveChat,
  clearChat,
  deleteChat,
  getChat,
  markChatRead,
  markChatUnread,
  muteChat,
  pinChat,
  setChatState,
} from './chat-changes.ts';
export { listChats, listGroups } from './chats.ts';
export {
  getAbout,
  getBusinessProfile,
  listBlocked,
  listCommonGroups,
  numbersExist,
  resolveContacts,
  setBlocked,
} from './contact-details.ts';
export { checkForward, forwardMessage, loadForward } from './forwarding.ts';
export { changeRoles, changeSettings, readGroup, setDescription } from './group-details.ts';
export {
  answerJoinRequests,
  joinByInvite,
  queryInvite,
  queryJoinRequests,
  readInvite,
  renewInvite,
} from './group-invites.ts';
export { removeGroupPicture, requireKnownGroup, setGroupPicture } from './group-pictures.ts';
export { addParticipants, createGroup, leaveGroup, removeParticipants, renameGroup } from './groups.ts';
export { hasChanged, inboundSince, loadSince, messageModels } from './inbox.ts';
export { listLabels, setChatLabels } from './labels.ts';
export { readLinkScreen, refreshQr, requestCode, returnToQr } from './linking.ts';
export { dropFile, heldFile, keepFile, loadMedia, loadPicture, makeSticker, openFileInput } from './media.ts';
export {
  getMessage,
  listMessages,
  listPollVotes,
  listReactions,
  listReceipts,
  loadThumbnail,
  pinMessage,
  searchMessages,
  starMessage,
} from './message-queries.ts';
export { acksOf, acksSince, checkSend, deleteMessage, editMessage, react, readSent, sendMessage } from './messages.ts';
export { prepareModules, resolveContract } from './modules.ts';
export { loadOlderMessages } from './older-messages.ts';
export { findContact, listContacts, numberExists } from './people.ts';
export { subscribePresence } from './presence.ts';
export { queryNetwork, readAccount, readPageState, unlink } from './session.ts';
export { mark } from './set-up.ts';
export { postMediaStatus, postTextStatus } from './status-feed.ts';
export { listStatuses, loadStatuses, markStatusSeen } from './statuses.ts';
