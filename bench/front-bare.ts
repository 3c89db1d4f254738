import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { tellProcessorTime } from './front-process.ts';

/** The comparison for `front`: the same answers from routes of Hono without anything around them. */

const app = new Hono();
app.get('/sessions/:id/status', (c) =>
  c.json({ id: c.req.param('id'), status: 'ready', since: '2026-01-01T00:00:00.000Z', restarts: 0 }),
);
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, (address: AddressInfo) =>
  tellProcessorTime(`http://127.0.0.1:${address.port}`),
);
process.on('disconnect', () => server.close(() => process.exit()));
