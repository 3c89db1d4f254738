import type { Config } from '@chat-web/gateway/config';
import type { DoctorOptions } from './arguments.ts';

/** The options of a run. */
export interface RunOptions {
  readonly options: DoctorOptions;
  /** The gateway's settings from this environment. */
  readonly config: Config;
  readonly env: NodeJS.ProcessEnv;
  /** Ends the run: everything that it started is stopped, and nothing more is checked. */
  readonly signal: AbortSignal;
}
