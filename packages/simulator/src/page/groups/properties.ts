import type { Page } from '../page.ts';
import { createMexError } from '../server-status-code-error.ts';
import type { Wid } from '../wid.ts';
import type { WireGroupChange } from '../wire.ts';

/** The settings that use the older request, by their names in the page. */
const changes: Readonly<Record<string, (isOn: boolean) => WireGroupChange>> = {
  announcement: (announce) => ({ announce }),
  restrict: (restrict) => ({ restrict }),
  membership_approval_mode: (approveJoins) => ({ approveJoins }),
};

/** Changes a setting by the older request. A refusal of the network is returned, not thrown. */
export function setProperty({ connection }: Page) {
  return async (group: Wid, type: string, value: number): Promise<object> => {
    const change = changes[type]?.(value === 1);
    if (!change) throw new Error(`invalid group property ${type}`);
    try {
      await connection.request('change-group', { id: String(group), change });
      return { name: 'SetPropertyResponseSuccess', value: {} };
    } catch (error) {
      const { status, message } = error as { status?: number; message: string };
      if (status === undefined) throw error;
      const value = { code: status, text: message };
      return { name: 'SetPropertyResponseClientError', value: { errorSetPropertyClientErrors: { value } } };
    }
  };
}

/** Changes a setting by the newer request, which throws. */
export function updateProperty({ connection }: Page) {
  return async (id: string, update: { readonly member_add_mode?: 'ADMIN_ADD' | 'ALL_MEMBER_ADD' }): Promise<void> => {
    if (update.member_add_mode === undefined) throw createMexError(400, 'bad-request');
    const change = { adminsAdd: update.member_add_mode === 'ADMIN_ADD' };
    try {
      await connection.request('change-group', { id, change });
    } catch (error) {
      const { status, message } = error as { status?: number; message: string };
      throw status === undefined ? error : createMexError(status, message);
    }
  };
}
