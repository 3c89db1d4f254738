import * as v from 'valibot';

/** The setting of the log level, which a running gateway reads again. */
export const logLevel = {
  name: 'CHAT_WEB_LOG_LEVEL',
  schema: v.picklist(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'must be fatal, error, warn, info, debug, trace or silent',
  ),
  fallback: 'info',
  meaning: 'log level: fatal, error, warn, info, debug, trace or silent',
} as const;
