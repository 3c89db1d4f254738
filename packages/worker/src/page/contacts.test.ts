import { describe, expect, it } from 'vitest';
import { freshProgram, stubPage } from '../testing/page-registry.ts';
import { Wid } from '../testing/wid.ts';

const NUMBER = '12025550102@c.us';
const LID = '102@lid';
/** A person without a known number. */
const HIDDEN = '7@lid';

freshProgram();

interface Row {
  readonly name?: string | undefined;
  readonly syncToAddressbook?: boolean | null | undefined;
  readonly isUsernameContact?: boolean;
  readonly username?: string;
}

/** A page with these contacts by id, which knows both ids of the person with the number. */
async function program(
  rows: Readonly<Record<string, Row>>,
  {
    features = {},
    registered = NUMBER,
    keeps = false,
  }: { features?: object; registered?: string; keeps?: boolean } = {},
) {
  const contacts = new Map(Object.entries(rows).map(([id, row]) => [id, { id: new Wid(id), ...row }]));
  const done: object[] = [];
  const set = (id: string, name: string | undefined) => {
    const ids = id === NUMBER ? [NUMBER, LID] : [id];
    if (!keeps) for (const one of ids) contacts.set(one, { ...contacts.get(one), id: new Wid(one), name });
  };
  const plain = (what: object) =>
    Object.fromEntries(Object.entries(what).map(([key, value]) => [key, value instanceof Wid ? String(value) : value]));
  stubPage(
    {
      WAWebCollections: { Contact: { get: (id: object) => contacts.get(String(id)) } },
      WAWebQueryExistsJob: {
        queryWidExists: async (id: object) => {
          done.push({ asked: String(id) });
          return registered ? { wid: new Wid(registered) } : null;
        },
      },
      WAWebPrimaryFeaturesModel: { PrimaryFeatures: features },
      WAWebSaveContactAction: {
        saveContactAction: async (what: { phoneNumber?: string; lid?: Wid; firstName: string; lastName: string }) => {
          done.push(plain(what));
          const name = [what.firstName, what.lastName].filter(Boolean).join(' ');
          set(what.phoneNumber ? `${what.phoneNumber}@c.us` : String(what.lid), name);
        },
      },
      WAWebDeleteContactAction: {
        deleteContactAction: async (what: { phoneNumber?: Wid; lid?: Wid }) => {
          done.push({ deleted: plain(what) });
          const id = String(what.phoneNumber ?? what.lid);
          if (contacts.get(id)?.name) set(id, undefined);
        },
      },
      WAWebContactEditSync: {
        sendContactDelete: async (id: Wid) => {
          done.push({ sent: String(id) });
          set(String(id), undefined);
        },
      },
    },
    { people: [{ number: NUMBER, lid: LID }], me: '12025550101@c.us' },
  );
  const { saveContact, deleteContact, numbersOf } = await import('./contacts.ts');
  return {
    done,
    numbersOf,
    save: (id: string, naming: object = {}) => saveContact(id, { firstName: 'Ben', ...naming }, 0),
    forget: (id: string) => deleteContact(id, 0),
  };
}

const named = { firstName: 'Ben', lastName: '' };
const byNumber = { ...named, phoneNumber: '12025550102' };

describe('a person is saved', () => {
  it('by number, after a look-up, and not on the phone unless that is wanted', async () => {
    for (const syncToPhone of [undefined, true]) {
      const { save, done } = await program({});
      const rows = await save(NUMBER, { lastName: 'Okafor', syncToPhone });
      const saved = { ...byNumber, lastName: 'Okafor', syncToAddressbook: syncToPhone ?? false };
      // The look-up is remembered.
      expect(done).toEqual(syncToPhone ? [saved] : [{ asked: NUMBER }, saved]);
      expect(rows).toMatchObject([
        { id: NUMBER, name: 'Ben Okafor' },
        { id: NUMBER, name: 'Ben Okafor' },
      ]);
    }
  });

  it('by the hidden id, if the page knows the number', async () => {
    const { save, done } = await program({});
    await save(LID);
    expect(done).toEqual([{ ...byNumber, syncToAddressbook: false }]);
  });

  it.each([
    [true, true],
    [false, false],
    [undefined, true],
    [null, true],
  ])('under another name, and stays on the phone as it was: %j', async (syncToAddressbook, stays) => {
    const row = { name: 'Benny', syncToAddressbook };
    const { save, done } = await program({ [NUMBER]: row, [LID]: row });
    await save(NUMBER);
    expect(done).toEqual([{ ...byNumber, syncToAddressbook: stays }]);
  });

  it('under the form of the number that is saved, or that the network knows', async () => {
    const [written, network] = ['5511999990000', '551199990000'];
    const saved = await program({ [`${network}@c.us`]: { name: 'Rui', syncToAddressbook: false } });
    await saved.save(`${written}@c.us`);
    expect(saved.done).toEqual([{ ...named, phoneNumber: network, syncToAddressbook: false }]);
    const unsaved = await program({}, { registered: `${network}@c.us` });
    await unsaved.save(`${written}@c.us`);
    expect(unsaved.done.at(-1)).toMatchObject({ phoneNumber: network });
  });

  it('by user name, if the number is hidden; and later by number instead', async () => {
    const hidden = await program({ [HIDDEN]: { username: 'nora' } });
    await hidden.save(HIDDEN);
    expect(hidden.done).toEqual([{ ...named, lid: HIDDEN, username: 'nora' }]);
    const known = await program({ [LID]: { name: 'Benny', username: 'ben', isUsernameContact: true } });
    await known.save(NUMBER);
    const converted = { lid: LID, username: 'ben', isConvertingContactType: true };
    expect(known.done).toEqual([{ ...byNumber, syncToAddressbook: false, ...converted }]);
  });
});

describe('a person is not saved', () => {
  const reported = ['contact_management'];

  it.each([
    ['whose number is not registered', NUMBER, {}, { registered: '' }, 'contact_not_found'],
    ['whose number and user name are unknown', HIDDEN, {}, {}, 'contact_not_found'],
    ['without a number, on the phone', HIDDEN, { syncToPhone: true }, {}, 'not_permitted'],
    ['who is the account itself', '12025550101@c.us', {}, {}, 'not_permitted'],
    ['who is a bot', '1@bot', {}, {}, 'not_permitted'],
    [
      'if the phone keeps no contacts',
      NUMBER,
      {},
      { features: { features: reported, isContactsBackupOn: false } },
      'not_permitted',
    ],
    [
      'on the phone, if that does not allow it',
      NUMBER,
      { syncToPhone: true },
      { features: { features: reported, primaryHasAddressbookPermission: false } },
      'not_permitted',
    ],
  ])('%s', async (_, id, naming: { syncToPhone?: boolean }, options, code) => {
    const { save, done } = await program({ [HIDDEN]: naming.syncToPhone ? { username: 'nora' } : {} }, options);
    await expect(save(id, naming)).rejects.toMatchObject({ code });
    expect(done.filter((one) => !('asked' in one))).toEqual([]);
  });

  it('if the page does not apply it', async () => {
    const { save } = await program({}, { keeps: true });
    await expect(save(NUMBER)).rejects.toMatchObject({ code: 'client_failed' });
  });

  it('only if the phone has reported what it allows', async () => {
    const { save, done } = await program({}, { features: { isContactsBackupOn: false } });
    await save(LID);
    expect(done).toHaveLength(1);
  });
});

it('a card needs a number, which a bot or a hidden id may not have', async () => {
  const { numbersOf } = await program({});
  const people = [NUMBER, LID, HIDDEN, '867051314767696@bot'];
  expect(await numbersOf(people)).toEqual(['12025550102', '12025550102', undefined, undefined]);
});

describe('a contact is deleted', () => {
  it('by number, also if only the row by hidden id has the name', async () => {
    const both = await program({ [NUMBER]: { name: 'Ben' }, [LID]: { name: 'Ben' } });
    expect(await both.forget(LID)).toEqual({ id: NUMBER });
    expect(both.done).toEqual([{ deleted: { phoneNumber: NUMBER } }]);
    const one = await program({ [NUMBER]: {}, [LID]: { name: 'Ben' } });
    expect(await one.forget(NUMBER)).toEqual({ id: NUMBER });
    expect(one.done).toEqual([{ deleted: { phoneNumber: NUMBER } }, { sent: NUMBER }]);
  });

  it('by user name, if it is saved so', async () => {
    const { forget, done } = await program({ [HIDDEN]: { name: 'Nora', username: 'nora', isUsernameContact: true } });
    expect(await forget(HIDDEN)).toEqual({ id: HIDDEN });
    expect(done).toEqual([{ deleted: { lid: HIDDEN, username: 'nora' } }]);
  });

  it('not if it is unknown, cannot be named, or the page does not apply it', async () => {
    const unsaved = await program({ [NUMBER]: {} });
    await expect(unsaved.forget(NUMBER)).rejects.toMatchObject({ code: 'contact_not_found' });
    const nameless = await program({ [HIDDEN]: { name: 'Nora', isUsernameContact: true } });
    await expect(nameless.forget(HIDDEN)).rejects.toMatchObject({ code: 'contact_not_found' });
    expect([...unsaved.done, ...nameless.done]).toEqual([]);
    const stays = await program({ [NUMBER]: { name: 'Ben' } }, { keeps: true });
    await expect(stays.forget(NUMBER)).rejects.toMatchObject({ code: 'client_failed' });
  });
});
