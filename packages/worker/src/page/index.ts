/** The functions of the page program that the worker calls, by name. */

export {
  getPrivacy,
  getProfile,
  removeProfilePicture,
  setPresence,
  setProfileAbout,
  setProfileName,
  setProfilePicture,
  updatePrivacy,
} from './account.ts';
export { attach } from './attach.ts';
export { rejectCall } from './calls.ts';
export { changesSince, listenToChanges } from './changes.ts';
export {
  followChannel,
  getChannel,
  listChannelMessages,
  listChannels,
  postToChannel,
  unfollowChannel,
} from './channels.ts';
export {
  archiveChat,
  clearChat,
  deleteChat,
  getChat,
  listChats,
  markChatRead,
  markChatUnread,
  muteChat,
  pinChat,
  setChatState,
  subscribePresence,
} from './chats.ts';
export {
  findUsername,
  getAbout,
  getBusinessProfile,
  listBlocked,
  listCommonGroups,
  numbersExist,
  resolveContacts,
  setBlocked,
} from './contact-details.ts';
export { deleteContact, getContact, listContacts, numberExists, numbersOf, saveContact } from './contacts.ts';
export { nameDevice } from './device-name.ts';
export {
  changeRoles,
  getGroup,
  removeGroupPicture,
  requireKnownGroup,
  setGroupDescription,
  setGroupPicture,
  updateGroupSettings,
} from './group-details.ts';
export {
  answerJoinRequests,
  getGroupInvite,
  getInvite,
  joinGroup,
  listJoinRequests,
  renewGroupInvite,
} from './group-invites.ts';
export { addParticipants, createGroup, leaveGroup, listGroups, removeParticipants, renameGroup } from './groups.ts';
export { contentsOf, hasChanged, inboundSince, loadSince, messageModels } from './inbox.ts';
export { listLabels, setChatLabels } from './labels.ts';
export { readLinkScreen, refreshQr, requestCode, returnToQr, watchLinking } from './linking.ts';
export {
  describeMedia,
  dropFile,
  heldFile,
  keepFile,
  loadMedia,
  loadPicture,
  makeSticker,
  openFileInput,
} from './media.ts';
export {
  getMessage,
  listMessages,
  listPollVotes,
  listReactions,
  listReceipts,
  loadOlderMessages,
  loadThumbnail,
  pinMessage,
  searchMessages,
  starMessage,
} from './message-queries.ts';
export {
  acksOf,
  acksSince,
  checkForward,
  checkSend,
  deleteMessage,
  editMessage,
  forwardMessage,
  loadForward,
  react,
  readSent,
  sendMessage,
} from './messages.ts';
export { prepareModules, resolveContract } from './modules.ts';
export { queryNetwork, readAccount, readPageState, unlink } from './session.ts';
export { mark } from './set-up.ts';
export { listStatuses, loadStatuses, markStatusSeen, postMediaStatus, postTextStatus } from './status-feed.ts';
