import type { ComponentChildren } from 'preact';
import { Failure, type Loaded } from './action.tsx';

interface ReadingProps<T> {
  readonly of: Loaded<T>;
  /** The subject, such as `the keys`. */
  readonly what: string;
  children(value: T): ComponentChildren;
}

/** Shows data for a view; before that, that it is being read, or why it cannot be read. */
export function Reading<T>({ of: { value, failure, reload }, what, children }: ReadingProps<T>) {
  const { value: read } = value;
  return (
    <>
      <Failure error={failure.value} />
      {read !== undefined ? (
        children(read)
      ) : failure.value === undefined ? (
        <p role="status">Reading {what} …</p>
      ) : (
        <button type="button" onClick={() => void reload()}>
          Try again
        </button>
      )}
    </>
  );
}
