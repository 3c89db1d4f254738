import { shownText } from '../../parts/shown-text.ts';
import { bytesText } from '../../parts/words.ts';

/** Three quarters of the default limit of a request body. */
const USUAL_LIMIT_BYTES = 78_000_000;

interface FileInputProps {
  readonly name: string;
  readonly file: File | undefined;
  readonly isLimited: boolean;
  onChange(file: File | undefined): void;
}

/** Chooses a file. */
export function FileInput({ name, file, isLimited, onChange }: FileInputProps) {
  return (
    <div class="file">
      <label>
        {name} <span class="soft">from a file</span>
        <input type="file" onChange={(event) => onChange(event.currentTarget.files?.[0])} />
      </label>
      <span role="status" class="soft">
        {file && `${shownText(file.name)}, ${bytesText(file.size)}`}
        {file &&
          isLimited &&
          file.size > USUAL_LIMIT_BYTES &&
          `: more than a gateway takes by default (CHAT_WEB_MAX_BODY_BYTES)`}
      </span>
    </div>
  );
}
