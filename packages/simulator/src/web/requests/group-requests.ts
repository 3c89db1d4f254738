import { NetworkRefusal } from '../../errors.ts';
import { marksOf } from '../../network/chats.ts';
import { groupView, isAdmin, memberIdOf } from '../../network/group.ts';
import type { AddOutcome } from '../../network/groups.ts';
import { deviceView } from '../../network/message-views.ts';
import type { Network } from '../../network/network.ts';
import { channelView, follow, unfollow } from '../../network/newsletter.ts';
import type { AccountRecord, GroupRecord, Newsletter } from '../../network/records.ts';
import type { WireParticipantResult } from '../../page/wire.ts';
import type { Handlers } from './handler.ts';

const INVITATION_MS = 3 * 86_400_000;

export const groupRequests = {
  'create-group': ({ groups, directory }, { account }, { participants, ...draft }) => {
    const people = participants.flatMap((id) => directory.find(id) ?? []);
    const unknown = participants.filter((id) => !directory.find(id)).map((id) => ({ id, code: 404 as const }));
    const group = groups.create(account, draft);
    const outcomes = groups.announce(
      group,
      [...new Set(people)].filter((person) => person !== account),
    );
    const results = [...outcomes].map(([person, code]) => resultOf(group, person, code));
    return {
      group: groupView(group, account),
      participants: [{ id: memberIdOf(group, account), code: 200 as const }, ...results, ...unknown],
    };
  },
  group: ({ groups }, { account }, { id }) => {
    const group = groups.get(id, account);
    if (!group.members.has(account)) throw new NetworkRefusal(403, 'the account is no member');
    return groupView(group, account);
  },
  groups: ({ groups }, { account }) => {
    const own = groups.of(account).filter(({ members }) => members.has(account));
    return own.map((group) => groupView(group, account));
  },
  'change-group': ({ groups }, { account }, { id, change }) => groups.set(groups.get(id, account), account, change),
  'add-to-group': ({ groups, directory }, { account }, { id, who }) => {
    const group = groups.get(id, account);
    return who.map((id) => {
      const person = directory.find(id);
      return person ? resultOf(group, person, groups.add(group, account, person)) : { id, code: 404 };
    });
  },
  'change-members': ({ groups, directory }, { account }, { id, who, action }) => {
    const people = who.map((each) => directory.find(each));
    return groups.change(groups.get(id, account), account, people, action);
  },
  'leave-group': ({ groups }, { account }, { id }) => groups.leave(groups.get(id, account), account),
  'invite-code': ({ groups }, { account }, { id }) => {
    const group = groups.get(id, account);
    return { code: isAdmin(group, account) ? group.inviteCode : null };
  },
  'renew-invite': ({ groups }, { account }, { id }) => ({
    code: groups.renewInvite(groups.get(id, account), account),
  }),
  invite: ({ groups }, { account }, { code }) => groupView(groups.invitedTo(code), account),
  join: ({ groups }, { account }, { code }) => {
    if (groups.invitedTo(code).requests.has(account)) throw new NetworkRefusal(304, 'the account waits already');
    const { group, waits } = groups.join(code, account);
    return { id: group.id, waits };
  },
  'join-requests': ({ groups }, { account }, { id }) => {
    const group = groups.get(id, account);
    return [...groups.requests(group, account)].map(([person, t]) => ({ id: memberIdOf(group, person), t }));
  },
  'answer-join-requests': ({ groups, directory }, { account }, { id, who, approve }) => {
    const people = who.map((each) => directory.find(each));
    return groups.answerRequests(groups.get(id, account), account, people, approve);
  },
  channel: (network, { account }, { key }) => {
    const newsletter = getNewsletter(network, key);
    const messages = newsletter.log.slice(-PREVIEWED_MESSAGES).map((message) => deviceView(message, account));
    const channel = channelView(newsletter, account);
    const marks = marksOf(account, newsletter);
    return { channel, chat: { id: newsletter.id, unreadCount: 0, left: 1, marks, messages, channel } };
  },
  'follow-channel': (network, { account }, { id }) => follow(getNewsletter(network, id), account),
  'channel-add-ons': () => {},
  'unfollow-channel': (network, { account }, { id }) => {
    const newsletter = getNewsletter(network, id);
    if (!newsletter.followers.has(account)) throw new NetworkRefusal(400, `${account.number} does not follow it`);
    unfollow(newsletter, account);
  },
} satisfies Partial<Handlers>;

function resultOf(group: GroupRecord, person: AccountRecord, code: AddOutcome): WireParticipantResult {
  const invite = { code: group.inviteCode, expiration: Math.floor((Date.now() + INVITATION_MS) / 1000) };
  return { id: memberIdOf(group, person), code, invite: code === 403 ? invite : undefined };
}

const PREVIEWED_MESSAGES = 20;

function getNewsletter({ newsletters }: Network, key: string): Newsletter {
  const found = newsletters.find(key);
  if (!found) throw new NetworkRefusal(404, 'newsletter-deleted-or-non-existing');
  return found;
}
