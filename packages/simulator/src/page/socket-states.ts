/** The states of the connection, with the library's names. */
export const socketStates = [
  ...(['CONFLICT', 'CONNECTED', 'DEPRECATED_VERSION', 'OPENING', 'PAIRING', 'PROXYBLOCK'] as const),
  ...(['SMB_TOS_BLOCK', 'TIMEOUT', 'TOS_BLOCK', 'UNLAUNCHED', 'UNPAIRED', 'UNPAIRED_IDLE'] as const),
] as const;

/** One of them. */
export type SocketState = (typeof socketStates)[number];
