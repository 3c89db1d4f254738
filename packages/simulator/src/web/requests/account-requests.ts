import { reject } from '../../network/calls.ts';
import { changeProfile } from '../../network/people.ts';
import type { Handlers } from './handler.ts';

type Names =
  | ('about' | 'set-name' | 'set-about' | 'set-picture' | 'set-privacy' | 'presence' | 'see-status')
  | ('subscribe-presence' | 'reject-call');

/** Requests of a device that change its account and its presence. */
export const accountRequests: Handlers<Names> = {
  about: ({ directory }, { account }, { id }) => {
    const found = directory.find(id);
    // It is never hidden from the account itself.
    const isHidden = found !== account && (!found || found.hidesAbout || found.blocked.has(account));
    return { about: isHidden ? '' : (found?.about ?? ''), isHidden };
  },
  'set-name': (network, { account }, { name }) => {
    changeProfile(network, account, { name });
    return null;
  },
  'set-about': (_network, { account }, { about }) => {
    account.about = about;
    return null;
  },
  'set-picture': ({ groups }, { account }, { id, data }) => {
    const jpeg = data === null ? undefined : Buffer.from(data, 'base64');
    if (id.endsWith('@g.us')) groups.setPicture(groups.get(id, account), account, jpeg);
    else Object.assign(account, { jpeg, picture: jpeg ? 'present' : 'none' });
    return null;
  },
  'set-privacy': (_network, { account }, { name, value }) => {
    account.privacy = { ...account.privacy, [name]: value };
    return null;
  },
  'see-status': ({ postOffice }, { account }, { id }) => {
    postOffice.seeStatus(account, id);
    return null;
  },
  // A person is identified by hidden id only.
  'subscribe-presence': (network, { account, device }, { id }) => {
    const { line } = device;
    if (line && /@(lid|g\.us)$/.test(id))
      network.presences.subscribe(line, device, account, network.party(id, account, 'id'));
    return null;
  },
  'reject-call': (network, { account }, { id }) => {
    reject(network, account, id);
    return null;
  },
  presence: (_network, { device }, { presence }) => {
    device.presence = presence;
    return null;
  },
};
