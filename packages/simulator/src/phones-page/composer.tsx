import { useRef, useState } from 'preact/hooks';
import type { MediaKind } from '../control/inputs.ts';
import { send } from './api.ts';
import { showSize } from './format.ts';
import { useAction } from './hooks.ts';

const MAX_FILE_BYTES = 16_000_000;
/** Drafts by phone and chat: they are restored when the chat is opened again. */
const drafts = new Map<string, string>();

interface ComposerProps {
  readonly number: string;
  readonly chat: string;
  refresh(): void;
}

/** Writes a text, or sends a file with a caption. */
export function Composer({ number, chat, refresh }: ComposerProps) {
  const place = `${number} ${chat}`;
  const [text, setText] = useState(drafts.get(place) ?? '');
  const [file, setFile] = useState<File>();
  const { isBusy, problem, run } = useAction();
  const [fileProblem, setFileProblem] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);

  const write = (next: string) => {
    setText(next);
    drafts.set(place, next);
  };
  /** A text that was not sent is put back into the field, before what was typed meanwhile. */
  const restore = (unsent: string) =>
    write([unsent, drafts.get(place)].filter((part) => part !== undefined && part !== '').join('\n'));
  const choose = (chosen: File | undefined) => {
    const wrong = chosen && problemOf(chosen);
    setFileProblem(wrong);
    setFile(wrong ? undefined : chosen);
    // The same file can be chosen again.
    if (picker.current) picker.current.value = '';
  };
  const submit = async () => {
    if (isBusy || (text.trim() === '' && !file)) return;
    write('');
    setFile(undefined);
    field.current?.focus();
    const isSent = await run(async () => {
      await send(number, { to: chat, body: text, ...(file ? { media: await toMedia(file) } : {}) });
    });
    if (isSent) return refresh();
    restore(text);
    setFile(file);
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div role="alert">{(problem ?? fileProblem) && <p class="problem">Not sent: {problem ?? fileProblem}</p>}</div>
      {file && (
        <p class="chosen">
          <bdi class="file">{file.name}</bdi> <small>{showSize(file.size)}</small>
          <button type="button" class="quiet" onClick={() => choose(undefined)}>
            Remove
          </button>
        </p>
      )}
      <div class="line">
        <label class="button quiet">
          File
          <input
            class="unseen"
            type="file"
            ref={picker}
            onChange={({ currentTarget }) => choose(currentTarget.files?.[0])}
          />
        </label>
        <textarea
          ref={field}
          rows={1}
          aria-label={file ? 'Caption' : 'Message'}
          placeholder={file ? 'Caption' : 'Message'}
          dir="auto"
          value={text}
          onInput={({ currentTarget }) => write(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void submit();
          }}
        />
        <button type="submit" aria-disabled={isBusy}>
          {isBusy ? 'Sending…' : 'Send'}
        </button>
      </div>
    </form>
  );
}

function problemOf({ name, size }: File): string | undefined {
  if (size === 0) return `${name} is empty.`;
  return size > MAX_FILE_BYTES ? `${name} is larger than ${showSize(MAX_FILE_BYTES)}.` : undefined;
}

async function toMedia(file: File) {
  const mimeType = file.type || 'application/octet-stream';
  return { kind: kindOf(mimeType), base64: await toBase64(file), mimeType, filename: file.name };
}

function kindOf(mimeType: string): MediaKind {
  const [family] = mimeType.split('/');
  return family === 'image' || family === 'video' || family === 'audio' ? family : 'document';
}

/** Rejects where the file can no longer be read. */
function toBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
