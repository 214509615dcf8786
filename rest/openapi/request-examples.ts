/**
 * Requests as somebody would write them, by operation. The OpenAPI document and the docs show them; a test sends each with the ids of
 * a real server in place of these.
 */

const DOMAIN = 'dom_aaaaaaaaaeaaaaaaaaaaipjaxmoq'
const MAILBOX = 'mbx_aaaaaaaaayaaaaaaaaaaaaif7mwq'
const MESSAGE = 'msg_aaaaaaaaayaaaaaaaaaagbnm5hta'

const RULE = {
  name: 'Invoices',
  match_mode: 'all',
  conditions: [{ type: 'subject_contains', value: 'invoice' }],
  actions: [{ type: 'move', target: { kind: 'system', role: 'archive' } }, { type: 'star' }, { type: 'send_webhook' }],
}

export const REQUEST_EXAMPLES: { readonly [operationId: string]: object } = {
  createDomain: { name: 'example.com' },
  updateDomain: { catch_all_mailbox_id: MAILBOX },
  createMailbox: { domain_id: DOMAIN, address: 'support', display_name: 'Support' },
  updateMailbox: { display_name: 'Customer care' },
  setMailboxPassword: { password: 'Correct-horse-7' },
  setAutoReply: {
    enabled: true,
    subject: 'Away until Monday',
    body: 'Thank you for your message. We are back on Monday.',
    from_date: '2026-12-24T00:00:00.000Z',
    to_date: '2026-12-28T00:00:00.000Z',
  },
  setSpamFilter: { threshold: 6 },
  createFolder: { name: 'Invoices', parent_id: null },
  updateFolder: { name: 'Paid invoices' },
  updateInboxMessage: { read: true, starred: true },
  moveInboxMessage: { target_role: 'archive' },
  replaceRules: { rules: [RULE] },
  testRules: { message_id: MESSAGE, rules: [RULE] },
  sendMessage: {
    from: 'Support <support@example.com>',
    to: ['jane@example.org'],
    subject: 'Your order',
    text: 'It is on its way.',
    tags: { order: '17' },
  },
  sendBatch: {
    messages: [
      { from: 'support@example.com', to: ['jane@example.org'], subject: 'Your order', text: 'It is on its way.' },
      { from: 'support@example.com', to: ['joe@example.org'], subject: 'Your order', text: 'It is on its way.' },
    ],
  },
  replyToThread: { text: 'Thank you. We will see to it.' },
  createAlias: { domain_id: DOMAIN, address: 'sales', mailbox_id: MAILBOX, description: 'For the shop' },
  updateAlias: { enabled: false },
  createSuppression: { email_address: 'jane@example.org' },
  createWebhook: {
    url: 'https://example.com/hooks/mail',
    events: ['message.received', 'message.bounced'],
    description: 'Tells the shop about its mail',
  },
  updateWebhook: { events: ['message.received'], active: true },
  createApiKey: { name: 'Shop', scopes: ['messages:read', 'messages:write'], mailbox_ids: [MAILBOX] },
  updateApiKey: { name: 'Shop, read only', scopes: ['messages:read'] },
}
