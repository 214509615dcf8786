/** Authenticates the sender of one message. The module is loaded only when the checks are on: mailauth takes long to load. */
import addressparser from 'nodemailer/lib/addressparser'
import type { AuthenticationResults } from '../../../../jmap/delivery/inbound-verdict.ts'
import { isNamed, unfoldedText } from '../../../../jmap/message/headers.ts'
import type { Clock } from '../../../../server/base/clock.ts'
import { AUTHOR_MAX_BYTES, SENDER_DNS_MS } from '../../../../server/base/inbound-limits.ts'
import type { DnsResolver } from '../../../dns/resolver.ts'
import { withResolverTimeout } from '../../../dns/resolver-timeout.ts'
import { domainOf } from '../../../smtp/path.ts'
import type { CheckedMessage } from '../check.ts'
import { type Author, checkDmarc, type DmarcRules } from './dmarc.ts'
import { answerLookup, createLookup } from './lookup.ts'
import { checkIprev, checkSpf } from './sender.ts'
import type { SignaturePool } from './signature-pool.ts'
import { type SignatureReport, UNSIGNED } from './signature-report.ts'

export interface Authenticating {
  readonly dns: DnsResolver
  readonly clock: Clock
  readonly pool: Pick<SignaturePool, 'check'>
  readonly hostname: string
  readonly rules: DmarcRules
}

export interface Authenticated {
  readonly results: AuthenticationResults
  /** The message is refused for now (4xx): a lookup that decides about it failed. */
  readonly deferred: boolean
}

export async function authenticate(work: Authenticating, { message, header }: CheckedMessage): Promise<Authenticated> {
  // Each has a timeout of its own: a sender whose names are slow to look up must not hide the DMARC policy of another domain.
  const [forSpf, forIprev, forDmarc] = [withTimeout(work), withTimeout(work), withTimeout(work)]
  const lookup = createLookup((name, type) => answerLookup(forSpf, name, type))
  const author = authorOf({ message, header })
  // The policy is looked up in parallel with the rest; the resolver caches the answer.
  if (author.addresses.length === 1) void forDmarc.txt(`_dmarc.${domainOf(author.addresses[0]!)}`)
  const client = { address: message.session.remoteAddress, helo: message.session.helo }
  const [spf, iprev, signatures] = await Promise.all([
    checkSpf(lookup, client, message.mailFrom, work.hostname),
    checkIprev(forIprev, client.address),
    signaturesOf(work.pool, { message, header }),
  ])
  const { aligned, deferred, ...dmarc } = await checkDmarc(
    createLookup((name, type) => answerLookup(forDmarc, name, type)),
    author,
    spf,
    signatures,
    work.rules,
  )
  const dkim = signatures.dkim.map((signature) => ({ ...signature, aligned: aligned.has(signature.domain) }))
  const arc = { result: signatures.arc.result, domain: signatures.arc.domain }
  return { results: { spf, dkim, dmarc, arc, iprev }, deferred }
}

function withTimeout({ dns, clock }: Authenticating): DnsResolver {
  return withResolverTimeout(dns, clock, SENDER_DNS_MS)
}

function signaturesOf(pool: Authenticating['pool'], { message, header }: CheckedMessage): Promise<SignatureReport> {
  const isSigned = header.fields.some((field) => isNamed(field, 'dkim-signature') || isNamed(field, 'arc-seal'))
  if (!isSigned) return Promise.resolve(UNSIGNED)
  return pool.check(message.bytes, message.receivedAt)
}

/** RFC 9989 5.3.1: the addresses of From; those of a group count (RFC 6854). */
function authorOf({ message, header }: CheckedMessage): Author {
  const fields = header.fields.filter((field) => isNamed(field, 'from'))
  // An oversized From counts as several authors: no mailer writes it, and readers show only one of its addresses.
  const octets = fields.reduce((sum, { start, end }) => sum + end - start, 0)
  if (octets > AUTHOR_MAX_BYTES) return { addresses: [], fields: Math.max(2, fields.length) }
  const addresses = fields
    .flatMap((field) => addressparser(unfoldedText(message.bytes, field), { flatten: true }))
    .map(({ address }) => address)
    .filter((address) => address !== '')
  return { addresses, fields: fields.length }
}
