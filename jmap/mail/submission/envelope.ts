/** The envelope of a submission: given by the client, or from the email's header fields (RFC 8621 7). */
import type { EmailSummary } from '../../../storage/repos/emails.ts'
import type { Json, JsonObject } from '../../core.ts'
import { invalidEmail, invalidProperties, invalidRecipients, type SetError, setError } from '../../protocol/errors.ts'
import { normaliseAddress } from '../addresses.ts'
import { type PackedProperty, packedLines, packedText } from '../email/packed.ts'

export interface Envelope {
  readonly mailFrom: EnvelopeAddress
  readonly rcptTo: readonly EnvelopeAddress[]
}

export interface EnvelopeAddress {
  readonly email: string
  readonly parameters: { readonly [name: string]: string | null } | null
}

/** MAIL and RCPT parameters that the queue understands: RFC 3461, RFC 4865 (future release), RFC 1870, 6152, 6531, 3207 needs. */
const MAIL_PARAMETERS = ['RET', 'ENVID', 'HOLDFOR', 'HOLDUNTIL', 'SIZE', 'BODY', 'SMTPUTF8', 'REQUIRETLS']
const RCPT_PARAMETERS = ['NOTIFY', 'ORCPT']

type Refusal = { readonly error: SetError }

/** Addresses of the header fields, as the row keeps them. */
export function addressesIn(email: EmailSummary, property: PackedProperty): string[] {
  const list = JSON.parse(packedText(packedLines(email.packed), property)) as { email: string }[] | null
  return (list ?? []).map((address) => address.email)
}

export function envelopeOf(email: EmailSummary, given: Json, identityEmail: string): { envelope: Envelope } | Refusal {
  if (given !== null) return checkEnvelope(given as unknown as Envelope)
  // RFC 8621 7: all of To, Cc and Bcc, each once.
  const all = (['to', 'cc', 'bcc'] as const).flatMap((property) => addressesIn(email, property))
  const seen = new Map<string, string>()
  for (const address of all) {
    const key = normaliseAddress(address)
    if (key === null) return { error: invalidEmail(['to'], `'${address.slice(0, 100)}' is not an address.`) }
    if (!seen.has(key)) seen.set(key, address)
  }
  const rcptTo = [...seen.values()].map((address) => ({ email: address, parameters: null }))
  if (rcptTo.length === 0) return { error: setError('noRecipients') }
  return { envelope: { mailFrom: { email: identityEmail, parameters: null }, rcptTo } }
}

function checkEnvelope(envelope: Envelope): { envelope: Envelope } | Refusal {
  if (envelope.rcptTo.length === 0) return { error: setError('noRecipients') }
  const wrong = envelope.rcptTo.filter(({ email }) => normaliseAddress(email) === null).map(({ email }) => email)
  if (wrong.length > 0) return { error: invalidRecipients(wrong) }
  const { mailFrom, rcptTo } = envelope
  if (normaliseAddress(mailFrom.email) === null)
    return { error: invalidProperties(['envelope'], 'mailFrom is not an address.') }
  const unknown = [
    ...namesOf(mailFrom).filter((name) => !MAIL_PARAMETERS.includes(name)),
    ...rcptTo.flatMap(namesOf).filter((name) => !RCPT_PARAMETERS.includes(name)),
  ]
  if (unknown.length > 0)
    return { error: invalidProperties(['envelope'], `The parameter ${unknown[0]!.slice(0, 50)} is not supported.`) }
  const values = [mailFrom, ...rcptTo].flatMap(({ parameters }) => Object.values(parameters ?? {}))
  // A value reaches the SMTP dialogue: no space, no control character (RFC 5321 4.1.2 esmtp-value).
  if (values.some((value) => value !== null && !/^[\x21-\x3c\x3e-\x7e]{1,500}$/.test(value)))
    return { error: invalidProperties(['envelope'], 'A parameter has characters that are not allowed.') }
  return { envelope }
}

function namesOf({ parameters }: EnvelopeAddress): string[] {
  return Object.keys(parameters ?? {}).map((name) => name.toUpperCase())
}

/** RFC 4865 as RFC 8621 7 uses it: when to send, in epoch ms; null when the parameters contradict or exceed the limit. */
export function sendAtOf({ mailFrom }: Envelope, now: number, maxDelaySeconds: number): number | null {
  const parameters = Object.fromEntries(
    Object.entries(mailFrom.parameters ?? {}).map(([name, value]) => [name.toUpperCase(), value]),
  )
  const { HOLDFOR: holdFor, HOLDUNTIL: holdUntil } = parameters as JsonObject
  if (holdFor !== undefined && holdUntil !== undefined) return null
  if (typeof holdFor === 'string')
    return /^[0-9]{1,9}$/.test(holdFor) && Number(holdFor) <= maxDelaySeconds ? now + Number(holdFor) * 1000 : null
  if (typeof holdUntil !== 'string') return holdFor === undefined && holdUntil === undefined ? now : null
  const at = Date.parse(holdUntil)
  return Number.isNaN(at) || at > now + maxDelaySeconds * 1000 ? null : Math.max(at, now)
}
