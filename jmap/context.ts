/** What a method call is given: who asks, in which account, with which services. Narrow on purpose: no sockets, no config. */

import type { Clock } from '../server/base/clock.ts'
import type { AccountKind, IdCodec, IdKind } from '../server/base/ids.ts'
import type { JsonObject } from '../server/base/json.ts'
import type { Keyring } from '../server/base/keyring.ts'
import type { Logger } from '../server/base/logger.ts'
import type { Principal } from '../server/base/principal.ts'
import type { Reader, Store } from '../storage/ports.ts'
import type { UnindexedEmail } from '../storage/repos/unindexed.ts'
import type { SearchDocument } from '../storage/search/words.ts'
import type { StepSequence } from './idempotent-steps.ts'
import type { Limits } from './limits.ts'
import type { CreationIds } from './protocol/creation-ids.ts'
import { MethodError } from './protocol/method-error.ts'
import type { RequestReads } from './request-reads.ts'
import type { DomainDns, Hosting } from './service/domain/domain-dns.ts'

/** A fresh email with its text: the search index neither reads nor parses it again. */
export interface PendingEmail extends UnindexedEmail {
  readonly document: SearchDocument
}

/** Fresh emails by account and number. The marks in the database are the durable record; losing an entry costs only time. */
export type PendingEmails = Map<string, PendingEmail>

/** The key pair of this installation at push services (RFC 8292). */
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
  /** Encrypts secrets that have to be read again. */
  readonly keyring: Keyring
  /** Fresh messages that wait for the search index. */
  readonly pending: PendingEmails
  /** Brings an account's search index up to date; where only reading is possible, it asks who can write. */
  readonly drainIndex: (account: number) => Promise<void>
  /** Tells the spam classifier that marks wait; does nothing where only reading is possible. */
  readonly learnFromMarks: () => void
  /** By which push services know this installation (RFC 8292). */
  readonly vapidKeys: VapidKeys
  /** Notes that an API key was used, beside the request and at most now and then; does nothing where only reading is possible. */
  readonly noteKeyUse: (organization: number, key: number) => void
  /** Keeps another verifier of the same password, unless that has changed meanwhile. */
  readonly keepVerifier: (account: number, from: string, to: string) => Promise<void>
  /** A worker asks a model for replies that inbox rules want (jmap/mail/delivery/model-drafts.ts). */
  readonly hasModel: boolean
  /** Domains under names that RFC 6761 reserves are verified as soon as they are made (dev mode). */
  readonly verifyReservedDomains: boolean
  /** What the records of domains refer to, and who is asked for them. */
  readonly hosting: Hosting
  readonly domainDns: DomainDns
  /** What a TLSA record of the mail host says while its certificate is the present one; null: it should have none. */
  readonly mailHostTlsa: () => Promise<string | null>
  /** Why a webhook may not lead to a URL, as what follows "It cannot be used:"; null: it may, as far as is known now. Never rejects. */
  readonly webhookTargets: (url: string) => Promise<string | null>
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
  readonly reads: Pick<RequestReads, 'read' | 'end'>
  /** Whether the principal may write nothing in its accounts of this kind (RFC 8620 2). */
  readonly isReadOnly: (kind: AccountKind) => boolean
  /** All that methods ask of API keys: what a key can be granted. */
  readonly grantableScopes: ReadonlySet<string>
  /** null: the request is not repeated after a crash. */
  readonly steps: StepSequence | null
  /** Runs another method as part of this call (RFC 8620 5.3: implicit calls); its responses follow under the same call id. */
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

  /** An id, or the id that a creation id means so far. */
  resolveId(given: string): string {
    return this.request.createdIds.idOf(given)
  }

  /** The id of an object of this account. */
  id(kind: IdKind, object: number, part = 0): string {
    return this.services.ids.encode(kind, this.account.number, object, part)
  }

  /** The number of an object of this account, or null for every other text. */
  number(kind: IdKind, id: string): number | null {
    const decoded = this.services.ids.decode(kind, id)
    return decoded && decoded.account === this.account.number && decoded.part === 0 ? decoded.object : null
  }

  read<T>(use: (reader: Reader) => Promise<T>): Promise<T> {
    return this.request.reads.read(use)
  }
}

/** RFC 8620 5.2: states are texts; ours are sequence numbers. */
export function parseState(state: string): number | null {
  return /^(0|[1-9][0-9]{0,15})$/.test(state) ? Number(state) : null
}

export function requireState(given: string | null | undefined, actual: number): void {
  if (given !== null && given !== undefined && given !== String(actual)) throw new MethodError('stateMismatch')
}
