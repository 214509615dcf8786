/** How webhooks are posted to, where the operator says so. */
import type { SettingReader } from './setting-reader.ts'

export interface WebhookSettings {
  /** What the names of the signature's header fields begin with. */
  readonly headerPrefix: string
  /** IP addresses and CIDR networks inside that webhooks may lead to. */
  readonly allowNetworks: readonly string[]
}

const DAY_SECONDS = 86_400

export function readWebhooks(read: SettingReader): WebhookSettings {
  const headerPrefix = read.text('webhook_header_prefix') ?? 'X-Service'
  // RFC 9110 5.1: a name that needs no thought.
  if (!/^[A-Za-z][A-Za-z0-9-]{0,62}[A-Za-z0-9]$/.test(headerPrefix))
    read.refuse('webhook_header_prefix', 'must be letters, digits and hyphens, such as X-Service')
  return { headerPrefix, allowNetworks: read.networks('webhook_allow_private_cidrs') }
}

/** Milliseconds until each next attempt; null: as usual. */
export function readWebhookRetries(read: SettingReader): readonly number[] | null {
  const seconds = read
    .text('webhook_retry_seconds')
    ?.split(',')
    .map((part) => Number(part.trim()))
  if (seconds?.some((one) => !Number.isInteger(one) || one < 1 || one > DAY_SECONDS))
    read.refuse(
      'webhook_retry_seconds',
      `must be whole seconds from 1 to ${DAY_SECONDS} with commas between, such as 60,300,1800,14400`,
    )
  return seconds?.map((one) => one * 1_000) ?? null
}
