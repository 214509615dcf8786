/** What a method call gets: the principal, the account and the services. No sockets and no configuration. */

import type { Clock } from '../../server/base/clock.ts'
import type { Guard } from '../../server/base/guard.ts'
import type { AccountKind, IdCodec, IdKind } from '../../server/base/ids.ts'
import type { InstanceEncoder } from '../../server/base/instance-ids.ts'
import type { JsonObject } from '../../server/base/json.ts'
import type { Keyring } from '../../server/base/keyring.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { Principal } from '../../server/base/principal.ts'
import type { AccountUnit, Reader, Store } from '../../storage/ports.ts'
import type { KeyedSort } from '../../storage/repos/email-sort-keys.ts'
import type { UnindexedEmail } from '../../storage/repos/unindexed.ts'
import type { SearchDocument } from '../../storage/search/words.ts'
import type { CreationIds } from '../protocol/creation-ids.ts'
import type { JmapRequest, JmapResponse, RequestProblem } from '../protocol/messages.ts'
import { MethodError } from '../protocol/method-error.ts'
import type { AnswerRoom } from './answer-room.ts'
import type { BillingMode } from './billing-port.ts'
import type { BlobType } from './blob-uses.ts'
import type { DnsProviders } from './dns-provider-port.ts'
import type { DomainDns, FetchImage, Hosting, ImapLogin, VideoFrame, ZoomFault } from './host-ports.ts'
import type { StepSequence } from './idempotent-steps.ts'
import type { InstanceNumbers } from './instance-numbers.ts'
import type { Invalidating } from './invalidated.ts'
import type { Limits } from './limits.ts'
import type { MessageWork } from './message-work.ts'
import type { Registrar } from './registrar-port.ts'
import type { RequestReads } from './request-reads.ts'

/** A new email with its text, so that the search index need not read and parse it again. */
export interface PendingEmail extends UnindexedEmail {
  readonly document: SearchDocument
}

/** New emails by account and number. The marks in the database are the durable record; a lost entry costs only time. */
export type PendingEmails = Map<string, PendingEmail>

/** The key pair with which this installation signs to push services (RFC 8292). */
export interface VapidKeys {
  /** A point of P-256, uncompressed, base64url: `applicationServerKey` of RFC 9749 3. */
  readonly publicKey: string
  /** PKCS#8 PEM. */
  readonly privateKey: string
}

/** Services that live as long as the core. */
export interface Services {
  readonly store: Store
  readonly ids: IdCodec
  readonly clock: Clock
  readonly logger: Logger
  readonly limits: Limits
  readonly invalidating: Invalidating
  /** Encrypts secrets that must be readable later. */
  readonly keyring: Keyring
  /** New messages that wait for the search index. */
  readonly pending: PendingEmails
  /** Brings an account's search index up to date. If this core only reads, it asks the writer. */
  readonly drainIndex: (account: number) => Promise<void>
  /** Lets the keys of a sort of emails be made; where only reading is possible, it asks who can write. Resolves before they are. */
  readonly prepareSort: (account: number, sort: KeyedSort) => Promise<void>
  /** Tells the spam classifier that marks wait. No effect if this core only reads. */
  readonly learnFromMarks: () => void
  /** The public key that identifies this installation to push services (RFC 8292). */
  readonly vapidKeys: VapidKeys
  /** Records that an API key was used, outside the request and not for every use. No effect if this core only reads. */
  readonly noteKeyUse: (organization: number, key: number) => void
  /** Where this thread only reads: runs a request of one call that may write. null: this thread writes itself. */
  readonly writeElsewhere:
    | ((principal: Principal, request: JmapRequest) => Promise<JmapResponse | RequestProblem>)
    | null
  /** Stores another verifier of the same password, unless the password has changed meanwhile. */
  readonly keepVerifier: (account: number, from: string, to: string) => Promise<void>
  /** Whether a worker asks a model for the replies that inbox rules want (jmap/delivery/model-drafts.ts). */
  readonly hasModel: boolean
  /** Domains under names that RFC 6761 reserves are verified when they are created (dev mode). */
  readonly verifyReservedDomains: boolean
  /** Hosts and ports that the DNS records of domains must name. */
  readonly hosting: Hosting
  readonly domainDns: DomainDns
  /** null: domains are not sold here. */
  readonly registrar: Registrar | null
  readonly dnsProviders: DnsProviders
  /** The TLSA record of the mail host for its present certificate; null: it should have none. */
  readonly mailHostTlsa: () => Promise<string | null>
  /** Why a webhook may not use a URL, as the end of "url cannot be used:"; null: no reason is known. Never rejects. */
  readonly webhookTargets: (url: string) => Promise<string | null>
  readonly zoomFault: ZoomFault
  readonly imapLogin: ImapLogin
  readonly fetchImage: FetchImage
  readonly videoFrame: VideoFrame
  readonly billing: BillingMode
  readonly messageWork: MessageWork
}

export interface AccountRef {
  readonly number: number
  readonly id: string
  readonly kind: AccountKind
  readonly organization: number
  readonly name: string
}

/** One request under way. */
export interface RequestContext {
  readonly services: Services
  readonly principal: Principal
  readonly using: ReadonlySet<string>
  readonly createdIds: CreationIds
  readonly instances: InstanceNumbers
  readonly reads: Pick<RequestReads, 'read' | 'end'>
  /** Long work checks it regularly. */
  readonly guard: Guard
  readonly answer: AnswerRoom
  /** Whether the principal has no write access to its accounts of this kind (RFC 8620 2). */
  readonly isReadOnly: (kind: AccountKind) => boolean
  /** All scopes that methods require of API keys, so those that a key can get. */
  readonly grantableScopes: ReadonlySet<string>
  readonly blobTypes: readonly BlobType[]
  /** null: the request is not repeated after a crash. */
  readonly steps: StepSequence | null
  /** Runs another method as part of this call (RFC 8620 5.3: implicit calls). Its responses follow under the same call id. */
  readonly implicit: (name: string, args: JsonObject) => Promise<void>
}

/** One method call in one account. */
export class MethodContext {
  readonly request: RequestContext
  readonly account: AccountRef

  constructor(request: RequestContext, account: AccountRef) {
    this.request = request
    this.account = account
  }

  get services(): Services {
    return this.request.services
  }

  /** The id that a creation id stands for at this point of the request, or the given id. */
  resolveId(given: string): string {
    return this.request.createdIds.idOf(given)
  }

  /** The id of an object of this account. */
  id(kind: IdKind, object: number, part: number | readonly number[] = 0): string {
    return this.services.ids.encode(kind, this.account.number, object, part)
  }

  /** The id of an instance of an object of this account. */
  instanceId(kind: IdKind, object: number, key: number): string {
    return this.instanceEncoder(kind).id(object, key)
  }

  /** The same for many instances. */
  instanceEncoder(kind: IdKind): InstanceEncoder {
    return this.services.ids.instanceEncoder(kind, this.account.number)
  }

  /** The number of an object of this account; null for any other text. */
  number(kind: IdKind, id: string): number | null {
    const decoded = this.services.ids.decode(kind, id)
    return decoded && decoded.account === this.account.number && decoded.path.length === 0 ? decoded.object : null
  }

  read<T>(use: (reader: Reader) => Promise<T>): Promise<T> {
    return this.request.reads.read(use)
  }
}

/** RFC 8620 5.2: states are texts; this server writes sequence numbers. */
export function parseState(state: string): number | null {
  return /^(0|[1-9][0-9]{0,15})$/.test(state) ? Number(state) : null
}

/** For a unit of work: the account was there when the call opened it. @throws MethodError accountNotFound: it was deleted since */
export function requireThere({ isDeleted }: Pick<AccountUnit, 'isDeleted'>): void {
  if (isDeleted) throw new MethodError('accountNotFound')
}

export function requireState(given: string | null | undefined, actual: number): void {
  if (given !== null && given !== undefined && given !== String(actual)) throw new MethodError('stateMismatch')
}
