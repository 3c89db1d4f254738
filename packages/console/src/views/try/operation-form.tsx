import type { SessionView } from '@chat-web/host';
import { type Example, examples, type Operation, type OperationName } from '@chat-web/protocol';
import { jsonText } from '../../parts/shown-text.ts';
import { bodyFields, callOf, type Draft, KEY_FIELD, writtenExample } from './draft.ts';
import { FieldInput } from './field-input.tsx';
import { type Field, fieldsOf } from './fields.ts';
import { FileInput } from './file-input.tsx';
import { SessionInput } from './session-input.tsx';

interface FormProps {
  readonly name: OperationName;
  readonly operation: Operation;
  readonly draft: Draft;
  readonly sessions: readonly SessionView[];
  onChange(change: Partial<Draft>): void;
}

/** The path, query and body of an operation, from its row in the table. */
export function OperationForm(props: FormProps) {
  const { name, operation, draft, sessions, onChange } = props;
  const { values, file, json } = draft;
  const set = (field: string) => (value: string) => onChange({ values: { ...values, [field]: value } });
  const placeholders = placeholdersOf(name, values);
  const body = bodyFields(operation, draft);
  /** A file sets its name and type, if the body has these fields. */
  const choose = (chosen: File | undefined) =>
    onChange({ file: chosen, values: { ...values, filename: chosen?.name ?? '', mimeType: chosen?.type ?? '' } });
  const input = (field: Field) =>
    field.kind === 'file' ? (
      <FileInput key={field.name} name={field.name} file={file} isLimited onChange={choose} />
    ) : (
      <FieldInput
        key={field.name}
        field={field}
        value={values[field.name] ?? ''}
        placeholder={placeholders[field.name] ?? ''}
        isDisabled={field.name === 'url' && file !== undefined && body.some(({ kind }) => kind === 'file')}
        onChange={set(field.name)}
      />
    );
  return (
    <div class="fields">
      <ExampleChoice {...props} />
      {fieldsOf(operation.params, {}).map((field) =>
        field.name === 'id' && operation.path.startsWith('/sessions/:id') ? (
          <SessionInput key="id" name={name} sessions={sessions} value={values.id ?? ''} onChange={set('id')} />
        ) : (
          input(field)
        ),
      )}
      {operation.query && fieldsOf(operation.query, {}).map(input)}
      {json === undefined ? (
        body.map(input)
      ) : (
        <>
          <label class="whole">
            The body as JSON
            <textarea
              rows={10}
              spellcheck={false}
              value={json}
              onInput={(event) => onChange({ json: event.currentTarget.value })}
            />
          </label>
          {body.filter(({ kind }) => kind === 'file').map(input)}
        </>
      )}
      {operation.archive === 'taken' && (
        <FileInput name="archive" file={file} isLimited={false} onChange={(chosen) => onChange({ file: chosen })} />
      )}
      {operation.keyed && (
        <FieldInput
          field={{ name: KEY_FIELD, kind: 'text', isRequired: false, options: [], hint: KEY_HINT }}
          value={values[KEY_FIELD] ?? ''}
          placeholder="order-4711-shipped"
          onChange={set(KEY_FIELD)}
        />
      )}
      {body.length > 0 && (
        <label class="inline whole">
          <input
            type="checkbox"
            checked={json !== undefined}
            onChange={({ currentTarget: { checked } }) =>
              onChange({ json: checked ? jsonOf(operation, draft) : undefined })
            }
          />
          Write the body as JSON
        </label>
      )}
    </div>
  );
}

const KEY_HINT = 'repeated with the same key, it is sent once';

/** Fills in an example from the table. */
function ExampleChoice({ name, draft, onChange }: FormProps) {
  const all = Object.entries(examples[name]);
  const isWorthIt = all.some(
    ([, { path, query, body }]) => (query ?? body) !== undefined || Object.keys(path).some((key) => key !== 'id'),
  );
  if (!isWorthIt) return null;
  return (
    <fieldset class="examples whole">
      <legend>Fill in an example</legend>
      {all.map(([title, example]) => (
        <button key={title} type="button" onClick={() => onChange(draftOf(example, draft.values.id))}>
          {title}
        </button>
      ))}
    </fieldset>
  );
}

/** The values of the example that fits the current choice, such as the type of a message. */
function placeholdersOf(name: OperationName, { type }: Draft['values']): Record<string, string> {
  const all = Object.values(examples[name]);
  const { path = {}, query = {}, body = {} } = all.find((example) => example.body?.type === type) ?? all[0] ?? {};
  return writtenExample({ ...path, ...query, ...body, base64: '' });
}

/** Fills the form with an example, for the selected session. */
function draftOf({ path, query = {}, body = {} }: Example, session = ''): Draft {
  const { base64, ...fields } = body;
  const file = typeof base64 === 'string' ? fileOf(base64, fields) : undefined;
  return { values: writtenExample({ ...path, ...query, ...fields, id: session }), file, json: undefined };
}

function fileOf(base64: string, { filename = 'example', mimeType = '' }: Readonly<Record<string, unknown>>): File {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return new File([bytes], String(filename), { type: String(mimeType) });
}

function jsonOf(operation: Operation, draft: Draft): string {
  try {
    return jsonText(callOf(operation, draft).body ?? {});
  } catch {
    return '{}';
  }
}
