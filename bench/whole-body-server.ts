import { createServer } from 'node:http';

/** A server that holds a body in memory and parses it as a whole: the comparison for streaming. Sends its port to its parent. */

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
