export { cacheOptionsFromEnv } from './cache/cache-options-from-env.ts';
export { cloudWebhookFromEnv, type Environment } from './cloud/cloud-from-env.ts';
export { filePosition } from './node/file-position.ts';
export { gatewayAddress, unixSocketFetch } from './node/unix-socket-fetch.ts';
