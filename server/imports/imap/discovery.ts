/**
 * Finds the IMAP server of an address: SRV records (RFC 6186), then the provider's autoconfiguration, then `imap.<domain>` (decision D12).
 * What is found is only where to try: the certificate must name the host, and private addresses are refused when it is connected.
 */
import type { SrvRecord } from 'node:dns'
import type { ImapAccount } from '../../../jmap/type/host-ports.ts'
import { AUTOCONFIG_MAX_BYTES, AUTOCONFIG_MS, IMAP_TARGETS_MAX } from '../../base/imap-limits.ts'
import type { SafeFetch } from '../../egress/safe-fetch.ts'
import { readAutoconfig } from './autoconfig.ts'
import { fixedTarget, type ImapTarget, namedTargets, STARTTLS_PORT, TLS_PORT } from './providers.ts'

export interface DiscoveryPorts {
  /** The SRV records of a name; none if there is no such name or no answer. */
  readonly srv: (name: string) => Promise<readonly SrvRecord[]>
  readonly fetch: SafeFetch
}

/** The places to try for an account, best first; at least one. */
export async function targetsOf(account: ImapAccount, ports: DiscoveryPorts): Promise<ImapTarget[]> {
  const fixed = fixedTarget(account)
  if (fixed) return [fixed]
  const { host, port, security, username, email } = account
  // The owner has said where. Otherwise the host is one that was found before, or none yet.
  if (host !== null && (port !== null || security !== null)) return namedTargets(account)
  const found = await discover(email, ports)
  const theirs = username === null ? found : found.map((target) => ({ ...target, usernames: [username] }))
  if (host === null) return theirs.slice(0, IMAP_TARGETS_MAX)
  const same = theirs.filter((target) => target.host === host.toLowerCase())
  return [...same, ...namedTargets(account)].slice(0, IMAP_TARGETS_MAX)
}

async function discover(email: string, { srv, fetch }: DiscoveryPorts): Promise<ImapTarget[]> {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  const services = [
    { name: '_imaps._tcp', security: 'tls' },
    { name: '_imap._tcp', security: 'starttls' },
  ] as const
  const answers = await Promise.all(services.map(({ name }) => srv(`${name}.${domain}`)))
  const byRecord = services.flatMap(({ security }, i) =>
    inOrder(answers[i]!).map(({ name, port }) => ({ host: name.toLowerCase(), port, security, usernames: [email] })),
  )
  if (byRecord.length > 0) return byRecord
  const byFile = await autoconfigured(domain, email, fetch)
  if (byFile.length > 0) return byFile
  const host = `imap.${domain}`
  return [
    { host, port: TLS_PORT, security: 'tls', usernames: [email] },
    { host, port: STARTTLS_PORT, security: 'starttls', usernames: [email] },
  ]
}

/** RFC 2782: the lowest priority first. RFC 6186 3.4: a target of "." means that the service is not offered. */
function inOrder(records: readonly SrvRecord[]): SrvRecord[] {
  return records
    .filter(({ name, port }) => name !== '' && name !== '.' && port > 0)
    .toSorted((a, b) => a.priority - b.priority || b.weight - a.weight)
}

/** Both places of the file are asked at the same time, by HTTPS only. */
async function autoconfigured(domain: string, email: string, fetch: SafeFetch): Promise<ImapTarget[]> {
  // Without the address in the query, the file of a provider with many servers may be missing; it is no secret to this domain.
  const query = `?emailaddress=${encodeURIComponent(email)}`
  const files = [
    `https://autoconfig.${domain}/mail/config-v1.1.xml${query}`,
    `https://${domain}/.well-known/autoconfig/mail/config-v1.1.xml${query}`,
  ]
  const found = await Promise.all(
    files.map(async (url) => {
      const answer = await fetch(url, { maxBytes: AUTOCONFIG_MAX_BYTES, timeoutMs: AUTOCONFIG_MS, redirects: 2 }).catch(
        () => null,
      )
      return answer?.status === 200 ? readAutoconfig(answer.body.toString('utf8'), email) : []
    }),
  )
  return found.find((targets) => targets.length > 0) ?? []
}
