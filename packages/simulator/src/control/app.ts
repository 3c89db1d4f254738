import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import * as v from 'valibot';
import { SimulatorError } from '../simulator-error.ts';
import { routes, type Stage } from './routes.ts';

/** Names of this machine under which the control API may be called. */
const ownHosts = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** A file of 64 MB as base64, with room for the rest. */
const largestBody = 96 * 2 ** 20;

/** The control API as an HTTP application. */
export function createControlApp(stage: Stage): Hono {
  const app = new Hono();
  app.use(async (context, next) => {
    refuseForeign(context.req.header('origin'), context.req.header('host'));
    await next();
  });
  app.use(
    bodyLimit({ maxSize: largestBody, onError: (context) => context.json({ error: 'the body is too large' }, 413) }),
  );
  for (const { method, path, handle } of routes) {
    app.on(method, path, async (context) => {
      const { id = '', other = '' } = context.req.param() as Record<string, string>;
      const call = { stage, id, other, query: context.req.query() };
      return context.json((await handle(call, await readBody(context))) ?? {});
    });
  }
  app.notFound((context) => context.json({ error: `no route ${context.req.method} ${context.req.path}` }, 404));
  app.onError((error, context) => {
    if (error instanceof SimulatorError) return context.json({ error: error.message }, error.status);
    if (v.isValiError(error)) return context.json({ error: issueText(error.issues) }, 400);
    return context.json({ error: error.message }, 500);
  });
  return app;
}

/** A web page must not play the phones, neither by a request of its own nor by a name that it lets point here. */
function refuseForeign(origin: string | undefined, host: string | undefined): void {
  if (origin !== undefined) throw new SimulatorError(403, 'requests of web pages are refused');
  if (host !== undefined && !ownHosts.test(host)) throw new SimulatorError(403, 'only calls to 127.0.0.1 are taken');
}

async function readBody(context: Context): Promise<unknown> {
  const text = await context.req.text();
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new SimulatorError(400, 'the body is not JSON');
  }
}

function issueText(issues: readonly v.BaseIssue<unknown>[]): string {
  return issues.map((issue) => `${v.getDotPath(issue) ?? 'body'}: ${issue.message}`).join('; ');
}
