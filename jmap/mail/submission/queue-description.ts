/** The description of a claimed message for a worker: envelope, message, keys. One snapshot serves a whole claim. */

import { Failure } from '../../../server/base/errors.ts'
import type { Keyring } from '../../../server/base/keyring.ts'
import { NEWSLETTER_HAND_OVER_MS } from '../../../server/base/newsletter-limits.ts'
import { QUEUE_CLAIM_BYTES } from '../../../server/base/outbound-limits.ts'
import type { Reader } from '../../../storage/ports.ts'
import type { ClaimedRow } from '../../../storage/repos/outgoing-leases.ts'
import { openRecipients, type QueuedMessage, queuedMessage } from '../../../storage/repos/queued.ts'
import { parseAddresses } from '../../message/addresses.ts'
import { type HeaderField, readWholeHeader } from '../../message/header-block.ts'
import { fieldText, lastField, unfold } from '../../message/headers.ts'
import { domainOf, normaliseAddress } from '../../message/mail-address.ts'
import { withoutBcc } from '../../message/without-fields.ts'
import { describeCopies, type HandOver, type NotSent } from '../../newsletters/run/hand-over.ts'
import { NEWSLETTER_RECIPIENT } from '../../newsletters/run/recipient-ids.ts'
import { type DkimKey, dkimKeysOf } from '../../policy/domain/dkim-store.ts'
import { relayOf } from '../../policy/domain/relay.ts'
import { returnDomainOf } from '../../policy/domain/return-domain.ts'
import type { Services } from '../../type/context.ts'
import { octetsOf } from '../blob/blobs.ts'
import { AddressParameters, EmailSubmission } from './email-submission.type.ts'
import type { EnvelopeParameters } from './envelope.ts'

/** Mail of an EmailSubmission to one destination, due and leased to a worker. */
export interface QueuedSubmission {
  readonly account: number
  readonly organization: number
  /** Object number of the EmailSubmission, and its id. */
  readonly submission: number
  readonly submissionId: string
  /** Domain of the recipients, as A-labels in lower case. */
  readonly destination: string
  readonly mailFrom: string
  /** The domain of the return addresses, one per recipient; null: `mailFrom` is used for all. */
  readonly returnDomain: string | null
  /** `smtp://user:password@host:port` of the relay for all mail of the sender's domain; null: none. */
  readonly relay: string | null
  readonly parameters: EnvelopeParameters
  /** Recipients that are still open. */
  readonly recipients: readonly QueuedRecipient[]
  /** Epoch ms of the submission (sendAt), from which expiry counts. */
  readonly queuedAt: number
  /** Attempts made before this one. */
  readonly attempts: number
  /** The message to send, without Bcc. */
  readonly bytes: Uint8Array
  /** The DKIM keys of the domain of From; each signs. */
  readonly dkim: readonly DkimKey[]
  /** Of a newsletter: other mail comes first, and its sender gets no notifications. */
  readonly isBulk: boolean
  /** Epoch ms after which no attempt begins: what was read for it is too old then. null: any time. */
  readonly startBy: number | null
  /** Fencing token: a report with another token is ignored, so a worker that lost its lease changes nothing. */
  readonly lease: string
}

export interface QueuedRecipient {
  /** Index of the recipient in the envelope. */
  readonly position: number
  readonly address: string
  readonly parameters: EnvelopeParameters
}

/** `isPending`: it can still be recalled. `tooMuch`: the messages before it fill the claim. `notSent`: it is of a newsletter, and not sent. */
export type Described =
  | { readonly queued: QueuedSubmission; readonly isPending: boolean }
  | { readonly notSent: NotSent }
  | { readonly error: unknown }
  | { readonly tooMuch: true }

export function describeQueued(services: Services, rows: readonly ClaimedRow[]): Promise<Described[]> {
  const keys = new KeysOfDomains()
  return services.store.read(async (reader) => {
    const described: Described[] = []
    const ofNewsletters = rows.filter(({ newsletter }) => newsletter !== null)
    const copies = (await describeCopies(services, reader, ofNewsletters)).values()
    let bytes = 0
    for (const row of rows) {
      const copy = row.newsletter === null ? null : copies.next().value!
      const one: Described =
        bytes > QUEUE_CLAIM_BYTES
          ? { tooMuch: true }
          : await (copy
              ? describeCopy(services, reader, row, copy, keys)
              : describe(services, reader, row, keys)
            ).catch((error: unknown) => ({ error }))
      if ('queued' in one) bytes += one.queued.bytes.length
      described.push(one)
    }
    return described
  })
}

async function describe(services: Services, reader: Reader, row: ClaimedRow, keys: KeysOfDomains): Promise<Described> {
  const submission = await queuedMessage(reader, row.account, row.submission)
  if (!submission) throw new Failure('corrupt', 'the submission does not exist')
  const { hash, data, location, mail_from: mailFrom } = submission
  if (!hash) throw new Failure('corrupt', 'its blob does not exist')
  const recipients = await openRecipients(reader, row.account, row.submission, row.destination)
  const stored = await octetsOf(services.store, { hash, data, location })
  const header = readWholeHeader(stored)
  const from = keys.domainOfFrom(stored, header.fields)
  const submissionId = services.ids.encode(EmailSubmission, row.account, row.submission)
  const queued: QueuedSubmission = {
    account: row.account,
    organization: row.organization,
    submission: row.submission,
    submissionId,
    destination: row.destination,
    mailFrom,
    returnDomain: await keys.returnDomain(reader, row.organization, mailFrom),
    relay: await keys.relay(services.keyring, reader, row.organization, mailFrom, from),
    parameters: parametersOf(submission, submissionId),
    recipients: recipients.map(({ position, address, parameters }) => ({
      position,
      address,
      parameters: parseParameters(parameters),
    })),
    queuedAt: submission.send_at,
    attempts: row.attempts,
    bytes: withoutBcc(stored, header),
    dkim: await keys.find(services.keyring, reader, row.organization, from),
    isBulk: false,
    startBy: null,
    lease: row.lease,
  }
  return { queued, isPending: submission.undo_status === 'pending' }
}

/** A message of a newsletter (jmap/newsletters/run). */
async function describeCopy(
  services: Services,
  reader: Reader,
  row: ClaimedRow,
  copy: HandOver,
  keys: KeysOfDomains,
): Promise<Described> {
  if ('notSent' in copy || 'error' in copy) return copy
  const { address, mailFrom, queuedAt, bytes } = copy
  const { account, organization, submission, destination, attempts, lease } = row
  const domain = domainOf(mailFrom)
  const queued: QueuedSubmission = {
    ...{ account, organization, submission, destination, attempts, lease, mailFrom, queuedAt, bytes },
    submissionId: services.ids.encode(NEWSLETTER_RECIPIENT, account, submission),
    returnDomain: await keys.returnDomain(reader, organization, mailFrom),
    relay: await keys.relay(services.keyring, reader, organization, mailFrom, domain),
    parameters: {},
    recipients: [{ position: 0, address, parameters: {} }],
    dkim: await keys.find(services.keyring, reader, organization, domain),
    isBulk: true,
    startBy: services.clock.now() + NEWSLETTER_HAND_OVER_MS,
  }
  return { queued, isPending: false }
}

/**
 * RFC 8621 7: reports name the submission by the ENVID, if the client set none. RFC 3461 5.2.1: a message that came by SMTP without one
 * is sent without one.
 */
function parametersOf({ parameters, source }: QueuedMessage, submissionId: string): EnvelopeParameters {
  const given = parseParameters(parameters)
  if (Object.hasOwn(given, 'ENVID')) return given
  return source !== null && source !== 'smtp' ? { ENVID: submissionId, ...given } : given
}

function parseParameters(text: string): EnvelopeParameters {
  return text === 'null' || text === '{}' ? {} : (AddressParameters.fromText(text) ?? {})
}

/** Most messages of a claim are of few domains. */
class KeysOfDomains {
  readonly #froms = new Map<string, string | null>()
  readonly #domains = new Map<string, string | null>()
  readonly #relays = new Map<string, Promise<string | null>>()
  readonly #returns = new Map<string, Promise<string | null>>()
  readonly #found = new Map<string, Promise<DkimKey[]>>()

  /** RFC 6376: the signing domain is that of From, for DMARC. */
  domainOfFrom(bytes: Uint8Array, fields: readonly HeaderField[]): string | null {
    const field = lastField(fields, 'From')
    if (!field) return null
    const text = unfold(fieldText(bytes, field))
    let domain = this.#froms.get(text)
    if (domain === undefined) {
      const [from] = parseAddresses(text)
      domain = from ? this.#domainOf(from.email) : null
      this.#froms.set(text, domain)
    }
    return domain
  }

  returnDomain(reader: Reader, organization: number, mailFrom: string): Promise<string | null> {
    const domain = this.#domainOf(mailFrom)
    if (domain === null) return Promise.resolve(null)
    const name = `${organization} ${domain}`
    const found = this.#returns.get(name) ?? returnDomainOf(reader, organization, domain)
    this.#returns.set(name, found)
    return found
  }

  /** Notifications have no reverse-path: their relay is that of the domain of From. */
  relay(
    keyring: Keyring,
    reader: Reader,
    organization: number,
    mailFrom: string,
    from: string | null,
  ): Promise<string | null> {
    const domain = this.#domainOf(mailFrom) ?? from
    if (domain === null) return Promise.resolve(null)
    const name = `${organization} ${domain}`
    const found = this.#relays.get(name) ?? relayOf(reader, keyring, organization, domain)
    this.#relays.set(name, found)
    return found
  }

  find(keyring: Keyring, reader: Reader, organization: number, domain: string | null): Promise<DkimKey[]> {
    if (domain === null) return Promise.resolve([])
    const name = `${organization} ${domain}`
    const found = this.#found.get(name) ?? dkimKeysOf(reader, keyring, organization, domain)
    this.#found.set(name, found)
    return found
  }

  #domainOf(given: string): string | null {
    let domain = this.#domains.get(given)
    if (domain === undefined) {
      const address = normaliseAddress(given)
      domain = address === null ? null : domainOf(address)
      this.#domains.set(given, domain)
    }
    return domain
  }
}
