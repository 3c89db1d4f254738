/**
 * What comes with which component of the Bootloader, under the names that the real page had in August 2026. There, of
 * these modules, only those that revoke a status, create a group and deal with invitations come late; the others are
 * here so that every way of using the page on demand can be tried.
 */
export const lazyComponents: Readonly<Record<string, readonly string[]>> = {
  'WAWebStatusViewer.react': ['WAWebRevokeStatusAction', 'WAWebSendStatusMsgAction'],
  'WAWebStatusDrawerFlow.react': ['WAWebRevokeStatusAction', 'WAWebSendStatusMsgAction'],
  'WAWebCreateTextStatusFlow.react': ['WAWebSendStatusMsgAction'],
  'WAWebStatusAttachMediaFlow.react': ['WAWebSendStatusMsgAction', 'WAWebPrepRawMedia', 'WAWebUploadManager'],
  'WAWebNewGroupFlow.react': [
    'WAWebGroupCreateJob',
    'WAWebModifyParticipantsGroupAction',
    'WAWebExitGroupAction',
    'WAWebContactProfilePicThumbBridge',
  ],
  'WAWebExistingGroupPermissionsDrawer.react': ['WAWebModifyParticipantsGroupAction', 'WAWebExitGroupAction'],
  'WAWebGroupInviteLinkDrawer.react': ['WAWebGroupInviteJob', 'WAWebMexFetchGroupInviteCodeJob'],
  'WAWebGroupInviteLinkModal.react': ['WAWebGroupInviteJob', 'WAWebMexFetchGroupInviteCodeJob'],
  WAWebMediaForwardMediaMsg: ['WAWebPrepRawMedia', 'WAWebUploadManager'],
  'WAWebAttachMediaFlow.react': ['WAWebPrepRawMedia', 'WAWebUploadManager'],
  'WAWebProfileDrawer.react': ['WAWebContactProfilePicThumbBridge'],
};

/** Modules that register some time after the page's load where `lateModulesMs` says so. */
export const lateModules: readonly string[] = [
  'WAWebSyncGatingUtils',
  'WAWebNonMessageDataRequestPlaceholderMessageResendUtils',
  'WAWebLinkPreviewChatAction',
  'WAWebMsgActionCapability',
];
