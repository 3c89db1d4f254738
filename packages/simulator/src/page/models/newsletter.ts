import { createWid } from '../wid.ts';
import type { WireChannel } from '../wire.ts';
import { type Chat, openChat } from './chat.ts';
import { NewsletterMetadata, newsletterMetadata } from './newsletter-metadata.ts';

/** Updates a channel, opened if necessary. */
export function learnChannel({ id, name, description, inviteCode, followers, role }: WireChannel): Chat {
  const chat = openChat(id, name);
  const metadata = newsletterMetadata.get(id) ?? newsletterMetadata.add(new NewsletterMetadata({ id: createWid(id) }));
  metadata.set({ name, description, inviteCode, size: followers, verified: false, membershipType: role });
  chat.newsletterMetadata = metadata;
  chat.set({ name, formattedTitle: name, isReadOnly: role !== 'owner' });
  return chat;
}
