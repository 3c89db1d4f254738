/** What the programs beside the gateway use: the tools of operators in `scripts/`, benchmarks and tests. */
export { Audit } from '../access/audit.ts';
export { isHash, tokenHash } from '../access/token.ts';
export {
  addHost,
  adoptFolder,
  clusterStatus,
  confirmHostOff,
  type HostStatus,
  initCluster,
  joinCluster,
  removeHost,
} from '../cluster/administration.ts';
export { clusterUrlsOf } from '../cluster/open-cluster.ts';
export { type Config, isInCluster, pagesDirOf, readConfig, version } from '../config.ts';
export { ConfigError } from '../config-error.ts';
export { startGateway } from '../gateway.ts';
export { availableMemoryBytes } from '../host/available-memory.ts';
export { WORKER_FILE } from '../host/browsers.ts';
export { freeDiskBytes, sizeOf } from '../host/disk.ts';
export {
  argsOf,
  familyOf,
  isAlive,
  killProcess,
  listProcesses,
  type Process,
  processIds,
} from '../host/processes.ts';
export { openApiDocument } from '../http/openapi.ts';
export type { NewRecord } from '../journal/frame.ts';
export { Journal, NotStoredError } from '../journal/journal.ts';
export { inspectJournal } from '../journal/segment.ts';
export { createLog } from '../log.ts';
export { readAbout } from '../moving/archive-reader.ts';
export { LINK_MARKER } from '../sessions/saved-sessions.ts';
export { LEAN_FLAGS } from '../sessions/worker-process.ts';
export { type GatewayProcess, type SpawnOptions, spawnGateway } from './gateway-process.ts';
