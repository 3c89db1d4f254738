import type { WorkerFailure } from '@chat-web/protocol';

/** What can end a run unasked. The label of the metrics, and what logs are searched for. */
export type FailureCause =
  | WorkerFailure
  | 'worker_exited'
  | 'worker_silent'
  /** It has sent what no worker of ours sends. */
  | 'worker_misbehaved'
  | 'start_timeout'
  /** The host is short of something, or the profile is in use: nothing was started. */
  | 'start_refused'
  | 'connection_lost'
  | 'memory';

/** How a run ended that nobody asked to end. */
export interface Failure {
  readonly cause: FailureCause;
  /** A sentence for people. */
  readonly reason: string;
  /** Another run may fare better. */
  readonly retry: boolean;
}

/** Why a session was started anew: a failure, or one of what the gateway or a person does on purpose. */
export type RestartCause = FailureCause | 'recycled' | 'requested' | 'unlinked' | 'conflict';
