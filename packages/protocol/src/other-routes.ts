import type { Scope } from './scope.ts';

/** A route that is mounted by hand: what it answers does not fit the table of operations. */
export interface OtherRoute {
  readonly path: string;
  /** How far a caller must be allowed to go for it; `anyone`: no token is asked for. */
  readonly scope: Scope | 'anyone';
}

/** The routes outside the table, all of them for GET. */
export const otherRoutes = {
  health: { path: '/health', scope: 'anyone' },
  ready: { path: '/health/ready', scope: 'anyone' },
  events: { path: '/sessions/:id/events', scope: 'read' },
  metrics: { path: '/metrics', scope: 'operator' },
  openapi: { path: '/openapi.json', scope: 'read' },
  docs: { path: '/docs', scope: 'read' },
} as const satisfies Record<string, OtherRoute>;

export type OtherRouteName = keyof typeof otherRoutes;
