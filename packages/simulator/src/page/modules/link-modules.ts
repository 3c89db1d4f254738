import { conn } from '../models/conn.ts';
import { socket, stream } from '../models/socket.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';

/** The connection, its states, and what can be done to the link. */
export function linkModules({ link }: Page): Modules {
  return {
    WAWebSocketModel: {
      Socket: Object.assign(socket, { logout: () => link.logout(), takeover: () => link.takeover() }),
    },
    WAWebStreamModel: { Stream: stream },
    WAWebConnModel: { Conn: conn },
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
