import type { OperationName } from '@chat-web/protocol';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { connection, mayCall } from '../../connection.ts';
import type { LiveSessions } from '../../live/live-sessions.ts';
import { useAction } from '../../parts/action.tsx';
import { Code } from '../../parts/code.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { goTo } from '../../route.ts';
import { AckWatch } from './ack-watch.ts';
import { Acks } from './acks.tsx';
import { AnswerView } from './answer-view.tsx';
import { type Answer, carryOut } from './call.ts';
import { asClient, asCurl } from './call-text.ts';
import { callOf, type Draft, type DraftedCall } from './draft.ts';
import { MessageUses } from './message-uses.tsx';
import { OperationForm } from './operation-form.tsx';
import { isFinal, operationGroups, rowOf } from './operation-groups.ts';
import { OperationList } from './operation-list.tsx';
import { messageIn, sentIdIn } from './sent-id.ts';

interface TryProps {
  readonly sessions: LiveSessions;
  /** The operation in the address. */
  readonly named: string | undefined;
  /** The session in the address. */
  readonly session: string | undefined;
}

/** Any call that the key allows: its form, the equivalent code, and its answer. */
export function TryView({ sessions, named, session }: TryProps) {
  const groups = useMemo(() => operationGroups(mayCall), []);
  const all = groups.flatMap(({ names }) => names);
  const name = named === undefined ? firstOf(all) : all.find((one) => one === named);
  const draft = useSignal<Draft>({ values: {}, file: undefined, json: undefined });
  const answer = useSignal<Answer | undefined>(undefined);
  const acks = useMemo(() => new AckWatch(connection().address), []);
  useEffect(() => () => acks.stop(), [acks]);
  useEffect(() => {
    const { values } = draft.peek();
    draft.value = {
      ...draft.peek(),
      values: session === undefined ? values : { ...values, id: session },
      json: undefined,
    };
  }, [name, session, draft]);
  if (name === undefined)
    return (
      <Empty title={`There is no operation ${named} that your key allows.`}>
        <a href="#/try">To the others</a>
      </Empty>
    );
  const operation = rowOf(name);
  const drafted = attempt(() => callOf(operation, draft.value));
  const [sent, sentId] = [messageIn(answer.value?.json), sentIdIn(answer.value?.json)];
  return (
    <>
      <div class="title">
        <h1>Try it</h1>
      </div>
      <div class="try">
        <OperationList groups={groups} chosen={name} />
        <div class="operation">
          <h2>{name}</h2>
          <p>
            {operation.summary}. <code>{`${operation.method} ${operation.path}`}</code>{' '}
            <span class="soft">scope {operation.scope}</span>
          </p>
          <OperationForm
            name={name}
            operation={operation}
            draft={draft.value}
            sessions={[...(sessions.all.value?.values() ?? [])]}
            onChange={(change) => {
              draft.value = { ...draft.value, ...change };
            }}
          />
          <CallPanel
            key={name}
            name={name}
            drafted={drafted}
            acks={acks}
            onAnswer={(got) => {
              answer.value = got;
              void sessions.refresh();
            }}
          />
          {answer.value && <AnswerView key={answer.value.requestId} answer={answer.value} />}
          {sentId !== undefined && <Acks id={sentId} answered={sent?.ack} acks={acks} />}
          {sent && (
            <MessageUses
              sent={sent}
              onUse={(next, values) => {
                const { id = '' } = answer.value?.call.path ?? {};
                draft.value = { values: { id, ...values }, file: undefined, json: undefined };
                goTo('try', next);
              }}
            />
          )}
        </div>
      </div>
    </>
  );
}

interface CallProps {
  readonly name: OperationName;
  readonly drafted: DraftedCall | Error;
  readonly acks: AckWatch;
  onAnswer(answer: Answer | undefined): void;
}

/** The drafted call, and the button that sends it. */
function CallPanel({ name, drafted, acks, onAnswer }: CallProps) {
  const operation = rowOf(name);
  const { address, access } = connection();
  const isAsked = useSignal(false);
  const sending = useAction(async () => {
    isAsked.value = false;
    if (drafted instanceof Error) throw drafted;
    onAnswer(undefined);
    if (operation.keyed) await acks.begin();
    const answer = await carryOut(address, name, drafted);
    const sentId = sentIdIn(answer.json);
    if (sentId !== undefined) acks.watch(sentId);
    onAnswer(answer);
  });
  const filled = drafted instanceof Error ? {} : { ...drafted.path, ...drafted.query };
  const missing = Object.entries(filled).flatMap(([name, value]) => (value === '' ? [name] : []));
  const place = { url: address.url, hasToken: access.id !== 'open' };
  const send = () => {
    if (isFinal(operation)) isAsked.value = true;
    else void sending.run();
  };
  return (
    <>
      {drafted instanceof Error ? (
        <p role="alert" class="failure">
          {drafted.message}.
        </p>
      ) : (
        <div class="calls">
          <Code title="curl" text={asCurl(operation, drafted, place)} />
          <Code title="The typed client" text={asClient(name, operation, drafted, place)} />
        </div>
      )}
      <div class="buttons">
        <button
          type="button"
          class={isFinal(operation) ? 'danger' : 'primary'}
          disabled={drafted instanceof Error || missing.length > 0}
          aria-disabled={sending.isBusy.value}
          onClick={send}
        >
          Send the call
        </button>
        <span role="status">
          {sending.isBusy.value && 'Waiting for the answer …'}
          {missing.length > 0 && `Fill in: ${missing.join(', ')}`}
        </span>
      </div>
      {isAsked.value && (
        <Dialog title={`Call ${name}?`} onClose={() => (isAsked.value = false)}>
          <p>{operation.summary}. It is carried out on this gateway, and cannot be taken back.</p>
          <div class="buttons">
            <button type="button" class="danger" onClick={() => void sending.run()}>
              Send the call
            </button>
            <button type="button" onClick={() => (isAsked.value = false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}

/** The operation that is shown first. */
function firstOf(names: readonly OperationName[]): OperationName | undefined {
  return names.find((name) => name === 'sendMessage') ?? names[0];
}

function attempt<T>(make: () => T): T | Error {
  try {
    return make();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
