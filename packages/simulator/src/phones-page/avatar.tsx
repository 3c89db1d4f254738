/** The first letter of a name, as a decoration. */
export function Avatar({ name }: { readonly name: string }) {
  const letter = /\p{L}|\p{N}/u.exec(name)?.[0] ?? '#';
  return (
    <span class="avatar" aria-hidden="true">
      {letter.toUpperCase()}
    </span>
  );
}

/** How many messages have not been read; nothing for none. */
export function Unread({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <span class="unread">
      {count}
      <span class="unseen"> unread</span>
    </span>
  );
}
