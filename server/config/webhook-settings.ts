/** The operator's settings for webhooks. */
import type { SettingReader } from './setting-reader.ts'

export interface WebhookSettings {
  /** Prefix of the signature's header fields. */
  readonly headerPrefix: string
  /** Private IP addresses and CIDR networks that webhooks may lead to. */
  readonly allowNetworks: readonly string[]
}

const DAY_SECONDS = 86_400

export function readWebhooks(read: SettingReader): WebhookSettings {
  const headerPrefix = read.text('webhook_header_prefix') ?? 'X-Service'
  // RFC 9110 5.1 allows more characters; these need no escaping anywhere.
  if (!/^[A-Za-z][A-Za-z0-9-]{0,62}[A-Za-z0-9]$/.test(headerPrefix))
    read.refuse('webhook_header_prefix', 'must be letters, digits and hyphens, such as X-Service')
  return { headerPrefix, allowNetworks: read.networks('webhook_allow_private_cidrs') }
}

/** Milliseconds between attempts; null: the default. */
export function readWebhookRetries(read: SettingReader): readonly number[] | null {
  const seconds = read
    .text('webhook_retry_seconds')
    ?.split(',')
    .map((part) => Number(part.trim()))
  if (seconds?.some((one) => !Number.isInteger(one) || one < 1 || one > DAY_SECONDS))
    read.refuse(
      'webhook_retry_seconds',
      `must be whole seconds from 1 to ${DAY_SECONDS} separated by commas, such as 60,300,1800,14400`,
    )
  return seconds?.map((one) => one * 1_000) ?? null
}
