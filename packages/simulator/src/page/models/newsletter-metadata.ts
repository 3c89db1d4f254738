import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import type { Wid } from '../wid.ts';
import type { WireChannel } from '../wire.ts';

interface NewsletterAttributes {
  id: Wid;
  name: string;
  description: string;
  inviteCode: string;
  /** How many follow it. */
  size: number;
  verified: boolean;
  membershipType: WireChannel['role'];
}

/** What the page knows of a channel besides its messages. */
export class NewsletterMetadata extends Model<NewsletterAttributes> {
  static override readonly props = [
    ...['id', 'name', 'description', 'inviteCode', 'size', 'verified', 'membershipType'],
  ];
}

/** The metadata of channels that the account follows or has, and of those that it has looked at. */
export const newsletterMetadata = new Collection<NewsletterMetadata>(NewsletterMetadata);
