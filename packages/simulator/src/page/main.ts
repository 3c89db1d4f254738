import { loadCredentials } from './credentials.ts';
import { lateModules, lazyComponents } from './lazy-modules.ts';
import { mediaServer } from './media/media-server.ts';
import { accountModules } from './modules/account-modules.ts';
import { addressBookModules } from './modules/address-book-modules.ts';
import { chatModules } from './modules/chat-modules.ts';
import { collectionModules } from './modules/collection-modules.ts';
import { commandModules } from './modules/command-modules.ts';
import { contactModules } from './modules/contact-modules.ts';
import { forwardModules } from './modules/forward-modules.ts';
import { groupModules } from './modules/group-modules.ts';
import { historyModules } from './modules/history-modules.ts';
import { limitModules } from './modules/limit-modules.ts';
import { linkModules } from './modules/link-modules.ts';
import { mediaModules } from './modules/media-modules.ts';
import { messageModules } from './modules/message-modules.ts';
import { messageQueryModules } from './modules/message-query-modules.ts';
import { newsletterModules } from './modules/newsletter-modules.ts';
import { statusModules } from './modules/status-modules.ts';
import { userModules } from './modules/user-modules.ts';
import { createPage, type Page } from './page.ts';
import { installGlobals } from './page-globals.ts';
import { currentQr, showState } from './qr-view.ts';
import { Registry } from './registry.ts';
import { firstSwitches, switches } from './switches.ts';
import { connectTestControl } from './test-control.ts';
import type { PageFault, PageSettings } from './wire.ts';

/** One id for as long as the tab lives, so that a test finds it again after a reload. */
function tabId(): string {
  const id = sessionStorage.getItem('tab') ?? crypto.randomUUID();
  sessionStorage.setItem('tab', id);
  return id;
}

const { fault, ...settings } = readPageSettings();
Object.assign(switches, settings);

const address = (path: string) => `wss://${location.host}${path}?page=${tabId()}`;
const page = createPage(address('/ws/chat'), await loadCredentials());
const credentials = () => page.link.credentials;

mediaServer.deviceId = () => credentials().device?.id;

const chatting = chatModules(page);
const sending = messageModules(page, chatting);
const groups = [
  { WAWebBuildConstants: { VERSION_STR: switches.pageVersion, VERSION_BASE: switches.pageVersion } },
  linkModules(page),
  limitModules(page),
  userModules(page),
  collectionModules(page),
  chatting,
  messageQueryModules(page),
  historyModules(page),
  sending,
  forwardModules(page, sending),
  commandModules(page),
  mediaModules,
  groupModules(page),
  statusModules(page),
  contactModules(page),
  addressBookModules(page),
  accountModules(page),
  newsletterModules(page),
];
const registry = new Registry(groups, {
  missing: [...switches.removedModules, ...switches.missingModules],
  components: lazyComponents(switches),
  unresolved: switches.lazyModules ? switches.unresolvedModules : {},
  late: switches.lateModulesMs > 0 ? lateModules : [],
  unknown: switches.unknownModules,
});

connectTestControl(address('/ws/test-control'), () => currentQr(credentials()), {
  logOut: () => page.link.logout(),
  breakModules: () => registry.breakAll(),
});
installGlobals(registry, switches);
setTimeout(() => registry.registerLate(), switches.lateModulesMs);
showState(credentials);
startLink(page, fault);

/** Starts the link; a fault of this page may stop it halfway. */
function startLink({ link, connection }: Page, fault: PageFault): void {
  if (fault === 'state') return;
  if (fault === 'sync') connection.handle('synced', () => undefined);
  link.start();
}

/** The settings in this document; they apply until the next load. An old saved document may lack some. */
function readPageSettings(): PageSettings {
  const written = JSON.parse(document.getElementById('page-settings')?.textContent ?? '{}') as Partial<PageSettings>;
  return { ...firstSwitches, fault: 'none', ...written };
}
