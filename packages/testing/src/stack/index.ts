/** A simulator, gateways, and what runs on them. */
export * from './doctor.ts';
export * from './event-log.ts';
export * from './example-world.ts';
export * from './hosts.ts';
export * from './moving.ts';
export * from './stack.ts';
export * from './webhook-endpoint.ts';
