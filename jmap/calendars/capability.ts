/** Capabilities of JMAP Calendars (draft-ietf-jmap-calendars 1.5) and of JMAP Sharing (RFC 9670 1.5). */
import {
  EVENT_MAX_DATE_TIME,
  EVENT_MAX_PARTICIPANTS,
  EVENT_MIN_DATE_TIME,
  MAX_AVAILABILITY_DAYS,
  MAX_CALENDARS_PER_EVENT,
  MAX_EXPANDED_QUERY_DAYS,
} from '../../server/base/calendar-data-limits.ts'
import type { IdKind } from '../../server/base/ids.ts'
import type { Capability } from '../type/capability.ts'
import { SINGLETON } from '../type/define-type.ts'

/** API keys need these for all calendar methods (decision D6). */
export const CALENDAR_SCOPES = { read: 'calendar:read', write: 'calendar:write' } as const

export const CALENDARS: Capability = {
  urn: 'urn:ietf:params:jmap:calendars',
  accounts: 'mailbox',
  account: () => ({
    maxCalendarsPerEvent: MAX_CALENDARS_PER_EVENT,
    minDateTime: EVENT_MIN_DATE_TIME,
    maxDateTime: EVENT_MAX_DATE_TIME,
    maxExpandedQueryDuration: `P${MAX_EXPANDED_QUERY_DAYS}D`,
    maxParticipantsPerEvent: EVENT_MAX_PARTICIPANTS,
  }),
}

export const CALENDARS_PARSE: Capability = { urn: 'urn:ietf:params:jmap:calendars:parse', accounts: 'mailbox' }

/** Number of the account's own principal, the only one that it sees. */
export const OWN_PRINCIPAL = SINGLETON
export const PRINCIPAL_ID: IdKind = { idPrefix: 'prn' }

/** RFC 9670 1.5.1 */
export const PRINCIPALS: Capability = {
  urn: 'urn:ietf:params:jmap:principals',
  accounts: 'mailbox',
  account: ({ services: { ids }, account }) => ({
    currentUserPrincipalId: ids.encode(PRINCIPAL_ID, account, OWN_PRINCIPAL),
  }),
}

/** RFC 9670 1.5.2: the account belongs to its own principal. */
export const PRINCIPALS_OWNER: Capability = {
  urn: 'urn:ietf:params:jmap:principals:owner',
  accounts: 'mailbox',
  with: PRINCIPALS,
  account: ({ services: { ids }, account }) => ({
    accountIdForPrincipal: ids.accountId('mailbox', account),
    principalId: ids.encode(PRINCIPAL_ID, account, OWN_PRINCIPAL),
  }),
}

export const AVAILABILITY: Capability = {
  urn: 'urn:ietf:params:jmap:principals:availability',
  accounts: 'mailbox',
  account: () => ({ maxAvailabilityDuration: `P${MAX_AVAILABILITY_DAYS}D` }),
}
