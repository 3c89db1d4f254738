import { describe, expect, it } from 'vitest';
import { freshHandlers } from '../testing/fake-page.ts';
import { contactHandlers } from './contacts.ts';

const BEN = '12025550102@c.us';

const { context, handlers } = freshHandlers(contactHandlers);

const row = (id: string, name?: string) => ({ id, name, isHidden: id.endsWith('@lid'), isUser: true });

describe('contacts', () => {
  it('are only people', async () => {
    context.page.on('listContacts', () => [row(BEN, 'Ben'), row('120363000000000000@g.us'), { nonsense: 1 }]);
    expect(await handlers.listContacts({ id: 'main' })).toMatchObject([{ id: BEN, name: 'Ben' }]);
  });

  it('are found by their id', async () => {
    context.page.on('getContact', (id) => [row(id, 'Ben')]);
    expect(await handlers.getContact({ id: 'main', contactId: BEN })).toMatchObject({ id: BEN, name: 'Ben' });
  });

  it.each([[[]], [[{ nonsense: 1 }]], [[{ ...row(BEN), isMe: true }]]])(
    'for which the page has %j: contact_not_found',
    async (rows) => {
      context.page.on('getContact', () => rows);
      const found = handlers.getContact({ id: 'main', contactId: BEN });
      await expect(found).rejects.toMatchObject({ code: 'contact_not_found' });
    },
  );
});

describe('a contact', () => {
  it('that was saved is returned as it is listed', async () => {
    context.page.on('saveContact', (id) => [row(id, 'Ben Okafor')]);
    const naming = { firstName: 'Ben', lastName: 'Okafor', syncToPhone: true };
    const saved = await handlers.saveContact({ id: 'main', contactId: BEN, ...naming });
    expect(saved).toMatchObject({ id: BEN, name: 'Ben Okafor' });
    expect(context.page.calls).toMatchObject([{ kind: 'change', args: [BEN, naming, expect.any(Number)] }]);
  });

  it('that was deleted is named by the id that the page found', async () => {
    context.page.on('deleteContact', () => ({ id: BEN }));
    const deleted = await handlers.deleteContact({ id: 'main', contactId: '81604523377102@lid' });
    expect(deleted).toEqual({ contactId: BEN, deleted: true });
  });
});

describe('a picture', () => {
  const picture = () => handlers.getPicture({ id: 'main', contactId: BEN });

  it('is a file, by default a JPEG', async () => {
    const bytes = Buffer.from('picture');
    context.page.on('loadPicture', () => ({ size: bytes.length, mimeType: undefined, filename: undefined }));
    context.page.pieces = () => [bytes];
    expect(await picture()).toMatchObject({ size: bytes.length, mimeType: 'image/jpeg' });
  });

  it('that does not exist or is not visible is null', async () => {
    context.page.on('loadPicture', () => null);
    expect(await picture()).toBeNull();
  });
});
