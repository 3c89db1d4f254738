import type { PageSwitches } from './switches.ts';

/** Modules by the Bootloader component that loads them, with the names of the real page in August 2026. */
const components: Readonly<Record<string, readonly string[]>> = {
  'WAWebStatusViewer.react': ['WAWebRevokeStatusAction', 'WAWebSendStatusMsgAction'],
  'WAWebStatusDrawerFlow.react': ['WAWebRevokeStatusAction', 'WAWebSendStatusMsgAction'],
  'WAWebCreateTextStatusFlow.react': ['WAWebSendStatusMsgAction'],
  'WAWebNewGroupFlow.react': [
    'WAWebGroupCreateJob',
    'WAWebGroupModifyParticipantsJob',
    'WAWebExitGroupAction',
    'WAWebContactProfilePicThumbBridge',
  ],
  'WAWebExistingGroupPermissionsDrawer.react': [
    'WAWebGroupModifyParticipantsJob',
    'WAWebExitGroupAction',
    'WAWebMexUpdateGroupPropertyJob',
    'WAWebGroupMembershipRequestsActionJob',
  ],
  'WAWebGroupInviteLinkDrawer.react': ['WAWebGroupInviteJob', 'WAWebMexFetchGroupInviteCodeJob'],
  'WAWebGroupMembershipApprovalRequestsFlow.react': ['WAWebGroupMembershipRequestsActionJob'],
  WAWebMediaForwardMediaMsg: ['WAWebChatForwardMessage', 'WAWebPrepRawMedia', 'WAWebUploadManager'],
  'WAWebForwardMessageFlow.react': ['WAWebChatForwardMessage'],
  'WAWebAttachMediaFlow.react': ['WAWebPrepRawMedia', 'WAWebUploadManager'],
  'WAWebNewsletterTabFlow.react': ['WAWebLoadNewsletterPreviewChatAction', 'WAWebNewsletterUnsubscribeAction'],
  'WAWebProfileDrawer.react': ['WAWebContactProfilePicThumbBridge', 'WAWebSetPushnameConnAction'],
  'WAWebNewChatFlow.react': ['WAWebSaveContactAction', 'WAWebDeleteContactAction'],
  'WAWebSettingsFlow.react': ['WAWebSetPrivacyForOneCategoryAction'],
};

/** The modules that are lazy in the real page; the others are loaded at the start. */
const reallyLazy: readonly string[] = [
  'WAWebRevokeStatusAction',
  'WAWebGroupCreateJob',
  'WAWebChatForwardMessage',
  'WAWebGroupInviteJob',
  'WAWebMexFetchGroupInviteCodeJob',
  'WAWebSetPushnameConnAction',
  'WAWebSetPrivacyForOneCategoryAction',
  'WAWebLoadNewsletterPreviewChatAction',
  'WAWebNewsletterUnsubscribeAction',
];

/** The components that can be loaded, and the modules that are missing before. */
export function lazyComponents({
  lazyModules,
  moreLazyModules,
}: Pick<PageSwitches, 'lazyModules' | 'moreLazyModules'>): Record<string, readonly string[]> {
  if (!lazyModules) return {};
  const isLazy = (name: string) => moreLazyModules || reallyLazy.includes(name);
  return Object.fromEntries(Object.entries(components).map(([name, modules]) => [name, modules.filter(isLazy)]));
}

/** Modules that register `lateModulesMs` after the page's load. */
export const lateModules: readonly string[] = [
  'WAWebSyncGatingUtils',
  'WAWebNonMessageDataRequestPlaceholderMessageResendUtils',
  'WAWebLinkPreviewChatAction',
  'WAWebMsgActionCapability',
];
