import { Postgres, postgresPrograms } from '@chat-web/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addHost, clusterStatus, initCluster, removeHost } from './administration.ts';

describe.runIf(postgresPrograms())('a command of a cluster', () => {
  let postgres: Postgres;
  beforeEach(async () => {
    postgres = await Postgres.start();
  });
  afterEach(() => postgres?.[Symbol.asyncDispose]());

  it('uses the server that accepts writes, and adds the URLs of all', async () => {
    await using standby = await postgres.standby();
    const urls = `postgresql://postgres@127.0.0.1:1/postgres,${standby.url()},${postgres.url()}`;
    await initCluster(urls);
    const [down, , primary = ''] = (await addHost(urls, 'one')).split(',');
    expect(down).toMatch(/^postgresql:\/\/postgres_one:[^@]+@127.0.0.1:1\/postgres$/);
    expect(await clusterStatus(primary)).toMatchObject({ hosts: [{ name: 'one' }] });
  });

  it('says what is wrong with its URL or role, without the password', async () => {
    const refused = (asked: Promise<unknown>) => asked.catch((error: Error) => error.message);
    expect(await refused(initCluster('http://ada:secret@127.0.0.1/chat'))).toBe(
      'the URL of the database must begin with postgresql://',
    );
    expect(await refused(initCluster('postgresql://ada:secret@127.0.0.1:1/chat'))).toBe(
      'the database cannot be used: connect ECONNREFUSED 127.0.0.1:1',
    );
    expect(await refused(clusterStatus(postgres.url('chat')))).toBe(
      'the database cannot be used: database "chat" does not exist',
    );
    expect(await refused(clusterStatus(postgres.url()))).toMatch(/^the database is not prepared/);
    await initCluster(postgres.url());
    const url = await addHost(postgres.url(), 'a');
    expect(await clusterStatus(url)).toMatchObject({ hosts: [{ name: 'a', state: 'released' }] });
    await removeHost(postgres.url(), 'a');
    expect(await refused(clusterStatus(url))).toMatch(/role "postgres_a" does not exist/);
    postgres.execute('CREATE ROLE postgres_a LOGIN IN ROLE chat_web_hosts');
    expect(await refused(clusterStatus(url))).toBe('the role does not belong to a host of this cluster');
    expect(await refused(addHost(url, 'b'))).toBe(
      'permission denied for table hosts: this needs a role that may create schemas and roles, not that of a host',
    );
  });
});
