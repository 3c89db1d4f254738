import { cmd } from '../models/cmd.ts';
import { conn } from '../models/conn.ts';
import { socket, stream } from '../models/socket.ts';
import type { Page } from '../page.ts';
import type { Modules } from '../registry.ts';

/** The connection, its states, and what can be done to the link. */
export function linkModules({ link }: Page): Modules {
  const refreshQR = () => link.refreshQr();
  return {
    WAWebSocketModel: {
      Socket: Object.assign(socket, { logout: () => link.logout(), takeover: () => link.takeover() }),
    },
    WAWebStreamModel: { Stream: stream },
    WAWebConnModel: { Conn: conn },
    WAWebCmd: { Cmd: Object.assign(cmd, { refreshQR }) },
    WAWebLaunchSocketUtils: { refreshQR },
    WAWebOfflineHandler: { OfflineMessageHandler: { getOfflineDeliveryProgress: () => link.offlineProgress } },
    WAWebPresenceChatAction: {
      sendPresenceAvailable: async () => stream.markAvailable(),
      sendPresenceUnavailable: async () => stream.markUnavailable(),
    },
  };
}
