import { useEffect, useState } from 'preact/hooks';
import { shownText } from '../../parts/shown-text.ts';
import { bytesText } from '../../parts/words.ts';

/** Image types that cannot contain scripts, unlike SVG. */
const SHOWN = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

interface FileProps {
  readonly bytes: Blob;
  readonly mimeType: string;
  readonly filename: string | undefined;
}

/** A file from strangers: shown if it is a plain image, and offered as a download. Never opened as a page. */
export function AnsweredFileView({ bytes, mimeType, filename }: FileProps) {
  const type = mimeType.split(';')[0]?.trim().toLowerCase() ?? '';
  const isShown = SHOWN.includes(type);
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type: isShown ? type : 'application/octet-stream' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes, type, isShown]);
  if (url === undefined) return null;
  const name = shownText(filename ?? '') || 'file';
  return (
    <figure class="answered-file">
      {isShown && <img src={url} alt={`What was answered: ${name}`} />}
      <figcaption>
        {shownText(mimeType)}, {bytesText(bytes.size)}{' '}
        <a href={url} download={name}>
          Download {name}
        </a>
      </figcaption>
    </figure>
  );
}
