/** Stacks and gateways for the tests of a suite. */
export * from './account-story.ts';
export * from './suites.ts';
