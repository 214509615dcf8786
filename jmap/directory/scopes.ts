import { keysOf } from '../../server/base/known-names.ts'

/** The scopes of API keys (decision D6). `x:write` does not imply `x:read`. */
export const SCOPES = {
  'domains:read': 'Read domains and their DNS records',
  'domains:write': 'Add, change and delete domains',
  'mailboxes:read': 'Read mailboxes, folders, identities, rules and imports',
  'mailboxes:write':
    'Create, change and delete mailboxes, folders, rules and imports; set passwords, with which one can log in and read all mail of a mailbox',
  'messages:read': 'Read messages and attachments',
  'messages:write': 'Send, change, move and delete messages',
  'threads:read': 'Read threads',
  'audiences:read': 'Read audiences and subscribers',
  'audiences:write': 'Change audiences and subscribers',
  'newsletters:read': 'Read newsletters and assets',
  'newsletters:write': 'Write, schedule and send newsletters',
  'calendar:read': 'Read calendar events and availability',
  'calendar:write': 'Change calendar events',
  'booking_pages:read': 'Read booking pages',
  'booking_pages:write': 'Change booking pages',
  'webhooks:read': 'Read webhooks and their deliveries',
  'webhooks:write': 'Change webhooks',
  'suppressions:read': 'Read suppressions',
  'suppressions:write': 'Remove suppressions',
  'api_keys:read': 'Read API keys',
  'api_keys:write': 'Create, change and revoke API keys that may do no more than this one',
  'usage:read': 'Read usage and limits',
  'billing:read': 'Read the subscription',
  'billing:write': 'Open the pages on which the organization subscribes, pays and cancels',
  'organization:read': 'Read the organization',
  'organization:write': 'Change the organization',
} as const

export type Scope = keyof typeof SCOPES
export const SCOPE_NAMES: readonly Scope[] = keysOf(SCOPES)
