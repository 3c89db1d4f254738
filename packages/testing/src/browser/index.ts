/** Browsers that open pages of this machine. */
export * from './console-page.ts';
export * from './page-fit.ts';
