import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import type { Wid } from '../wid.ts';

interface BusinessProfileAttributes {
  id: Wid;
  description: string;
  website: string[];
  profileOptions: { commerceExperience: 'none' };
}

/** What a business tells of itself. */
export class BusinessProfile extends Model<BusinessProfileAttributes> {
  static override readonly props = ['id', 'description', 'website', 'profileOptions'];
}

const profiles = new Collection<BusinessProfile>(BusinessProfile);

/** Those that were asked for, with the question; all businesses here say the same. */
export const businessProfiles = Object.assign(profiles, {
  find: async (id: Wid): Promise<BusinessProfile> => {
    const values = {
      id,
      description: 'A business',
      website: [],
      profileOptions: { commerceExperience: 'none' as const },
    };
    return profiles.get(id) ?? profiles.add(new BusinessProfile(values));
  },
});
