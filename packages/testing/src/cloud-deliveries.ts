/** One delivery of each kind that the provider documents, with made-up numbers. */

const ACCOUNT = '100000000000001';
const METADATA = { display_phone_number: '12025550100', phone_number_id: '200000000000002' };
const SENDER = '12025550101';
const CONTACT = { profile: { name: 'Ada' }, wa_id: SENDER };
const FILE = { id: '300000000000003', sha256: 'c2hhMjU2', mime_type: 'image/jpeg' };

export function delivery(field: string, value: unknown, time?: number): object {
  const entry = { id: ACCOUNT, ...(time === undefined ? {} : { time }), changes: [{ field, value }] };
  return { object: 'whatsapp_business_account', entry: [entry] };
}

export function messages(...list: object[]): object {
  return delivery('messages', {
    messaging_product: 'whatsapp',
    metadata: METADATA,
    contacts: [CONTACT],
    messages: list,
  });
}

/** A message of a type, by its part of that name. */
export function message(type: string, part: object, more: object = {}): object {
  return { from: SENDER, id: `wamid.${type}`, timestamp: '1767225600', type, ...part, ...more };
}

export function text(id: string, body: string, from = SENDER): object {
  return { from, id, timestamp: '1767225600', type: 'text', text: { body } };
}

export function statuses(...list: object[]): object {
  return delivery('messages', { messaging_product: 'whatsapp', metadata: METADATA, statuses: list });
}

const status = (name: string, more: object = {}) => ({
  id: 'wamid.sent',
  status: name,
  timestamp: '1767225601',
  recipient_id: SENDER,
  ...more,
});
const CONVERSATION = { id: 'c0ffee', expiration_timestamp: '1767312000', origin: { type: 'utility' } };
const PRICING = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' };
const UNDELIVERABLE = {
  code: 131026,
  title: 'Message undeliverable',
  message: 'Message undeliverable',
  error_data: { details: 'The recipient cannot get it.' },
  href: 'https://provider.example/errors',
};

/** Deliveries of inbound messages, by what is special about them. */
export const messageExamples: Readonly<Record<string, object>> = {
  text: message('text', { text: { body: 'Does it come in another colour?' } }),
  'an answer': message('text', { text: { body: 'Yes' } }, { context: { from: '12025550100', id: 'wamid.asked' } }),
  'a forwarded one': message(
    'text',
    { text: { body: 'Look' } },
    { context: { forwarded: true, frequently_forwarded: true } },
  ),
  'about a product': message(
    'text',
    { text: { body: 'This one?' } },
    {
      context: {
        from: '12025550100',
        id: 'wamid.p',
        referred_product: { catalog_id: '4', product_retailer_id: 'sku' },
      },
    },
  ),
  'from an advertisement': message(
    'text',
    { text: { body: 'Hello' } },
    {
      referral: {
        source_url: 'https://ad.example/1',
        source_id: '5',
        source_type: 'ad',
        body: 'Summer sale',
        headline: 'Sale',
        media_type: 'image',
        image_url: 'https://ad.example/1.jpg',
        ctwa_clid: 'click',
        welcome_message: { text: 'Hi' },
      },
    },
  ),
  'of a person with a user name': {
    ...message('text', { text: { body: 'Hi' } }),
    from: undefined,
    from_user_id: 'US.1',
  },
  'to a group': message('text', { text: { body: 'All' } }, { group_id: 'group-1' }),
  'with a changed identity': message(
    'text',
    { text: { body: 'It is me' } },
    { identity: { acknowledged: true, created_timestamp: 1767225600, hash: 'aGFzaA==' } },
  ),
  image: message('image', { image: { ...FILE, caption: 'A cat' } }),
  video: message('video', { video: { ...FILE, mime_type: 'video/mp4' } }),
  audio: message('audio', { audio: { ...FILE, mime_type: 'audio/ogg; codecs=opus', voice: true } }),
  document: message('document', { document: { ...FILE, filename: 'bill.pdf', caption: 'Bill' } }),
  sticker: message('sticker', { sticker: { ...FILE, mime_type: 'image/webp', animated: false } }),
  location: message('location', { location: { latitude: 52.5, longitude: 13.4, name: 'Here', address: 'A street 1' } }),
  contacts: message('contacts', {
    contacts: [
      {
        name: { formatted_name: 'Ben B', first_name: 'Ben', last_name: 'B' },
        phones: [{ phone: '+1 202-555-0102', wa_id: '12025550102', type: 'HOME' }],
        emails: [{ email: 'ben@mail.example', type: 'WORK' }],
        addresses: [{ city: 'Berlin', country: 'Germany', country_code: 'de', type: 'HOME' }],
        org: { company: 'B Ltd' },
        urls: [{ url: 'https://b.example' }],
        birthday: '2000-01-01',
      },
    ],
  }),
  'a chosen button': message('interactive', {
    interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
  }),
  'a chosen line': message('interactive', {
    interactive: { type: 'list_reply', list_reply: { id: 'row-1', title: 'Express', description: 'Tomorrow' } },
  }),
  'a filled form': message('interactive', {
    interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"a":1}' } },
  }),
  'a permission to call': message('interactive', {
    interactive: {
      type: 'call_permission_reply',
      call_permission_reply: { response: 'accept', is_permanent: false, expiration_timestamp: 1767312000 },
    },
  }),
  'a quick reply': message('button', { button: { text: 'Stop', payload: 'STOP' } }, { context: { id: 'wamid.t' } }),
  order: message('order', {
    order: {
      catalog_id: '4',
      text: 'Please',
      product_items: [{ product_retailer_id: 'sku', quantity: 2, item_price: 9.5, currency: 'EUR' }],
    },
  }),
  reaction: message('reaction', { reaction: { message_id: 'wamid.sent', emoji: '\u{1F44D}' } }),
  'a reaction that is taken back': message('reaction', { reaction: { message_id: 'wamid.sent' } }),
  'a changed number': message('system', {
    system: { body: 'Ada changed', wa_id: '12025550109', type: 'user_changed_number' },
  }),
  'an edited message': message('edit', { edit: { original_message_id: 'wamid.text', message: { type: 'text' } } }),
  'a revoked message': message('revoke', { revoke: { original_message_id: 'wamid.text' } }),
  'an opened chat': message('request_welcome', {}),
  unsupported: message('unsupported', {
    errors: [{ code: 131051, title: 'Message type unknown', error_data: { details: 'not supported' } }],
    unsupported: { type: 'poll' },
  }),
};

export const statusExamples: Readonly<Record<string, object>> = {
  sent: status('sent', { conversation: CONVERSATION, pricing: PRICING, biz_opaque_callback_data: 'order-7' }),
  delivered: status('delivered', { conversation: { id: 'c0ffee', origin: { type: 'utility' } }, pricing: PRICING }),
  read: status('read'),
  played: status('played'),
  failed: status('failed', { errors: [UNDELIVERABLE] }),
  deleted: status('deleted'),
  'of one of a group': status('read', { recipient_type: 'group', recipient_participant_id: '12025550103' }),
  'a status that is new': status('something_new'),
};

export const fieldExamples: Readonly<Record<string, object>> = {
  account_alerts: {
    entity_type: 'BUSINESS',
    entity_id: 6,
    alert_severity: 'CRITICAL',
    alert_status: 'NONE',
    alert_type: 'OBA_APPROVED',
    alert_description: 'Approved',
  },
  account_review_update: { decision: 'APPROVED' },
  account_update: {
    event: 'DISABLED_UPDATE',
    ban_info: { waba_ban_state: 'DISABLE', waba_ban_date: 'January 1, 2026' },
    violation_info: { violation_type: 'SPAM' },
  },
  business_capability_update: { max_daily_conversation_per_phone: 1000, max_phone_numbers_per_business: 2 },
  message_template_components_update: {
    message_template_id: 7,
    message_template_name: 'bill',
    message_template_language: 'en_US',
    message_template_element: 'Hello {{1}}',
  },
  message_template_quality_update: {
    previous_quality_score: 'GREEN',
    new_quality_score: 'YELLOW',
    message_template_id: 7,
    message_template_name: 'bill',
    message_template_language: 'en_US',
  },
  message_template_status_update: {
    event: 'REJECTED',
    message_template_id: 7,
    message_template_name: 'bill',
    message_template_language: 'en_US',
    reason: 'INCORRECT_CATEGORY',
  },
  phone_number_name_update: {
    display_phone_number: '12025550100',
    decision: 'APPROVED',
    requested_verified_name: 'Shop',
    rejection_reason: null,
  },
  phone_number_quality_update: { display_phone_number: '12025550100', event: 'FLAGGED', current_limit: 'TIER_10K' },
  security: { display_phone_number: '12025550100', event: 'PIN_CHANGED', requester: '8' },
  template_category_update: {
    message_template_id: 7,
    message_template_name: 'bill',
    message_template_language: 'en_US',
    previous_category: 'UTILITY',
    new_category: 'MARKETING',
  },
  user_preferences: {
    messaging_product: 'whatsapp',
    metadata: METADATA,
    contacts: [CONTACT],
    user_preferences: [
      { wa_id: SENDER, detail: 'Asked', category: 'marketing_messages', value: 'stop', timestamp: 1767225600 },
    ],
  },
  smb_app_state_sync: {
    messaging_product: 'whatsapp',
    metadata: METADATA,
    state_sync: [{ type: 'contact', action: 'add', contact: { full_name: 'Ben B', phone_number: '12025550102' } }],
  },
  history: {
    messaging_product: 'whatsapp',
    metadata: METADATA,
    history: [{ metadata: { phase: 1, chunk_order: 1, progress: 55 }, threads: [{ id: SENDER, messages: [] }] }],
  },
  calls: {
    messaging_product: 'whatsapp',
    metadata: METADATA,
    calls: [{ id: 'wacid.1', from: SENDER, to: '12025550100', event: 'connect', timestamp: '1767225600' }],
  },
};
