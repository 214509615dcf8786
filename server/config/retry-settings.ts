/** When deferred mail is tried again, and when it fails. */
import { QUEUE_EXPIRY_MS, RETRY_SCHEDULE_MS } from '../base/outbound-limits.ts'
import type { SettingReader } from './setting-reader.ts'

const MINUTE_MS = 60_000
const MINUTES_MAX = 10_080
const HOURS_MAX = 720

export function readRetries(read: SettingReader): { readonly waits: readonly number[]; readonly expiry: number } {
  const minutes = read
    .text('retry_minutes')
    ?.split(',')
    .map((part) => Number(part.trim()))
  if (minutes?.some((one) => !Number.isInteger(one) || one < 1 || one > MINUTES_MAX))
    read.refuse(
      'retry_minutes',
      `must be whole minutes from 1 to ${MINUTES_MAX} separated by commas, such as 1,5,15,30,60`,
    )
  const hours = read.number('queue_hours', 1, HOURS_MAX)
  return {
    waits: minutes?.map((one) => one * MINUTE_MS) ?? RETRY_SCHEDULE_MS,
    expiry: hours === null ? QUEUE_EXPIRY_MS : hours * 60 * MINUTE_MS,
  }
}
