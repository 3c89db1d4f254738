import type { Scope } from './scope.ts';

/** A route outside the table of operations: its answer does not fit there. */
export interface OtherRoute {
  readonly path: string;
  /** The required scope; `anyone`: no token. */
  readonly scope: Scope | 'anyone';
}

/** The routes outside the table, all GET. */
export const otherRoutes = {
  health: { path: '/health', scope: 'anyone' },
  ready: { path: '/health/ready', scope: 'anyone' },
  allEvents: { path: '/events', scope: 'read' },
  events: { path: '/sessions/:id/events', scope: 'read' },
  metrics: { path: '/metrics', scope: 'operator' },
  openapi: { path: '/openapi.json', scope: 'read' },
  docs: { path: '/docs/*', scope: 'anyone' },
  console: { path: '/console/*', scope: 'anyone' },
} as const satisfies Record<string, OtherRoute>;

export type OtherRouteName = keyof typeof otherRoutes;
