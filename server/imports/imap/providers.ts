/**
 * Where the mail of a provider is. The hosts of named providers are fixed, so that a name stands for one place whatever the DNS says:
 *
 * | Provider | Source of the host |
 * |---|---|
 * | Gmail | Google, "IMAP, POP, and SMTP" for developers |
 * | Yahoo, AOL | their help pages on IMAP server settings |
 * | iCloud | Apple support 102525 |
 * | Fastmail | its help page on server names and ports |
 * | Zoho | its help page on IMAP access |
 *
 * All of them take TLS from the start on port 993 (RFC 8314 3.2).
 */
import type { ImapAccount } from '../../../jmap/type/host-ports.ts'

/** One place to try. */
export interface ImapTarget {
  /** Host name or IP address. */
  readonly host: string
  readonly port: number
  readonly security: 'tls' | 'starttls'
  /** Names to log in with, in order. */
  readonly usernames: readonly string[]
}

export const PROVIDER_HOSTS: { readonly [name in Exclude<ImapAccount['provider'], 'imap'>]: string } = {
  gmail: 'imap.gmail.com',
  yahoo: 'imap.mail.yahoo.com',
  aol: 'imap.aol.com',
  icloud: 'imap.mail.me.com',
  fastmail: 'imap.fastmail.com',
  zoho: 'imap.zoho.com',
}

export const TLS_PORT = 993
export const STARTTLS_PORT = 143

/** Apple's own domains: the name before the @ logs in, and for some accounts the whole address. */
const APPLE = /^([^@]+)@(?:icloud|me|mac)\.com$/i

/** null: the host of the account is not known by its provider. */
export function fixedTarget({ provider, email }: ImapAccount): ImapTarget | null {
  if (provider === 'imap') return null
  const [, local] = (provider === 'icloud' && APPLE.exec(email)) || []
  const usernames = local === undefined ? [email] : [local, email]
  return { host: PROVIDER_HOSTS[provider], port: TLS_PORT, security: 'tls', usernames }
}

/** Places that the account itself names. Without port and security, both common ways are tried. */
export function namedTargets({ host, port, security, username, email }: ImapAccount): ImapTarget[] {
  if (host === null) return []
  const usernames = [username ?? email]
  const tls: ImapTarget = { host, port: port ?? TLS_PORT, security: 'tls', usernames }
  const starttls: ImapTarget = { host, port: port ?? STARTTLS_PORT, security: 'starttls', usernames }
  if (security !== null) return [security === 'tls' ? tls : starttls]
  if (port !== null) return [port === STARTTLS_PORT ? starttls : tls]
  return [tls, starttls]
}
