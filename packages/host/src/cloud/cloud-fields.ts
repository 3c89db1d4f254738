import * as v from 'valibot';

/**
 * The fields other than messages, and their values. Names are the provider's; each part may be missing, and a value is
 * passed on unchanged.
 */

const text = v.nullish(v.string());
const number = v.nullish(v.number());
/** Ids and times are numbers in some fields, and texts in others. */
const numberOrText = v.nullish(v.union([v.number(), v.string()]));

export const cloudFields = {
  /** Limits, profile or badge of a number. */
  account_alerts: v.object({
    entity_type: text,
    entity_id: numberOrText,
    alert_severity: text,
    alert_status: text,
    alert_type: text,
    alert_description: text,
  }),
  /** The account was reviewed against the provider's rules. */
  account_review_update: v.object({ decision: text }),
  /** Verified, restricted, banned, shared, removed, deleted: see `event`. */
  account_update: v.object({
    event: text,
    phone_number: text,
    country: text,
    waba_info: v.nullish(v.object({ waba_id: text, owner_business_id: text, ad_account_linked: text })),
    ban_info: v.nullish(
      v.object({ waba_ban_state: v.nullish(v.union([v.string(), v.array(v.string())])), waba_ban_date: text }),
    ),
    violation_info: v.nullish(v.object({ violation_type: text })),
    restriction_info: v.nullish(v.array(v.object({ restriction_type: text, expiration: numberOrText }))),
  }),
  /** How many people the business may write to, and how many numbers it may have. */
  business_capability_update: v.object({
    max_daily_conversation_per_phone: numberOrText,
    max_daily_conversations_per_business: numberOrText,
    max_phone_numbers_per_business: number,
    max_phone_numbers_per_waba: number,
  }),
  message_template_components_update: v.object({
    message_template_id: numberOrText,
    message_template_name: text,
    message_template_language: text,
    message_template_title: text,
    message_template_element: text,
    message_template_footer: text,
  }),
  message_template_quality_update: v.object({
    previous_quality_score: text,
    new_quality_score: text,
    message_template_id: numberOrText,
    message_template_name: text,
    message_template_language: text,
  }),
  /** Approved, rejected, paused, disabled: see `event`. */
  message_template_status_update: v.object({
    event: text,
    message_template_id: numberOrText,
    message_template_name: text,
    message_template_language: text,
    message_template_category: text,
    reason: text,
    disable_info: v.nullish(v.object({ disable_date: numberOrText })),
    other_info: v.nullish(v.object({ title: text, description: text })),
  }),
  phone_number_name_update: v.object({
    display_phone_number: text,
    decision: text,
    requested_verified_name: text,
    rejection_reason: text,
  }),
  phone_number_quality_update: v.object({
    display_phone_number: text,
    event: text,
    current_limit: text,
    old_limit: text,
    max_daily_conversations_per_business: numberOrText,
  }),
  security: v.object({ display_phone_number: text, event: text, requester: numberOrText }),
  template_category_update: v.object({
    message_template_id: numberOrText,
    message_template_name: text,
    message_template_language: text,
    previous_category: text,
    new_category: text,
    correct_category: text,
  }),
  /** People who stop or resume marketing messages. */
  user_preferences: v.object({
    user_preferences: v.nullish(
      v.array(
        v.object({ wa_id: text, user_id: text, category: text, value: text, detail: text, timestamp: numberOrText }),
      ),
    ),
  }),
  /** Contacts of the app on the business's phone. */
  smb_app_state_sync: v.object({
    state_sync: v.nullish(
      v.array(
        v.object({
          type: text,
          action: text,
          contact: v.nullish(v.object({ full_name: text, first_name: text, phone_number: text })),
        }),
      ),
    ),
  }),
  /** Older chats of the app on the business's phone. */
  history: v.object({
    history: v.nullish(
      v.array(
        v.object({
          metadata: v.nullish(v.object({ phase: number, chunk_order: number, progress: number })),
          threads: v.nullish(v.array(v.object({ id: text, messages: v.nullish(v.array(v.unknown())) }))),
        }),
      ),
    ),
  }),
  calls: v.object({
    calls: v.nullish(
      v.array(v.object({ id: text, from: text, to: text, event: text, timestamp: text, direction: text })),
    ),
  }),
} as const satisfies Record<string, v.GenericSchema>;

/** The name of a field of the provider's webhooks whose value is typed here, such as `account_update`. */
export type CloudFieldName = keyof typeof cloudFields;
export type CloudFieldValue<N extends CloudFieldName> = v.InferOutput<(typeof cloudFields)[N]>;

export function isCloudFieldName(name: string): name is CloudFieldName {
  return Object.hasOwn(cloudFields, name);
}
