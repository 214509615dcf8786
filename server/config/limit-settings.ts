/** Limits that operators may change; the defaults are in server/base/limits.ts. */
import type { Limits } from '../../jmap/type/limits.ts'
import type { SmtpLimits } from '../../mta/smtp/limits.ts'
import { DEFAULT_RATES, type RateTable } from '../../rest/access/rate-tiers.ts'
import { SIGN_UPS_PER_HOUR } from '../base/audience-limits.ts'
import { BILLING_KINDS } from '../base/billing-limits.ts'
import { BOOKINGS_PER_HOUR } from '../base/booking-limits.ts'
import { HTTP_MAX_RECEIVING_BYTES } from '../base/limits.ts'
import {
  DEFAULT_REPUTATION,
  PLAN_NAMES,
  PLANS,
  type Plan,
  type ReputationPolicy,
  type ReputationRates,
} from '../base/sending-limits.ts'
import { SMTP_MAX_RECEIVING_BYTES } from '../base/smtp-limits.ts'
import type { SettingReader } from './setting-reader.ts'
import { readWebhookRetries } from './webhook-settings.ts'

/** Limits that are not set are left out, so that their defaults apply. */
export interface LimitSettings {
  readonly limits: Partial<Limits>
  readonly smtpLimits: Partial<SmtpLimits>
  readonly rates: RateTable
  /** Bookings an hour of one client on public pages; 0: no limit. */
  readonly bookingsPerHour: number
  readonly signUpsPerHour: number
}

export function readLimits(read: SettingReader): LimitSettings {
  return {
    limits: present<Limits>({
      plan: readPlan(read),
      hasPlanLimits: read.oneOf('plan_limits', ['on', 'off']) !== 'off',
      reputation: readReputation(read),
      hasNewsletterPace: read.oneOf('newsletter_pace', ['on', 'off']) !== 'off',
      hasNewsletterWarmUp: read.oneOf('newsletter_warmup', ['on', 'off']) !== 'off',
      webhookRetryMs: readWebhookRetries(read),
      mailboxStorageBytes: read.number('mailbox_storage_bytes', 0),
      mailboxRetentionMs: days(read.number('mailbox_retention_days', 0)),
      maxRecipients: read.number('max_recipients', 1),
      dkimLifetimeMs: days(read.number('dkim_rotation_days', 0)),
      maxSizeUpload: read.number('max_size_upload', 1, HTTP_MAX_RECEIVING_BYTES),
      maxConcurrentUpload: read.number('max_concurrent_upload', 1),
      maxSizeRequest: read.number('max_size_request', 1, HTTP_MAX_RECEIVING_BYTES),
      maxConcurrentRequests: read.number('max_concurrent_requests', 1),
      maxCallsInRequest: read.number('max_calls_in_request', 1),
      maxObjectsInGet: read.number('max_objects_in_get', 1),
      maxObjectsInSet: read.number('max_objects_in_set', 1),
    }),
    smtpLimits: present<SmtpLimits>({
      maxMessageBytes: read.number('max_message_bytes', 1, SMTP_MAX_RECEIVING_BYTES),
      maxConnections: read.number('smtp_max_connections', 1),
      maxConnectionsPerAddress: read.number('smtp_max_connections_per_address', 1),
      maxConnectionsPerNetwork: read.number('smtp_max_connections_per_network', 1),
    }),
    rates: {
      ...DEFAULT_RATES,
      ...present<RateTable>({
        read: read.number('rate_read', 0),
        write: read.number('rate_write', 0),
        send: read.number('rate_send', 0),
        verification: read.number('rate_verification', 0),
        failedAuth: read.number('rate_failed_auth', 0),
      }),
    },
    bookingsPerHour: read.number('rate_bookings', 0) ?? BOOKINGS_PER_HOUR,
    signUpsPerHour: read.number('rate_sign_ups', 0) ?? SIGN_UPS_PER_HOUR,
  }
}

function readPlan(read: SettingReader): Plan {
  const isBilled = (read.oneOf('billing', BILLING_KINDS) ?? 'none') !== 'none'
  const name = read.oneOf('plan', PLAN_NAMES)
  if (isBilled && name !== null) read.refuse('plan', 'is for servers without billing: subscriptions have plans')
  // spec/contract.tsv, Plan quotas: without a subscription an organization is on the free plan.
  return PLANS[isBilled ? 'free' : (name ?? 'team')]
}

const HOUR_MS = 3_600_000

function days(count: number | null): number | null {
  return count === null ? null : count * 24 * HOUR_MS
}

function readReputation(read: SettingReader): ReputationPolicy {
  const { minRecipients, throttledSendsPerHour, windowMs, calmMs, suspendedMs } = DEFAULT_REPUTATION
  const hours = (count: number | null, otherwise: number) => (count === null ? otherwise : count * HOUR_MS)
  const days = read.number('reputation_days', 1)
  return {
    ...DEFAULT_REPUTATION,
    ...readRates(read),
    isOn: read.oneOf('reputation', ['on', 'off']) !== 'off',
    windowMs: hours(days === null ? null : days * 24, windowMs),
    minRecipients: read.number('reputation_recipients', 1) ?? minRecipients,
    throttledSendsPerHour: read.number('reputation_throttled_sends', 0) ?? throttledSendsPerHour,
    calmMs: hours(read.number('reputation_calm_hours', 0), calmMs),
    suspendedMs: hours(read.number('reputation_suspended_hours', 0), suspendedMs),
  }
}

/** `4/0.1,8/0.3,12/0.5`: three levels in ascending order. */
function readRates(read: SettingReader): Pick<ReputationPolicy, 'warning' | 'throttled' | 'suspended'> | null {
  const text = read.text('reputation_rates')
  if (text === null) return null
  const percents = text.split(',').map((level) => level.trim().split('/').map(Number))
  const rising = [0, 1].every((i) => percents.every((level, at) => at === 0 || level[i]! >= percents[at - 1]![i]!))
  const wellFormed = percents.every((level) => level.length === 2 && level.every((one) => one > 0 && one <= 100))
  if (percents.length !== 3 || !wellFormed || !rising) {
    read.refuse('reputation_rates', 'must be three levels of bounces/complaints in percent, such as 4/0.1,8/0.3,12/0.5')
    return null
  }
  const [warning, throttled, suspended] = percents.map(
    ([bounces, complaints]): ReputationRates => ({ bounces: bounces! / 100, complaints: complaints! / 100 }),
  )
  return { warning: warning!, throttled: throttled!, suspended: suspended! }
}

/** Without the members that are not set, so that the defaults apply. */
function present<T>(values: { readonly [K in keyof T]?: T[K] | null }): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Partial<T>
}
