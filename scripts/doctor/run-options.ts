import type { Config } from '@chat-web/gateway/config';
import type { DoctorOptions } from './arguments.ts';

/** What a run is given. */
export interface RunOptions {
  readonly options: DoctorOptions;
  /** The gateway's settings, as this environment has them. */
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the run: what it has started is stopped, and nothing more is checked. */
  readonly signal: AbortSignal;
}
