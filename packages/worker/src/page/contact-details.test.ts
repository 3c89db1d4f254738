import { describe, expect, it } from 'vitest';
import { stubPage } from '../testing/page-registry.ts';
import { findUsername, getAbout, numbersExist, setBlocked } from './contact-details.ts';
import { attachIds } from './tools/identities.ts';

const id = (text: string) => ({ toString: () => text });
const NUMBER = '1@c.us';
const LID = '9@lid';
/** A person whose hidden id only the network knows. */
const NEW = '2@c.us';

/** A page with these modules, which knows the hidden id 9 of person 1. */
function page(modules: Record<string, unknown>): void {
  const enforceLidAndPnRetrieval = async (one: string) => (one === NEW ? { phone: NEW, lid: '8@lid' } : {});
  stubPage(modules, { people: [{ number: NUMBER, lid: LID }], window: { WWebJS: { enforceLidAndPnRetrieval } } });
  attachIds(0);
}

it('a user name is found by the network, which may not know it, or want the PIN', async () => {
  const find = (answer: object | null, pauseMs = 0) => {
    page({ WAWebQueryExistsJob: { queryUsernameExists: async () => answer } });
    return findUsername('nora_n', undefined, pauseMs);
  };
  expect(await find({ wid: id(LID) })).toEqual({ id: LID });
  expect(await find({ keyRequired: true })).toEqual({ id: undefined });
  await expect(find(null)).rejects.toMatchObject({ code: 'contact_not_found' });
  expect(await find(null, 5)).toEqual({ waitMs: 5 });
});

describe('numbers looked up together', () => {
  /** Those that the network was asked about, by query. */
  let asked: string[][];
  const answered = (list: readonly object[], people = ['1@c.us', '+2']) => {
    asked = [];
    class USyncUser {
      who = '';
      withPhone(number: string) {
        this.who = number;
        return this;
      }
      withId(lid: object) {
        this.who = String(lid);
        return this;
      }
    }
    class USyncQuery {
      readonly who: string[] = [];
      withContactProtocol = () => this;
      withLidProtocol = () => this;
      withBusinessProtocol = () => this;
      withDisappearingModeProtocol = () => this;
      withUser(user: USyncUser) {
        this.who.push(user.who);
        return this;
      }
      execute = async () => {
        asked.push(this.who);
        return { error: {}, list };
      };
    }
    page({ WAWebUsync: { USyncQuery }, WAWebUsyncUser: { USyncUser } });
    return numbersExist(people);
  };
  const both = (first: object, second: object) => ({
    exist: [
      { number: '1', ...first },
      { number: '2', ...second },
    ],
  });
  const one = { id: id('1@c.us'), contact: { type: 'in', content: '+1' } };

  it('are registered or not, as the network reports', async () => {
    const other = { contact: { type: 'out', content: '+2' } };
    const first = { exists: true, id: '1@c.us' };
    expect(await answered([other, one])).toEqual(both(first, { exists: false }));
    expect(await answered([one, { ...one, contact: { type: 'in' }, pn: id('2@c.us') }])).toEqual(both(first, first));
  });

  it('are not reported as unregistered if missing in the answer', async () => {
    const refused = { contact: { errorCode: 429, errorText: 'rate-overlimit' } };
    const first = { exists: true, id: '1@c.us' };
    for (const list of [[one], [one, refused]]) expect(await answered(list)).toEqual(both(first, { exists: null }));
    await expect(answered([refused])).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(answered([])).rejects.toMatchObject({ code: 'client_failed' });
  });

  it('may be hidden ids: asked by number where the page knows it, otherwise by the id itself', async () => {
    const hidden = [{ id: id('7@lid'), pn: id('3@c.us') }, { id: id('6@lid') }];
    expect(await answered([one, ...hidden], [LID, '1@c.us', '7@lid', '6@lid', '5@lid'])).toEqual({
      exist: [
        { number: '1', exists: true, id: '1@c.us' },
        { number: '1', exists: true, id: '1@c.us' },
        { number: '3', exists: true, id: '3@c.us' },
        { number: '', exists: true, id: '6@lid' },
        { number: '', exists: null },
      ],
    });
    expect(asked).toEqual([['7@lid', '6@lid', '5@lid'], ['+1']]);
  });

  it('have the number in an answer by hidden id, or from memory', async () => {
    const withNumber = { id: id('7@lid'), pn: id('3@c.us'), contact: { type: 'in', content: '+3' } };
    const found = { number: '3', exists: true, id: '3@c.us' };
    expect(await answered([withNumber], ['3@c.us'])).toEqual({ exist: [found] });
    const byLid = { id: id(LID), contact: { type: 'in', content: '+1' } };
    expect(await answered([byLid], ['1@c.us'])).toEqual({ exist: [{ number: '1', exists: true, id: '1@c.us' }] });
  });
});

describe('an about text', () => {
  const about = (...answers: (object | undefined)[]) => {
    const Chat = { get: (one: string) => (one === NUMBER ? { tcToken: 'token' } : undefined) };
    const getStatus = async ({ tcToken }: { readonly tcToken: unknown }) =>
      tcToken === 'token' ? answers.shift() : undefined;
    page({ WAWebContactStatusBridge: { getStatus }, WAWebCollections: { Chat } });
    return getAbout(NUMBER);
  };
  const stale = { stale: true, status: '' };

  it.each([
    [[{ status: 'Busy' }], { about: 'Busy' }],
    [[stale, { status: 'Busy' }], { about: 'Busy' }],
    [[{ status: '' }, { status: '' }], { about: null }],
    [[{ status: '' }, { status: null }], { about: '' }],
    [[{ status: null }, { status: '' }], { about: '' }],
    [[stale, { status: '' }], { about: null }],
  ])('%j is %j', async (answers, result) => {
    expect(await about(...answers)).toEqual(result);
  });

  it.each([[[stale, stale]], [[stale, undefined]], [[{ status: { errorCode: 429, errorText: 'rate-overlimit' } }]]])(
    '%j is rate limited',
    async (answers) => {
      await expect(about(...answers)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 60 });
    },
  );
});

it('an about text is asked for by the form of the number that the page has', async () => {
  const asked: string[] = [];
  const getStatus = async ({ wid }: { readonly wid: object }) => {
    asked.push(String(wid));
    return { status: 'Busy' };
  };
  const known = '5493512345678@c.us';
  const Contact = { get: (one: string) => (one === known ? { id: id(known) } : undefined) };
  const Chat = { get: () => undefined };
  page({ WAWebContactStatusBridge: { getStatus }, WAWebCollections: { Chat, Contact } });
  expect(await getAbout('543512345678@c.us')).toEqual({ about: 'Busy' });
  expect(asked).toEqual([known]);
});

describe('a person to block or unblock', () => {
  /** Blocks or unblocks, with these contacts and block list by id. Returns the result and the page's changes. */
  const change = async (
    contacts: Record<string, object>,
    listed: readonly string[],
    isBlocked: boolean,
    person = NUMBER,
  ) => {
    const list = new Set(listed);
    const done: object[] = [];
    const set = (blocked: boolean) => async (contact: { id: object; isContactBlocked?: boolean }) => {
      if ((contact.isContactBlocked ?? false) === blocked) return;
      done.push({ id: String(contact.id), blocked });
      list[blocked ? 'add' : 'delete'](String(contact.id));
    };
    class modelClass {
      constructor(values: object) {
        Object.assign(this, values);
      }
    }
    const Contact = {
      modelClass,
      get: (key: string) => contacts[key] && { id: id(key), ...contacts[key] },
    };
    const Blocklist = { get: (key: string) => (list.has(key) ? { id: id(key) } : undefined) };
    const actions = {
      blockContact: ({ contact }: { contact: { id: object } }) => set(true)(contact),
      unblockContact: set(false),
    };
    page({ WAWebCollections: { Contact, Blocklist }, WAWebBlockContactAction: actions });
    return [await setBlocked(person, isBlocked, 0), done];
  };

  it.each([
    ['no contact', {}],
    ['a contact by number only', { [NUMBER]: { isContactBlocked: false } }],
    ['a contact that is not marked', { [LID]: { isContactBlocked: false } }],
  ])('may have %s', async (_, contacts) => {
    expect(await change(contacts, [LID], false)).toEqual([{ id: NUMBER }, [{ id: LID, blocked: false }]]);
  });

  it('is passed by hidden id, even if the contact has the number', async () => {
    expect(await change({ [NUMBER]: {} }, [], true)).toEqual([{ id: NUMBER }, [{ id: LID, blocked: true }]]);
    expect(await change({ [NUMBER]: {} }, [LID], true)).toEqual([{ id: NUMBER }, []]);
  });

  it('is passed by the hidden id from the network if the page does not know it', async () => {
    expect(await change({ [NEW]: {} }, [], true, NEW)).toEqual([{ id: NEW }, [{ id: '8@lid', blocked: true }]]);
    expect(await change({ [NEW]: {} }, ['8@lid'], true, NEW)).toEqual([{ id: NEW }, []]);
  });

  it('has either form of the number', async () => {
    const [known, written] = ['551199990000@c.us', '5511999990000@c.us'];
    const result = [{ id: known }, [{ id: known, blocked: true }]];
    expect(await change({ [known]: {} }, [], true, written)).toEqual(result);
    expect(await change({}, [known], false, written)).toEqual([{ id: known }, [{ id: known, blocked: false }]]);
  });

  it('is unknown without a contact and without an entry on the list', async () => {
    for (const isBlocked of [true, false])
      await expect(change({}, [], isBlocked)).rejects.toMatchObject({ code: 'contact_not_found' });
  });
});
