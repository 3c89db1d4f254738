import { join } from 'node:path';
import { spawnGateway } from '@chat-web/gateway/tools';
import { eventually } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { describe, expect, it } from 'vitest';

const folder = sharedFolder();

/** Starts a gateway. Resolves with its error where it does not start. */
async function startResult(settings: Readonly<Record<string, string>>): Promise<string> {
  try {
    const gateway = await spawnGateway({ CHAT_WEB_PORT: '0', CHAT_WEB_DATA_DIR: join(folder, 'data'), ...settings });
    await gateway.end();
    return 'it started';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('a gateway that would be open by mistake', () => {
  it.each([
    { CHAT_WEB_TOKEN: '' },
    { CHAT_WEB_TOKEN: ' \t' },
    { CHAT_WEB_TOKN: 'sesame-1' },
    { chat_web_token: 'sesame-1' },
    { CHAT_WEB_HOST: '0.0.0.0' },
    { CHAT_WEB_HOST: '::', CHAT_WEB_ALLOW_NO_TOKEN: 'false' },
  ])('does not start with %j: exit 78, and a line with what to set', async (settings) => {
    const result = await startResult(settings);
    expect(result).toContain('code 78');
    expect(result).toContain('CHAT_WEB_TOKEN');
    expect(result).not.toContain('sesame-1');
  });

  it('starts with hosts of which keys can reach every port, and names them', async () => {
    const settings = {
      CHAT_WEB_MEDIA_HOSTS: '10.0.0.0/8,127.0.0.1:8080',
      CHAT_WEB_PROXY_HOSTS: 'localhost',
      CHAT_WEB_WEBHOOK_HOSTS: '127.0.0.1,app.example.org',
    };
    const gateway = await spawnGateway({ CHAT_WEB_PORT: '0', CHAT_WEB_DATA_DIR: join(folder, 'data'), ...settings });
    const warned = () => gateway.log.filter((line) => line.includes('every port of a host allowed'));
    await eventually(() =>
      expect(warned().map((line) => JSON.parse(line))).toMatchObject([
        { setting: 'CHAT_WEB_PROXY_HOSTS', host: 'localhost' },
        { setting: 'CHAT_WEB_WEBHOOK_HOSTS', host: '127.0.0.1' },
      ]),
    );
    await gateway.end();
  });

  it('starts if the operator confirms it or sets a token', async () => {
    expect(await startResult({ CHAT_WEB_HOST: '0.0.0.0', CHAT_WEB_ALLOW_NO_TOKEN: 'yes' })).toBe('it started');
    expect(await startResult({ CHAT_WEB_HOST: '0.0.0.0', CHAT_WEB_TOKEN: 'sesame-1' })).toBe('it started');
  });
});
