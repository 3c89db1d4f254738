import { createServer } from 'node:net';
import { eventually, listening, Postgres, postgresPrograms } from '@chat-web/testing';
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
    await expect(engine.query('SELECT 1')).rejects.toMatchObject({ code: 'engine_unavailable', mayHaveRun: false });
    await postgres.run();
    await eventually(change);
    over.abort();
    await listening;
    await engine.close();
    const [row] = await connections(postgres);
    expect(row).toEqual({ count: '0' });
  });

  it('may have run a query whose connection was lost', async () => {
    const engine = await Engine.open([postgres.url()], pino({ level: 'silent' }));
    const [row] = await engine.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const asked = engine.query('SELECT pg_sleep(3)'); // By the same process.
    setTimeout(() => process.kill(Number(row?.pid), 'SIGKILL'), 200);
    await expect(asked).rejects.toMatchObject({ code: 'engine_unavailable', mayHaveRun: true });
    await eventually(() => engine.query('SELECT 1'));
    await engine.close();
  });
});

it('a database that dies while a new connection is verified is an outage, and the gateway lives on', async () => {
  const server = createServer((socket) => {
    // After the credentials: accepted, and ready. At the first query, it dies.
    socket.once('data', () => {
      socket.write(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]));
      socket.once('data', () => socket.resetAndDestroy());
    });
    socket.on('error', () => {});
  });
  const url = `postgresql://postgres@127.0.0.1:${await listening(server)}/postgres`;
  const engine = await Engine.open([url], pino({ level: 'silent' }));
  await expect(engine.query('SELECT 1')).rejects.toMatchObject({ code: 'engine_unavailable' });
  await engine.close();
  await new Promise((resolve) => server.close(resolve));
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
