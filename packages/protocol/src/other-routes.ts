import type { Scope } from './scope.ts';

/** A route outside the table of operations: its answer does not fit there. */
export interface OtherRoute {
  readonly path: string;
  /** One line for the reference. */
  readonly summary: string;
  /** The required scope; `anyone`: no token. */
  readonly scope: Scope | 'anyone';
}

/** The routes outside the table, all GET. */
export const otherRoutes = {
  health: {
    path: '/health',
    summary: 'Whether the gateway is up, and its number of sessions; no token required',
    scope: 'anyone',
  },
  front: {
    path: '/health/front',
    summary: 'Whether a load balancer may send requests to this gateway; 503 while it stops. No token required',
    scope: 'anyone',
  },
  ready: {
    path: '/health/ready',
    summary: 'Whether the gateway is ready; 503 with a reason if not. No token required',
    scope: 'anyone',
  },
  allEvents: {
    path: '/events',
    summary: 'The events of all sessions that the caller may see, as Server-Sent Events or as pages of JSON',
    scope: 'read',
  },
  events: {
    path: '/sessions/:id/events',
    summary:
      "The session's events, as Server-Sent Events or as pages of JSON; `data` is JSON, except for `qr`, a plain string",
    scope: 'read',
  },
  metrics: { path: '/metrics', summary: 'Prometheus metrics of the gateway and its sessions', scope: 'operator' },
  openapi: { path: '/openapi.json', summary: 'This reference as an OpenAPI document', scope: 'read' },
  docs: { path: '/docs/*', summary: 'The reference as a web page with a form for each call', scope: 'anyone' },
  console: { path: '/console/*', summary: 'The console for operators', scope: 'anyone' },
} as const satisfies Record<string, OtherRoute>;

export type OtherRouteName = keyof typeof otherRoutes;
