import { encode } from 'fast-png';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from './helpers/eventually.ts';
import { ADA, BEN, Stack } from './helpers/stack.ts';

const UNKNOWN_GROUP = '120363999999999999@g.us';

let stack: Stack;
beforeAll(async () => {
  stack = await Stack.start();
  await stack.link('main', ADA);
});
afterAll(() => stack[Symbol.asyncDispose]());

/** A group that the session knows. */
async function make(number: string, ...participants: string[]): Promise<string> {
  const { id } = await stack.phones.createGroup(number, { subject: 'Trip', participants });
  await eventually(async () => {
    expect((await stack.client.listGroups({ id: 'main' })).map((group) => group.id)).toContain(id);
  });
  return id;
}
const onPhone = async (number: string, groupId: string) =>
  (await stack.phones.groups(number)).find(({ id }) => id === groupId);
const set = (groupId: string, base64: string) => stack.client.setGroupPicture({ id: 'main', groupId, base64 });
const remove = (groupId: string) => stack.client.removeGroupPicture({ id: 'main', groupId });
const picture = (width: number, height: number) =>
  Buffer.from(encode({ width, height, data: new Uint8Array(width * height * 4).fill(200), channels: 4 })).toString(
    'base64',
  );

async function get(groupId: string) {
  const download = await stack.client.getGroupPicture({ id: 'main', groupId });
  if (!download) return undefined;
  return { mimeType: download.mimeType, bytes: Buffer.from(await new Response(download.data).arrayBuffer()) };
}

/** The size of a JPEG, from its first frame. */
function sizeOf(jpeg: Buffer): [width: number, height: number] {
  const at = jpeg.indexOf(Buffer.from([0xff, 0xc0]));
  return [jpeg.readUInt16BE(at + 7), jpeg.readUInt16BE(at + 5)];
}

it('the picture of a group is set as a square JPEG, read and removed', async () => {
  const groupId = await make(ADA, BEN);
  expect(await get(groupId)).toBeUndefined();
  expect(await set(groupId, picture(900, 700))).toEqual({ groupId });
  const read = await get(groupId);
  expect(read?.mimeType).toBe('image/jpeg');
  expect(sizeOf(read?.bytes as Buffer)).toEqual([640, 640]);
  expect((await onPhone(BEN, groupId))?.pictureBytes).toBe(read?.bytes.length);
  // Also a small one, and a JPEG.
  await set(groupId, picture(40, 30));
  const small = await get(groupId);
  expect(sizeOf(small?.bytes as Buffer)).toEqual([640, 640]);
  await set(groupId, read?.bytes.toString('base64') ?? '');
  expect(sizeOf((await get(groupId))?.bytes as Buffer)).toEqual([640, 640]);
  expect(await remove(groupId)).toEqual({ groupId });
  expect(await get(groupId)).toBeUndefined();
  expect(await onPhone(BEN, groupId)).not.toHaveProperty('pictureBytes');
});

it('the picture of a group of others is changed only by admins', async () => {
  const groupId = await make(BEN, ADA);
  await expectAll([set(groupId, picture(40, 40)), remove(groupId)], 'not_permitted');
  await stack.phones.updateGroup(BEN, groupId, { settings: { restrict: false } });
  await set(groupId, picture(40, 40));
  expect((await onPhone(BEN, groupId))?.pictureBytes).toBeGreaterThan(0);
});

it('the picture of an unknown group is 404', async () => {
  const calls = [set(UNKNOWN_GROUP, picture(40, 40)), remove(UNKNOWN_GROUP), get(UNKNOWN_GROUP)];
  await expectAll(calls, 'chat_not_found');
});

it('a file that is not an image is refused as a picture', async () => {
  const groupId = await make(ADA, BEN);
  const broken = Buffer.concat([Buffer.from(picture(40, 40), 'base64').subarray(0, 30), Buffer.alloc(50)]);
  await expectAll([set(groupId, broken.toString('base64'))], 'media_unavailable');
  const url = 'http://127.0.0.1:9/picture.png';
  await expectAll([stack.client.setGroupPicture({ id: 'main', groupId, url })], 'media_unavailable');
  const invalid = async (call: Promise<unknown>, field: string) =>
    expect(call).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(field) });
  await invalid(set(groupId, Buffer.from('%PDF-1.4\n').toString('base64')), 'mimeType');
  await invalid(stack.client.setGroupPicture({ id: 'main', groupId }), 'base64');
  expect(await get(groupId)).toBeUndefined();
});

async function expectAll(calls: Promise<unknown>[], code: string): Promise<void> {
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes).toEqual(calls.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code }) })));
}
