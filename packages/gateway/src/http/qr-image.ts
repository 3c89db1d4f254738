import type { Route } from './server-env.ts';

const PREFIX = 'data:image/png;base64,';

/** The route of GET qr, which returns the PNG itself if the caller asks for an image. */
export function withQrImage(route: Route): Route {
  return async (c) => {
    const answer = await route(c);
    if (answer.status !== 200 || !/\bimage\/png\b/i.test(c.req.header('Accept') ?? '')) return answer;
    const { qr } = (await answer.json()) as { qr: string };
    return new Response(Buffer.from(qr.slice(PREFIX.length), 'base64'), { headers: { 'Content-Type': 'image/png' } });
  };
}
