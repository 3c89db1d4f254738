import { FRIEND, link, OWN_NUMBER, withWorld } from './world.ts';

/** The cost of the lists of an account with many chats, contacts and groups: time and bytes. */

const AMOUNTS = { chats: 500, contacts: 2_000, groups: 200 };
const ROUNDS = 5;

await withWorld(async (world) => {
  await world.simulator.phones.fill(OWN_NUMBER, AMOUNTS);
  await link(world, 'bench');
  await world.client.sendMessage({ id: 'bench', type: 'text', to: FRIEND, body: 'warm' });
  const rows: Record<string, object> = {};
  for (const list of ['chats', 'contacts', 'groups'] as const) {
    const times: number[] = [];
    let [bytes, items] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      const startedAt = performance.now();
      const text = await (await fetch(new URL(`/sessions/bench/${list}`, world.gateway.url))).text();
      times.push(performance.now() - startedAt);
      bytes = text.length;
      items = (JSON.parse(text) as unknown[]).length;
    }
    rows[list] = {
      items,
      KB: Math.round(bytes / 1_024),
      'ms, median': Math.round(times.sort((a, b) => a - b)[2] ?? 0),
    };
  }
  console.log(`lists of a large account, medians of ${ROUNDS}`);
  console.table(rows);
});
