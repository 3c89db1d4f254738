import { eventually, Postgres, postgresPrograms } from '@chat-web/testing';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from './engine.ts';

describe.runIf(postgresPrograms())('the database of a cluster', () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await Postgres.start();
  });
  afterAll(() => postgres?.[Symbol.asyncDispose]());

  it('tells of changes, also after it was down', async () => {
    const engine = await Engine.open([postgres.url()], pino({ level: 'silent' }));
    const over = new AbortController();
    let changes = 0;
    const chat_web = () => {
      changes += 1;
    };
    const listening = engine.listen({ chat_web }, over.signal);
    const change = async () => {
      const before = changes;
      await engine.query('NOTIFY chat_web').catch(() => {});
      if (changes === before) throw new Error('nothing was heard');
    };
    await eventually(change);
    await postgres.kill('SIGQUIT');
    await expect(engine.query('SELECT 1')).rejects.toMatchObject({ code: 'engine_unavailable' });
    await postgres.run();
    await eventually(change);
    over.abort();
    await listening;
    await engine.close();
    const [row] = await connections(postgres);
    expect(row).toEqual({ count: '0' });
  });
});

/** Connections of gateways that are still open. */
async function connections(postgres: Postgres): Promise<object[]> {
  const engine = await Engine.open([postgres.url()], pino({ level: 'silent' }));
  try {
    return await engine.query(
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'chat-web' AND pid <> pg_backend_pid()",
    );
  } finally {
    await engine.close();
  }
}
