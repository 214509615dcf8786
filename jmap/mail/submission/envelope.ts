/** The envelope of a submission: from the client, or from the email's header fields (RFC 8621 7). */
import type { EmailSummary } from '../../../storage/repos/emails.ts'
import { normaliseAddress } from '../../message/mail-address.ts'
import { invalidProperties, invalidRecipients, type SetError, setError } from '../../protocol/errors.ts'
import { parseUTCDate } from '../../protocol/primitives.ts'
import { packedLines, packedValue } from '../email/packed.ts'
import { isOfIdentity } from '../identity/identity.handlers.ts'
import type { Authors } from './authors.ts'
import type { Envelope, GivenEnvelope } from './email-submission.type.ts'

/** RFC 3461 parameters of RCPT and MAIL. */
export type EnvelopeParameters = { readonly [name: string]: string | null }

/** A recipient of an SMTP envelope. */
export interface EnvelopeRecipient {
  readonly address: string
  readonly parameters?: EnvelopeParameters
}

type EnvelopeAddress = Envelope['mailFrom']
type GivenAddress = GivenEnvelope['mailFrom']

type Test = (value: string | null) => boolean

const is =
  (pattern: RegExp): Test =>
  (value) =>
    value !== null && pattern.test(value)
const isNull: Test = (value) => value === null
/** RFC 8621 7: values without xtext encoding. Characters that could end a line or a command are refused. */
const isText = (max: number): Test => is(new RegExp(`^[^\\p{Cc}\\p{Cs}\\u2028\\u2029]{1,${max}}$`, 'u'))

/** Supported parameters and their values: RFC 1870, 3461, 4865, 6152, 6531, 8689. */
const MAIL_PARAMETERS: { readonly [name: string]: Test } = {
  RET: is(/^(FULL|HDRS)$/i),
  ENVID: isText(100),
  HOLDFOR: is(/^[0-9]{1,9}$/),
  HOLDUNTIL: (value) => value !== null && instantOf(value) !== null,
  SIZE: is(/^[0-9]{1,20}$/),
  BODY: is(/^(7BIT|8BITMIME)$/i),
  SMTPUTF8: isNull,
  REQUIRETLS: isNull,
}
const RCPT_PARAMETERS: { readonly [name: string]: Test } = {
  NOTIFY: is(/^(NEVER|(SUCCESS|FAILURE|DELAY)(,(SUCCESS|FAILURE|DELAY)){0,2})$/i),
  ORCPT: (value) => isText(500)(value) && /^[A-Za-z0-9-]+;./.test(value!),
}

/** RFC 4865 4.3: a time of RFC 3339 in UTC; unlike JMAP's UTCDate it may have a fraction of zero. */
function instantOf(text: string): number | null {
  return parseUTCDate(text.replace(/\.0+Z$/, 'Z'))
}

type Refusal = { readonly error: SetError }

export function envelopeOf(
  email: EmailSummary,
  given: GivenEnvelope | null,
  identityEmail: string | null,
  authors: Authors,
): { readonly envelope: Envelope } | Refusal {
  if (given !== null) return checkEnvelope(given)
  const mailFrom = returnAddress(authors, identityEmail)
  // RFC 8621 7: all of To, Cc and Bcc, each once.
  const wrong = new Set<string>()
  const addresses: string[] = []
  const lines = packedLines(email.packed)
  for (const property of ['to', 'cc', 'bcc'] as const) {
    for (const { email: address } of packedValue(lines, property) ?? []) {
      if (normaliseAddress(address) === null) wrong.add(address)
      else addresses.push(address)
    }
  }
  if (wrong.size > 0) return { error: invalidRecipients([...wrong]) }
  const rcptTo = eachOnce(addresses.map((address) => ({ email: address, parameters: null })))
  return rcptTo.length === 0
    ? { error: setError('noRecipients') }
    : { envelope: { mailFrom: { email: mailFrom, parameters: null }, rcptTo } }
}

/**
 * RFC 8621 7: the address of Sender, else of From, if the identity allows it; else the identity's. If the identity is not a single
 * address, the author that it allows. A header with several or no such addresses has faults and is refused.
 */
function returnAddress({ from, sender }: Authors, identityEmail: string | null): string {
  const address = (sender.length > 0 ? sender : from)[0] ?? ''
  if (identityEmail === null || isOfIdentity(identityEmail, address)) return address
  if (!identityEmail.startsWith('*@')) return identityEmail
  return from.find((one) => isOfIdentity(identityEmail, one)) ?? ''
}

/** The first of the entries that mean the same address. */
function eachOnce(recipients: readonly EnvelopeAddress[]): EnvelopeAddress[] {
  const seen = new Map<string, EnvelopeAddress>()
  for (const recipient of recipients) {
    const key = normaliseAddress(recipient.email)!
    if (!seen.has(key)) seen.set(key, recipient)
  }
  return [...seen.values()]
}

function checkEnvelope({ mailFrom, rcptTo }: GivenEnvelope): { readonly envelope: Envelope } | Refusal {
  if (rcptTo.length === 0) return { error: setError('noRecipients') }
  const wrong = rcptTo.filter(({ email }) => normaliseAddress(email) === null).map(({ email }) => email)
  if (wrong.length > 0) return { error: invalidRecipients(wrong) }
  if (normaliseAddress(mailFrom.email) === null)
    return { error: invalidProperties(['envelope'], 'mailFrom is not an address.') }
  const fault =
    parameterFault(mailFrom, MAIL_PARAMETERS) ?? rcptTo.map(parametersOfRcpt).find((found) => found !== null)
  if (fault) return { error: invalidProperties(['envelope'], fault) }
  const recipients = eachOnce(rcptTo.map(withCapitals))
  return { envelope: { mailFrom: withCapitals(mailFrom), rcptTo: recipients } }
}

const parametersOfRcpt = (address: GivenAddress) => parameterFault(address, RCPT_PARAMETERS)

function parameterFault({ parameters }: GivenAddress, known: { readonly [name: string]: Test }): string | null {
  const seen = new Set<string>()
  for (const [name, value] of Object.entries(parameters ?? {})) {
    const test = Object.hasOwn(known, name.toUpperCase()) ? known[name.toUpperCase()] : undefined
    if (!test || seen.has(name.toUpperCase())) return `The parameter ${name.slice(0, 50)} is not supported.`
    if (!test(value)) return `The parameter ${name} cannot have that value.`
    seen.add(name.toUpperCase())
  }
  return null
}

/** RFC 5321 4.1.1.11: names of parameters compare without case. */
function withCapitals({ email, parameters }: GivenAddress): EnvelopeAddress {
  const named = Object.entries(parameters ?? {}).map(([name, value]) => [name.toUpperCase(), value])
  return { email, parameters: named.length > 0 ? Object.fromEntries(named) : null }
}

/** RFC 4865 as RFC 8621 7 uses it: the time to send, in epoch ms; null: the parameters contradict each other or exceed the limit. */
export function sendAtOf({ mailFrom }: Envelope, now: number, maxDelaySeconds: number): number | null {
  const holdFor = mailFrom.parameters?.['HOLDFOR'] ?? null
  const holdUntil = mailFrom.parameters?.['HOLDUNTIL'] ?? null
  if (holdFor !== null && holdUntil !== null) return null
  const at = holdFor !== null ? now + Number(holdFor) * 1000 : holdUntil !== null ? instantOf(holdUntil)! : now
  return at > now + maxDelaySeconds * 1000 ? null : Math.max(at, now)
}
