import { Emitter } from '../emitter.ts';

/** The page's bus: `logout`, `offline_progress_update_from_bridge`. */
export const cmd = new Emitter();
