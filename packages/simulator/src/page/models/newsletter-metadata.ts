import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import type { Wid } from '../wid.ts';
import type { WireChannel } from '../wire.ts';

interface NewsletterAttributes {
  id: Wid;
  name: string;
  description: string;
  inviteCode: string;
  /** The number of followers. */
  size: number;
  verified: boolean;
  membershipType: WireChannel['role'];
}

/** The page's data of a channel besides its messages. */
export class NewsletterMetadata extends Model<NewsletterAttributes> {
  static override readonly props = ['id', 'name', 'description', 'inviteCode', 'size', 'verified', 'membershipType'];
}

/** The metadata of channels that the account follows or owns, and of those that it has looked up. */
export const newsletterMetadata = new Collection<NewsletterMetadata>(NewsletterMetadata);
