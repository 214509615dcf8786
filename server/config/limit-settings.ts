/** Limits that operators may set otherwise than server/base/limits.ts has them. */
import type { Limits } from '../../jmap/limits.ts'
import type { SmtpLimits } from '../../mta/smtp/server.ts'
import { DEFAULT_RATES, type RateTable } from '../../rest/rate-tiers.ts'
import { HTTP_MAX_RECEIVING_BYTES, SMTP_MAX_RECEIVING_BYTES } from '../base/limits.ts'
import type { Config } from './config.ts'
import type { SettingReader } from './setting-reader.ts'

/** What is not set is left out, so that defaults stay. */
export function readLimits(read: SettingReader): Pick<Config, 'limits' | 'smtpLimits' | 'rates'> {
  return {
    limits: present<Limits>({
      mailboxStorageBytes: read.number('mailbox_storage_bytes', 0),
      maxRecipients: read.number('max_recipients', 1),
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
  }
}

/** Without what was not set, so that defaults stay. */
function present<T>(values: { readonly [K in keyof T]?: T[K] | null }): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Partial<T>
}
