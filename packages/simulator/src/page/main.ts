import { loadCredentials } from './credentials.ts';
import { startLink } from './faults.ts';
import { lateModules, lazyComponents } from './lazy-modules.ts';
import { mediaServer } from './media/media-server.ts';
import { accountModules } from './modules/account-modules.ts';
import { buildModules } from './modules/build-modules.ts';
import { chatActionModules } from './modules/chat-action-modules.ts';
import { chatModules } from './modules/chat-modules.ts';
import { collectionModules } from './modules/collection-modules.ts';
import { commandModules } from './modules/command-modules.ts';
import { contactDetailModules } from './modules/contact-detail-modules.ts';
import { contactModules } from './modules/contact-modules.ts';
import { forwardModules } from './modules/forward-modules.ts';
import { groupModules } from './modules/group-modules.ts';
import { historyModules } from './modules/history-modules.ts';
import { idModules } from './modules/id-modules.ts';
import { labelModules } from './modules/label-modules.ts';
import { linkModules } from './modules/link-modules.ts';
import { mediaModules } from './modules/media-modules.ts';
import { messageModules } from './modules/message-modules.ts';
import { messageQueryModules } from './modules/message-query-modules.ts';
import { newsletterModules } from './modules/newsletter-modules.ts';
import { presenceModules } from './modules/presence-modules.ts';
import { registrationModules } from './modules/registration-modules.ts';
import { statusModules } from './modules/status-modules.ts';
import { userModules } from './modules/user-modules.ts';
import { createPage } from './page.ts';
import { installGlobals } from './page-globals.ts';
import { readPageSettings } from './page-settings.ts';
import { currentQr, showState } from './qr-view.ts';
import { Registry } from './registry.ts';
import { sinceLoad } from './since-load.ts';
import { spelling } from './spelling.ts';
import { joinStage } from './stage.ts';
import { switches } from './switches.ts';

/** One id for as long as the tab lives, so that a test finds it again after a reload. */
function tabId(): string {
  const id = sessionStorage.getItem('tab') ?? crypto.randomUUID();
  sessionStorage.setItem('tab', id);
  return id;
}

const { fault, ...settings } = readPageSettings();
Object.assign(switches, settings);
Object.assign(spelling, { msgKey: switches.idProperty, wid: switches.widProperty });

const address = (path: string) => `wss://${location.host}${path}?page=${tabId()}`;
const page = createPage(address('/ws/chat'), switches.reconnectDelayMs, await loadCredentials());
const credentials = () => page.link.credentials;

mediaServer.deviceId = () => credentials().device?.id;

const sending = messageModules(page);
const groups = [
  idModules,
  buildModules(switches),
  linkModules(page),
  registrationModules(page),
  userModules(page),
  collectionModules(page),
  chatModules(page),
  chatActionModules(page),
  messageModules(page),
  messageQueryModules(page),
  historyModules(page),
  sending,
  forwardModules(page, sending),
  commandModules(page),
  mediaModules,
  groupModules(page),
  statusModules(page),
  contactModules(page),
  accountModules(page),
  presenceModules(page),
  newsletterModules(page),
  contactDetailModules(page),
  labelModules(page),
];
const registry = new Registry(groups, {
  missing: [...switches.removedModules, ...switches.missingModules],
  components: lazyComponents(switches),
  late: switches.lateModulesMs > 0 ? lateModules : [],
  unknown: switches.unknownModules,
});

joinStage(address('/ws/stage'), () => currentQr(credentials()), {
  logOut: () => page.link.logout(),
  breakModules: () => registry.breakAll(),
});
if (switches.loadDelayMs > 0) await sinceLoad(switches.loadDelayMs);
installGlobals(registry, switches);
setTimeout(() => registry.registerLate(), switches.lateModulesMs);
showState(credentials);
startLink(page, fault);
