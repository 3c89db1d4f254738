import { conn } from '../models/conn.ts';
import { socket, stream } from '../models/socket.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';

/** The connection, its states, and the actions on the link. */
export function linkModules({ link, users }: Page): Modules {
  return {
    WAWebSocketModel: {
      Socket: Object.assign(socket, { logout: () => link.logout(), takeover: () => link.takeover() }),
    },
    WAWebStreamModel: { Stream: stream },
    // The name of a business account is changed on its phone.
    WAWebConnModel: { Conn: Object.assign(conn, { canSetMyPushname: () => users.self?.isBusiness !== true }) },
    WAWebLaunchSocketUtils: { refreshQR: () => link.refreshQr() },
    WAWebOfflineHandler: {
      OfflineMessageHandler: {
        getOfflineDeliveryProgress: () => link.offlineProgress,
        hasInitOfflineResumeManager: () => true,
        isResumeComplete: () => link.isResumed,
        getFinishedDownloading: () => link.offlineProgress === 100,
        isResumeFromRestartComplete: () => link.isResumed,
      },
    },
  };
}
