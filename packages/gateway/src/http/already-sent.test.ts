import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const file = new URL('../../dist/http/already-sent.js', import.meta.url).href;
/** A server that is created before the constant is first imported. */
const script = `
  import { createAdaptorServer } from '@hono/node-server';
  const fetchOwn = async (_, { outgoing }) => {
    const { RESPONSE_ALREADY_SENT } = await import('${file}');
    outgoing.write('mine');
    setTimeout(() => outgoing.end(), 100);
    return RESPONSE_ALREADY_SENT;
  };
  const server = createAdaptorServer({ fetch: fetchOwn }).listen(0, '127.0.0.1', async () => {
    const answer = await fetch('http://127.0.0.1:' + server.address().port);
    console.log(await answer.text());
    process.exit();
  });
`;

it('leaves the response to its route, whenever the first server was created', () => {
  const cwd = new URL('../../', import.meta.url);
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd, encoding: 'utf8' });
  expect(output).toBe('mine\n');
});
