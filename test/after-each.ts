import { afterEach, vi } from 'vitest';

/** A test leaves no fake timers, stubs or spies to the next one, also of another file: they share a process. */
afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  // Last, and not in a test file: a spy on a fake timer restores the fake one.
  vi.useRealTimers();
});
