import { Hono } from 'hono';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { errorResponse } from './error-response.ts';
import type { ServerEnv } from './server-env.ts';

it('an internal error is logged with the route pattern, not with path parameters', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const app = new Hono<ServerEnv>();
  app.use((_, next) => next());
  app.get('/sessions/:id/contacts/:number/exists', () => {
    throw new Error('something broke');
  });
  app.onError((error, c) => errorResponse(c, error, log));
  const response = await app.request(
    '/sessions/main/contacts/12025550177/exists?q=12025550178',
    {},
    { incoming: { complete: true } },
  );
  expect(response.status).toBe(500);
  expect(await response.json()).toMatchObject({ code: 'internal_error' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('"route":"/sessions/:id/contacts/:number/exists"');
  expect(lines[0]).not.toContain('1202555017');
});
