/** Browsers that open pages of this machine, and the pages of sessions. */
export * from './console-page.ts';
export * from './owner-page.ts';
export * from './page-fit.ts';
