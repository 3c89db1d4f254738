import { fileURLToPath } from 'node:url';
import { Audit, createLog, readConfig, startGateway } from '@chat-web/gateway/tools';
import { tellUsage } from './front-process.ts';

/** A gateway as operators run it, with workers that answer at once. */

const WORKER = fileURLToPath(new URL('./front-worker.js', import.meta.url));

const config = readConfig(process.env);
const { log, destination } = createLog(config.logLevel);
const audit = new Audit(config.auditFile, destination, log);
const gateway = await startGateway(config, log, audit, { workerProgram: () => WORKER });
process.on('disconnect', async () => {
  await gateway.close(AbortSignal.abort());
  process.exit();
});
tellUsage(gateway.url);
