/** All that is found out about the sender of one message. Loaded when the checks are on: mailauth takes a while. */
import addressparser from 'nodemailer/lib/addressparser'
import type { AuthenticationResults } from '../../../../jmap/mail/inbound-verdict.ts'
import { isNamed, unfoldedText } from '../../../../jmap/mail/message/headers.ts'
import type { Clock } from '../../../../server/base/clock.ts'
import { AUTHOR_MAX_BYTES, SENDER_DNS_MS } from '../../../../server/base/inbound-limits.ts'
import { MIME_MAX_HEADER_BYTES } from '../../../../server/base/limits.ts'
import { withPatience } from '../../../dns/patience.ts'
import type { DnsResolver } from '../../../dns/resolver.ts'
import { domainOf } from '../../../smtp/path.ts'
import type { CheckedMail } from '../check.ts'
import { type Author, checkDmarc, type DmarcRules } from './dmarc.ts'
import { answerLookup, createLookup } from './lookup.ts'
import { checkIprev, checkSpf } from './sender.ts'
import type { SignaturePool } from './signature-pool.ts'
import { type SignatureReport, UNREADABLE, UNSIGNED } from './signature-report.ts'

export interface Authenticating {
  readonly dns: DnsResolver
  readonly clock: Clock
  readonly pool: Pick<SignaturePool, 'check'>
  readonly hostname: string
  readonly rules: DmarcRules
}

export interface Authenticated {
  readonly results: AuthenticationResults
  /** The message has to come again: what decides about it is not known now. */
  readonly deferred: boolean
}

export async function authenticate(work: Authenticating, { mail, header }: CheckedMail): Promise<Authenticated> {
  // Each has a patience of its own: who makes his own names hard to look up must not keep us from finding the policy of another.
  const [forSpf, forIprev, forDmarc] = [patient(work), patient(work), patient(work)]
  const lookup = createLookup((name, type) => answerLookup(forSpf, name, type))
  const author = authorOf({ mail, header })
  // Asked for in time, so that nobody waits for one after the other; the answer is remembered.
  if (author.addresses.length === 1) void forDmarc.txt(`_dmarc.${domainOf(author.addresses[0]!)}`)
  const client = { address: mail.session.remoteAddress, helo: mail.session.helo }
  const [spf, iprev, signatures] = await Promise.all([
    checkSpf(lookup, client, mail.mailFrom, work.hostname),
    checkIprev(forIprev, client.address),
    signaturesOf(work.pool, { mail, header }),
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

function patient({ dns, clock }: Authenticating): DnsResolver {
  return withPatience(dns, clock, SENDER_DNS_MS)
}

function signaturesOf(pool: Authenticating['pool'], { mail, header }: CheckedMail): Promise<SignatureReport> {
  const isSigned = header.fields.some((field) => isNamed(field, 'dkim-signature') || isNamed(field, 'arc-seal'))
  if (!isSigned) return Promise.resolve(UNSIGNED)
  if (header.headerEnd > MIME_MAX_HEADER_BYTES) return Promise.resolve(UNREADABLE)
  return pool.check(mail.bytes, mail.receivedAt)
}

/** RFC 9989 5.3.1: the addresses of From; those of a group count (RFC 6854). */
function authorOf({ mail, header }: CheckedMail): Author {
  const fields = header.fields.filter((field) => isNamed(field, 'from'))
  // What nobody writes by hand is read as what it is used for: an author who is not to be found among others.
  const octets = fields.reduce((sum, { start, end }) => sum + end - start, 0)
  if (octets > AUTHOR_MAX_BYTES) return { addresses: [], fields: Math.max(2, fields.length) }
  const addresses = fields
    .flatMap((field) => addressparser(unfoldedText(mail.bytes, field), { flatten: true }))
    .map(({ address }) => address)
    .filter((address) => address !== '')
  return { addresses, fields: fields.length }
}
