import { Collection } from '../collection.ts';
import type { Connection } from '../connection.ts';
import { Model } from '../model.ts';
import type { Wid } from '../wid.ts';
import type { WireBusinessProfile } from '../wire.ts';

interface BusinessProfileAttributes {
  id: Wid;
  description: string | undefined;
  address: string | null;
  email: string | undefined;
  website: readonly { readonly url: string }[];
  categories: readonly { readonly id: string; readonly localized_display_name: string }[];
  businessHours: object | null;
}

/** The public profile of a business; only the id if it has published nothing. */
class BusinessProfile extends Model<BusinessProfileAttributes> {
  static override readonly props = [
    ...['id', 'description', 'address', 'email', 'website', 'categories', 'businessHours'],
  ];
}

/** The profiles that were requested. */
export const businessProfiles = new Collection<BusinessProfile>(BusinessProfile);

/** The profile of a business, requested from the network. */
export function fetchBusinessProfile(connection: Connection, id: Wid): Promise<BusinessProfile> {
  const present = businessProfiles.get(id);
  if (present) businessProfiles.remove(present);
  return findBusinessProfile(connection, id);
}

/** The same, requested only if the page does not have it. */
export async function findBusinessProfile(connection: Connection, id: Wid): Promise<BusinessProfile> {
  const present = businessProfiles.get(id);
  if (present) return present;
  const profile = await connection.request('business-profile', { id: String(id) });
  return businessProfiles.add(new BusinessProfile({ id, ...(profile ? attributesOf(profile) : {}) }));
}

function attributesOf(profile: WireBusinessProfile): Partial<BusinessProfileAttributes> {
  const { description, address, email, websites, categories, timezone, days } = profile;
  const config = Object.entries(days ?? {}).map(([day, hours]) => {
    return [day, hours.length > 0 ? { mode: 'specific_hours', hours } : { mode: 'open_24h' }] as const;
  });
  return {
    ...{ description, email, address: address ?? null },
    website: websites.map((url) => ({ url })),
    categories: categories.map((name, index) => ({ id: String(index), localized_display_name: name })),
    businessHours: days ? { config: Object.fromEntries(config), timezone } : null,
  };
}
