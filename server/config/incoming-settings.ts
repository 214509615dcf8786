/** Settings for mail from outside: checks of senders, rates of clients, load balancers. */
import type { SenderChecks } from '../../mta/inbound/checks/index.ts'
import type { PaceLimits } from '../../mta/smtp/pace.ts'
import {
  SMTP_CONNECTIONS_PER_MINUTE,
  SMTP_ERRORS_PER_MINUTE,
  SMTP_MESSAGES_PER_MINUTE,
  SMTP_RECIPIENTS_PER_MINUTE,
  SMTP_SENDER_MESSAGES_PER_MINUTE,
} from '../base/inbound-limits.ts'
import type { SettingReader } from './setting-reader.ts'

export interface IncomingSettings {
  /** null: senders are not checked. */
  readonly senderChecks: SenderChecks | null
  /** URL of Rspamd's normal worker; null: the built-in spam score is used. */
  readonly rspamd: string | null
  readonly pace: PaceLimits
  /** IP addresses and CIDR networks. */
  readonly balancers: readonly string[]
}

const POLICIES = ['none', 'quarantine', 'reject'] as const

export function readIncoming(read: SettingReader, dev: boolean): IncomingSettings {
  const isOn = (read.oneOf('sender_checks', ['on', 'off']) ?? (dev ? 'off' : 'on')) === 'on'
  const overrides = read.domains('dmarc_overrides', POLICIES)
  const bare = overrides.find(({ word }) => word === null)
  if (bare) read.refuse('dmarc_overrides', `${bare.domain} needs an action, such as ${bare.domain}=none`)
  const sealers = read.domains('arc_sealers', [])
  const lists = read.domains('dns_lists', ['refuse'])
  const dmarc = {
    overrides: new Map(overrides.map(({ domain, word }) => [domain, word ?? 'none'])),
    trustedSealers: new Set(sealers.map(({ domain }) => domain)),
  }
  const dnsLists = lists.map(({ domain, word }) => ({ zone: domain, refuses: word === 'refuse' }))
  return {
    senderChecks: isOn ? { dmarc, dnsLists } : null,
    rspamd: read.url('rspamd'),
    pace: {
      connections: read.number('smtp_connections_per_minute', 0) ?? SMTP_CONNECTIONS_PER_MINUTE,
      messages: read.number('smtp_messages_per_minute', 0) ?? SMTP_MESSAGES_PER_MINUTE,
      recipients: read.number('smtp_recipients_per_minute', 0) ?? SMTP_RECIPIENTS_PER_MINUTE,
      errors: read.number('smtp_errors_per_minute', 0) ?? SMTP_ERRORS_PER_MINUTE,
      senderMessages: read.number('smtp_sender_messages_per_minute', 0) ?? SMTP_SENDER_MESSAGES_PER_MINUTE,
    },
    balancers: read.networks('proxy_protocol'),
  }
}
