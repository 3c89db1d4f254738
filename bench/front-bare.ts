import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { tellUsage } from './front-process.ts';

/** The baseline for `front`: the same answers from plain Hono routes. */

const app = new Hono();
const view = {
  status: 'ready',
  since: '2026-01-01T00:00:00.000Z',
  restarts: 0,
  lastEventAt: '2026-01-01T00:00:00.000Z',
  memory: { workerBytes: 40_000_000, browserBytes: 100_000_000, processes: 6 },
  diskBytes: 60_000_000,
};
app.get('/sessions/:id/status', (c) => c.json({ id: c.req.param('id'), ...view }));
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (address: AddressInfo) =>
  tellUsage(`http://127.0.0.1:${address.port}`),
);
process.on('disconnect', () => server.close(() => process.exit()));
