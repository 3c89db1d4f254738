export * from './errors.ts';
export * from './events.ts';
export * from './ids.ts';
export * from './ipc.ts';
export * from './operation.ts';
export * from './operations/index.ts';
export * from './resources.ts';
export * from './send-queue.ts';
