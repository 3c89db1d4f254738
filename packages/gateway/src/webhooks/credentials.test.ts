import { operations } from '@chat-web/protocol';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { credentialsAfter, headersOf } from './credentials.ts';

const url = 'https://app.example.com/hook';
const other = 'https://app.example.org/hook';
const headers = { 'X-Key': 'k' };
const basicAuth = { username: 'ada', password: 'p' };
const { body } = operations.createWebhook;
const issuesOf = (input: object) => v.safeParse(body, { url, ...input }).issues?.map((issue) => v.getDotPath(issue));

describe('the headers of a webhook', () => {
  it.each<[string, object]>([
    ['one', headers],
    ['a token', { Authorization: 'Bearer abc.def' }],
    ['one with blanks', { 'X-Who': 'a b, c' }],
    ['twenty', Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`X-${n}`, 'v']))],
    ['none', {}],
  ])('may be %s', (_what, given) => {
    expect(issuesOf({ headers: given })).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ...['Host', 'content-length', 'Content-Type', 'Transfer-Encoding', 'Connection', 'Keep-Alive', 'TE', 'Trailer'].map(
      (name): [string, unknown] => [name, { [name]: 'v' }],
    ),
    ...['Upgrade', 'Expect', 'User-Agent', 'Proxy-Authorization', 'webhook-id', 'Webhook-Signature', 'Date'].map(
      (name): [string, unknown] => [name, { [name]: 'v' }],
    ),
    ['a line break', { 'X-Key': 'a\r\nX-Other: b' }],
    ['a line feed in a name', { 'X-Key\nX-Other': 'b' }],
    ['a colon in a name', { 'X-Key:': 'b' }],
    ['an empty name', { '': 'b' }],
    ['an empty value', { 'X-Key': '' }],
    ['a null', { 'X-Key': 'a\0' }],
    ['a blank at the end', { 'X-Key': 'a ' }],
    ['a letter beyond ASCII', { 'X-Key': 'ä' }],
    ['one twice', { 'X-Key': 'a', 'x-key': 'b' }],
    ['more than twenty', Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`X-${n}`, 'v']))],
    ['a long name', { [`X-${'n'.repeat(100)}`]: 'v' }],
    ['much text', { 'X-Key': 'v'.repeat(8_200) }],
    ['a list', ['a: b']],
    ['a text', 'a: b'],
  ])('must not be %s', (_what, given) => {
    expect(issuesOf({ headers: given })?.[0]).toBe('headers');
  });

  it('must have texts as values, and no error repeats one', () => {
    expect(issuesOf({ headers: { 'X-Key': 1 } })).toEqual(['headers.X-Key']);
    const secret = 'secret\nsecret';
    const { issues } = v.safeParse(body, {
      url,
      headers: { Key: secret },
      basicAuth: { username: secret, password: secret },
    });
    expect(issues).toHaveLength(3);
    expect(issues?.map(({ message }) => message).join()).not.toContain('secret');
  });

  it.each<[string, unknown]>([
    ['a colon in the name', { username: 'a:b', password: 'p' }],
    ['a line break', { username: 'a', password: 'p\r\n' }],
    ['much text', { username: 'a', password: 'p'.repeat(1_001) }],
    ['no password', { username: 'a' }],
    ['another field', { ...basicAuth, realm: 'x' }],
  ])('may have Basic credentials, but not with %s', (_what, given) => {
    expect(issuesOf({ basicAuth })).toBeUndefined();
    expect(issuesOf({ basicAuth: given })).toHaveLength(1);
  });

  it('have the credentials in UTF-8', () => {
    expect(headersOf({ headers, basicAuth: { username: 'Aladdin', password: 'open sesame' } })).toEqual({
      'X-Key': 'k',
      Authorization: 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==',
    });
    const { Authorization = '' } = headersOf({ basicAuth: { username: 'ü', password: '€' } });
    expect(Buffer.from(Authorization.slice(6), 'base64').toString()).toBe('ü:€');
  });
});

describe('a change of a webhook', () => {
  const stored = { url, headers, basicAuth };

  it('keeps what is not given, and replaces or removes what is', () => {
    expect(credentialsAfter(stored, { url: `${url}/2?a=b` })).toEqual({ headers, basicAuth });
    expect(credentialsAfter(stored, { url, headers: { 'X-New': 'n' } })).toEqual({
      headers: { 'X-New': 'n' },
      basicAuth,
    });
    expect(credentialsAfter(stored, { url, headers: {}, basicAuth: null })).toEqual({});
    expect(credentialsAfter(undefined, { url })).toEqual({});
  });

  it.each([
    ['another host', other],
    ['another port', 'https://app.example.com:8443/hook'],
    ['http', 'http://app.example.com/hook'],
  ])('to %s needs them again: they stay with their origin', (_what, to) => {
    expect(() => credentialsAfter(stored, { url: to })).toThrow(/headers must be given again/);
    expect(() => credentialsAfter(stored, { url: to, headers })).toThrow(/basicAuth must be given again/);
    expect(() => credentialsAfter({ url, basicAuth }, { url: to, headers })).toThrow(/basicAuth must be given again/);
    expect(credentialsAfter(stored, { url: to, headers, basicAuth: null })).toEqual({ headers });
    expect(credentialsAfter({ url }, { url: to })).toEqual({});
  });

  it('must not set the same header in two ways', () => {
    const token = { authorization: 'Bearer t' };
    expect(() => credentialsAfter(undefined, { url, headers: token, basicAuth })).toThrow(/authorization beside/);
    expect(() => credentialsAfter(stored, { url, headers: token })).toThrow(/authorization beside/);
    expect(credentialsAfter(stored, { url, headers: token, basicAuth: null })).toEqual({ headers: token });
  });
});
