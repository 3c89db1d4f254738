/** The code of a failed system call, such as ENOENT; undefined if the error is of another kind. */
export function errnoOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
