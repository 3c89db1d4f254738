import { Failure } from '../../parts/action.tsx';
import { Code } from '../../parts/code.tsx';
import { jsonText } from '../../parts/shown-text.ts';
import { AnsweredFileView } from './answered-file.tsx';
import type { Answer } from './call.ts';

/** A list of all contacts would take the page seconds to draw. */
const MOST_SHOWN = 100_000;
const PNG_URL = /^data:image\/png;base64,[A-Za-z0-9+/=]+$/;

/** The answer of the gateway. */
export function AnswerView({ answer }: { readonly answer: Answer }) {
  const { name, status, durationMs, requestId, isReplayed, json, file, failure } = answer;
  return (
    <div class="answer">
      <p role="status">
        <strong>
          {name}: {status ?? 'no answer'}
        </strong>{' '}
        in {Math.round(durationMs)} ms{isReplayed && ', replayed for the same Idempotency-Key'}
      </p>
      {requestId !== undefined && (
        <p class="soft">
          Request <code>{requestId}</code> in the log
        </p>
      )}
      <Failure error={failure} />
      {file && <AnsweredFileView {...file} />}
      {status === 204 && <p>There is nothing to show: no content.</p>}
      {json !== undefined && <AnsweredJson json={json} />}
    </div>
  );
}

function AnsweredJson({ json }: { readonly json: unknown }) {
  const text = jsonText(json);
  const isCut = text.length > MOST_SHOWN;
  return (
    <>
      {pngUrlsIn(json).map((url) => (
        <img key={url} class="answered-qr" src={url} alt="The QR that was answered" />
      ))}
      <Code title={isCut ? 'The beginning of the answer' : 'Answer'} text={isCut ? text.slice(0, MOST_SHOWN) : text} />
      {isCut && <AnsweredFileView bytes={new Blob([text])} mimeType="application/json" filename="answer.json" />}
    </>
  );
}

/** The images that an answer contains as text: QRs. */
function pngUrlsIn(json: unknown): readonly string[] {
  const values = typeof json === 'object' && json !== null ? Object.values(json) : [];
  return values.filter((value): value is string => typeof value === 'string' && PNG_URL.test(value));
}
