import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@chat-web/host';
import { type Simulator, type SimulatorSettings, startSimulator } from '@chat-web/simulator';
import { type GatewayProcess, spawnGateway } from '#scripts/gateway-process.js';

/** Numbers of accounts in the simulator. */
export const [OWN_NUMBER, FRIEND] = ['12025550101', '12025550102'];

/** A simulator and a gateway to measure. */
export interface World {
  readonly simulator: Simulator;
  readonly gateway: GatewayProcess;
  readonly dataDir: string;
  readonly client: ReturnType<typeof createClient>;
}

/** Runs some work in a new world, and removes the world afterwards. */
export async function withWorld<T>(
  work: (world: World) => Promise<T>,
  simulated: Partial<SimulatorSettings> = { ackDelayMs: 0, pairDelayMs: 0, syncDelayMs: 0 },
  settings: Readonly<Record<string, string>> = {},
): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'chat-web-bench-'));
  const simulator = await startSimulator({ settings: simulated });
  const gateway = await spawnGateway({
    CHAT_WEB_PORT: '0',
    CHAT_WEB_DATA_DIR: dataDir,
    CHAT_WEB_BROWSER_ARGS: JSON.stringify(simulator.browserArgs),
    ...settings,
  });
  try {
    return await work({ simulator, gateway, dataDir, client: createClient(gateway) });
  } finally {
    await gateway.end();
    await simulator.close();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Links a session to the account of `OWN_NUMBER`, and waits until it is ready. */
export async function link({ client, simulator }: World, id: string): Promise<void> {
  const { qr } = await client.startSession({ id });
  await simulator.phones.scan(OWN_NUMBER, qr ?? '');
  for (let tries = 0; (await client.getSessionStatus({ id })).status !== 'ready'; tries += 1) {
    if (tries > 500) throw new Error(`session ${id} did not become ready`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
