/** The command line cannot be used; the message names the flag. */
export class UsageError extends Error {}
