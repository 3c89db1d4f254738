import type { PageModules } from '../contract/index.ts';
import type { PageMessage, PageRecord } from '../models.ts';
import { type Refusal, refusedMessage } from '../refusal.ts';
import { optional, wrapExport } from './identities.ts';
import { ackCode, readOutcome } from './outcomes.ts';

type Kind = 'edit' | 'deletion' | 'reaction' | 'pin';

/** A change of a message in progress, and the record that the page has sent for it, with its result. */
interface Change {
  readonly kind: Kind;
  readonly message: PageMessage;
  record?: PageRecord;
  result?: unknown;
}

type Records = PageModules['WAWebSendMsgRecordAction'];

const changes = new Set<Change>();

const originals: Partial<Records> = {};

const wrapped = {
  sendMsgRecord: (record: PageRecord) => noting('sendMsgRecord', record),
  sendAddonRecord: (record: PageRecord) => noting('sendAddonRecord', record),
};

async function noting(name: keyof Records, record: PageRecord): Promise<unknown> {
  const change = [...changes].find((one) => !one.record && isFor(one, name, record));
  if (change) change.record = record;
  const result = await originals[name]?.call(optional('WAWebSendMsgRecordAction'), record);
  if (change) change.result = result;
  return result;
}

/** A record refers to its message by one of these keys, by number or by hidden id; encrypted ones by the target. */
function isFor({ kind, message }: Change, name: keyof Records, record: PageRecord): boolean {
  const { protocolMessageKey, targetMessageKey, reactionParentKey, pinParentKey, subtype = '' } = record;
  const isOfMessage = (...keys: PageRecord['pinParentKey'][]) => keys.some((key) => key?.id === message.id.id);
  switch (kind) {
    case 'edit':
      return name === 'sendMsgRecord' && !/revoke/.test(subtype) && isOfMessage(protocolMessageKey, targetMessageKey);
    case 'deletion':
      return name === 'sendMsgRecord' && /revoke/.test(subtype) && isOfMessage(protocolMessageKey);
    case 'reaction':
      return name === 'sendAddonRecord' && isOfMessage(reactionParentKey, targetMessageKey);
    case 'pin':
      return name === 'sendAddonRecord' && isOfMessage(pinParentKey);
  }
}

/** If this build freezes its modules, a refusal looks like a lost answer. */
function wrapRecords(): void {
  for (const name of ['sendMsgRecord', 'sendAddonRecord'] as const)
    wrapExport(optional('WAWebSendMsgRecordAction'), name, wrapped[name], (own) => {
      originals[name] = own;
    });
}

/**
 * Runs a change of a message. The page's own functions for it do not tell a refusal of the network from a lost answer:
 * `refusal` does, by what the page has sent.
 */
export async function changingMessage<T>(
  kind: Kind,
  message: PageMessage,
  run: (refusal: () => Refusal | undefined) => Promise<T>,
): Promise<T> {
  wrapRecords();
  const change: Change = { kind, message };
  changes.add(change);
  try {
    return await run(() => refusalOf(change));
  } finally {
    changes.delete(change);
  }
}

function refusalOf({ record, result }: Change): Refusal | undefined {
  const code = readOutcome(result).code ?? (record && ackCode(record));
  // A negative ack is a refusal by the network; builds before October 2026 do not say why.
  return code !== undefined || (record?.ack ?? 0) < 0 ? refusedMessage('change', code) : undefined;
}
