import { describe, expect, it } from 'vitest';
import { stubPage } from '../../testing/page-registry.ts';
import { queryNumbers } from './numbers.ts';

const id = (text: string) => ({ toString: () => text });

/** The network's answer, by the protocols of the query. */
let answer: (asked: readonly string[]) => object;
/** A page that queries numbers by hidden id, or by number; newer builds do not report which. */
function page(isByLid: boolean | undefined): void {
  class USyncUser {
    withPhone = () => this;
  }
  class USyncQuery {
    readonly asked: string[] = [];
    withContactProtocol(mode: string): this {
      this.asked.push(mode);
      return this;
    }
    withLidProtocol(): this {
      this.asked.push('with hidden id');
      return this;
    }
    withUser = () => this;
    execute = async () => answer(this.asked);
  }
  stubPage({
    WAWebUsync: { USyncQuery, USYNC_ADDRESSING_MODE: { PN: 'pn', LID: 'lid' } },
    WAWebUsyncUser: { USyncUser },
    WAWebUsernameGatingUtils: isByLid === undefined ? {} : { usernameContactUsyncLidBased: () => isByLid },
  });
}

describe('people are found by number with all their ids', () => {
  const contact = { type: 'in', content: '+1' };

  it.each([true, undefined])('in builds that query by hidden id: %j', async (isByLid) => {
    answer = (asked) => {
      expect(asked).toEqual(['lid']);
      return { list: [{ contact, id: id('11@lid'), pn: id('1@c.us') }] };
    };
    page(isByLid);
    const found = await queryNumbers(['1@c.us']);
    expect(found).toEqual(new Map([['1@c.us', { isRegistered: true, ids: ['11@lid', '1@c.us'] }]]));
  });

  it('in builds that query by number', async () => {
    answer = (asked) => {
      expect(asked).toEqual(['pn', 'with hidden id']);
      return { list: [{ contact, id: id('1@c.us'), lid: '11@lid' }] };
    };
    page(false);
    const found = await queryNumbers(['1@c.us']);
    expect(found).toEqual(new Map([['1@c.us', { isRegistered: true, ids: ['1@c.us', '11@lid'] }]]));
  });

  it('without a hidden id, if the network refuses only that', async () => {
    answer = () => ({ list: [{ contact, id: id('1@c.us'), lid: { errorCode: 404 } }] });
    page(false);
    const found = await queryNumbers(['1@c.us']);
    expect(found).toEqual(new Map([['1@c.us', { isRegistered: true, ids: ['1@c.us'] }]]));
  });
});
