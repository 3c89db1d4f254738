import type { MiddlewareHandler } from 'hono';

const PREFIX = 'data:image/png;base64,';

/** Answers GET qr with the PNG itself where the caller asks for an image. */
export const qrImage: MiddlewareHandler = async (c, next) => {
  await next();
  if (c.res.status !== 200 || !/\bimage\/png\b/i.test(c.req.header('Accept') ?? '')) return;
  const { qr } = (await c.res.json()) as { qr: string };
  c.res = undefined; // Else its headers would be those of the new one, its length among them.
  c.res = new Response(Buffer.from(qr.slice(PREFIX.length), 'base64'), { headers: { 'Content-Type': 'image/png' } });
};
