/** What a worker needs to know of what it has claimed: envelope, message, keys. Read at one moment for all of a claim. */
import { Failure } from '../../../server/base/errors.ts'
import type { Keyring } from '../../../server/base/keyring.ts'
import { QUEUE_CLAIM_BYTES } from '../../../server/base/outbound-limits.ts'
import type { Reader } from '../../../storage/ports.ts'
import { findEmail } from '../../../storage/repos/emails.ts'
import { findSubmission, recipientsOf } from '../../../storage/repos/submissions.ts'
import type { OutgoingTable, SubmissionTable } from '../../../storage/schema/tables.ts'
import type { Services } from '../../context.ts'
import type { DkimKey, EnvelopeParameters, QueuedSubmission } from '../../core.ts'
import { relayOf } from '../../service/domain/relay.ts'
import { returnDomainOf } from '../../service/domain/return-domain.ts'
import { dkimKeysOf } from '../../service/domain.ts'
import { domainOf, normaliseAddress } from '../addresses.ts'
import { readStored } from '../blobs.ts'
import { parseAddresses } from '../message/addresses.ts'
import { fieldText, lastField, readHeaders, unfold } from '../message/headers.ts'
import { withoutBcc } from '../message/without-bcc.ts'

/** `isPending`: it could have been taken back so far. `tooMuch`: the messages before it are enough for one claim. */
export type Described =
  | { readonly queued: QueuedSubmission; readonly isPending: boolean }
  | { readonly error: unknown }
  | { readonly tooMuch: true }

export function describeQueued(services: Services, rows: readonly OutgoingTable[]): Promise<Described[]> {
  const keys = new KeysOfDomains()
  return services.store.read(async (reader) => {
    const described: Described[] = []
    let bytes = 0
    for (const row of rows) {
      const one: Described =
        bytes > QUEUE_CLAIM_BYTES
          ? { tooMuch: true }
          : await describe(services, reader, row, keys).catch((error: unknown) => ({ error }))
      if ('queued' in one) bytes += one.queued.bytes.length
      described.push(one)
    }
    return described
  })
}

async function describe(
  services: Services,
  reader: Reader,
  row: OutgoingTable,
  keys: KeysOfDomains,
): Promise<Described> {
  const submission = await findSubmission(reader, row.account, row.submission)
  if (!submission) throw new Failure('corrupt', 'it is not there')
  const recipients = await recipientsOf(reader, row.account, row.submission)
  const stored = await readStored(services.store, reader, row.account, submission.blob)
  if (!stored) throw new Failure('corrupt', 'its blob is not there')
  const bytes = withoutBcc(stored)
  const submissionId = services.ids.encode('EmailSubmission', row.account, row.submission)
  const queued: QueuedSubmission = {
    account: row.account,
    organization: row.organization,
    submission: row.submission,
    submissionId,
    destination: row.destination,
    mailFrom: submission.mail_from,
    returnDomain: await keys.returnDomain(reader, row.organization, submission.mail_from),
    relay: await keys.relay(services.keyring, reader, row.organization, submission.mail_from, fromDomain(bytes)),
    parameters: await parametersOf(reader, submission, submissionId),
    recipients: recipients
      .filter(({ status, destination }) => status === 'open' && destination === row.destination)
      .map(({ position, address, parameters }) => ({ position, address, parameters: parseParameters(parameters) })),
    queuedAt: submission.send_at,
    attempts: row.attempts,
    bytes,
    dkim: await keys.find(services.keyring, reader, row.organization, fromDomain(bytes)),
    lease: row.lease!,
  }
  return { queued, isPending: submission.undo_status === 'pending' }
}

/**
 * RFC 8621 7: reports name the submission by the ENVID, where the client has none of its own. RFC 3461 5.2.1: what came by SMTP without
 * one is passed on without one.
 */
async function parametersOf(reader: Reader, row: SubmissionTable, submissionId: string): Promise<EnvelopeParameters> {
  const given = parseParameters(row.parameters)
  if (Object.hasOwn(given, 'ENVID')) return given
  const email = await findEmail(reader, row.account, row.email)
  return email !== null && email.source !== 'smtp' ? { ENVID: submissionId, ...given } : given
}

function parseParameters(text: string): EnvelopeParameters {
  return (JSON.parse(text) as EnvelopeParameters | null) ?? {}
}

/** RFC 6376: the domain that signs is that of From, for DMARC's sake. */
function fromDomain(bytes: Uint8Array): string | null {
  const field = lastField(readHeaders(bytes), 'From')
  const [from] = field ? parseAddresses(unfold(fieldText(bytes, field))) : []
  const address = from && normaliseAddress(from.email)
  return address ? domainOf(address) : null
}

/** Most of a claim is of few domains. */
class KeysOfDomains {
  readonly #relays = new Map<string, Promise<string | null>>()
  readonly #returns = new Map<string, Promise<string | null>>()
  readonly #found = new Map<string, Promise<DkimKey[]>>()

  returnDomain(reader: Reader, organization: number, mailFrom: string): Promise<string | null> {
    const address = normaliseAddress(mailFrom)
    if (address === null) return Promise.resolve(null)
    const name = `${organization} ${domainOf(address)}`
    const found = this.#returns.get(name) ?? returnDomainOf(reader, organization, domainOf(address))
    this.#returns.set(name, found)
    return found
  }

  /** Notifications and the like have no reverse-path: for them it is the domain of From. */
  relay(
    keyring: Keyring,
    reader: Reader,
    organization: number,
    mailFrom: string,
    from: string | null,
  ): Promise<string | null> {
    const address = normaliseAddress(mailFrom)
    const domain = address === null ? from : domainOf(address)
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
}
