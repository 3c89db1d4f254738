import { createServer } from 'node:http';

/** What an upload costs where a body is held in memory and parsed as a whole: the measure for streaming. Tells its port. */

const server = createServer(async (request, response) => {
  if (request.url !== '/health') {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { base64 } = JSON.parse(Buffer.concat(chunks).toString()) as { base64: string };
    Buffer.from(base64, 'base64');
  }
  response.end('{}');
});
server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
process.on('disconnect', () => process.exit());
