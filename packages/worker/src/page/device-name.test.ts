import { beforeEach, expect, it, vi } from 'vitest';
import { freshProgram, stubPage } from '../testing/page-registry.ts';

let nameDevice: typeof import('./device-name.ts').nameDevice;
let socket: { state: string; on: (event: string, listener: () => void) => void };
let listeners: (() => void)[];
let protobuf: { encodeProtobuf(spec: { name: string }, value: object, ...more: unknown[]): unknown };
const refreshQR = vi.fn();

const register = () => protobuf.encodeProtobuf({ name: 'DeviceProps' }, { os: 'Mac OS', platformType: 1 });

freshProgram();
beforeEach(async () => {
  listeners = [];
  socket = { state: 'OPENING', on: (_, listener) => listeners.push(listener) };
  protobuf = { encodeProtobuf: (...given) => given };
  refreshQR.mockReset();
  const modules = { encodeProtobuf: protobuf, WAWebSocketModel: { Socket: socket }, WAWebCmd: { Cmd: { refreshQR } } };
  const document = { querySelectorAll: () => [] };
  stubPage(modules, { window: { document } });
  ({ nameDevice } = await import('./device-name.ts'));
});

it('changes only the name of the operating system that the page registers, and nothing else that it encodes', async () => {
  expect(await nameDevice('Shop', 50)).toBe(true);
  expect(register()).toEqual([{ name: 'DeviceProps' }, { os: 'Shop', platformType: 1 }]);
  const others = [{ name: 'Message' }, { os: 'Mac OS' }, 'more'] as const;
  expect(protobuf.encodeProtobuf(...others)).toEqual(others);
  socket.state = 'UNPAIRED';
  for (const changed of listeners) changed();
  expect(refreshQR).not.toHaveBeenCalled();
});

it('has a page connect again that has registered without the name, once', async () => {
  socket.state = 'UNPAIRED';
  refreshQR.mockImplementation(register);
  expect(await nameDevice('Shop', 5_000)).toBe(true);
  for (const changed of listeners) changed();
  expect(refreshQR).toHaveBeenCalledTimes(1);
});

it('has a page connect again when it turns out to have no link, and never one that is linked', async () => {
  await nameDevice('Shop', 50);
  socket.state = 'CONNECTED';
  for (const changed of listeners) changed();
  expect(refreshQR).not.toHaveBeenCalled();
  socket.state = 'UNPAIRED';
  for (const changed of listeners) changed();
  expect(refreshQR).toHaveBeenCalledTimes(1);
});

it('reports a build that does not take a name', async () => {
  Object.freeze(protobuf);
  expect(await nameDevice('Shop', 50)).toBe(false);
  stubPage();
  expect(await nameDevice('Shop', 50)).toBe(false);
});
