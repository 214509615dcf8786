/** Puts the core together: services, registry, and the door's functions over them. */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../server/base/clock.ts'
import { errorMessage } from '../server/base/errors.ts'
import { IdCodec } from '../server/base/ids.ts'
import type { Logger } from '../server/base/logger.ts'
import type { Principal } from '../server/base/principal.ts'
import type { CommittedChange, Store } from '../storage/ports.ts'
import { listAccounts } from '../storage/repos/accounts.ts'
import { findFact, keepFact } from '../storage/repos/installation.ts'
import { nextDue } from '../storage/repos/submissions.ts'
import { authenticate } from './authentication.ts'
import type { RequestContext, Services } from './context.ts'
import type { Core, Download, JmapRequest, StateChange, UploadResult } from './core.ts'
import { dispatch, mayWrite } from './dispatcher.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { openBlob, prepareBlob, recordBlob, referTo } from './mail/blobs.ts'
import { ingest, judgeRecipients } from './mail/delivery.ts'
import { indexPending } from './mail/search/indexer.ts'
import { claimSubmissions, reportAttempts } from './mail/submission/queue.ts'
import { submitMessage } from './mail/submission/submit.ts'
import { type SweepReport, sweep } from './mail/sweep.ts'
import { CreationIds } from './protocol/creation-ids.ts'
import { plainResponse, type ResponseTree, writeJson } from './protocol/json-text.ts'
import { parseRequest } from './protocol/request.ts'
import { KeyUses, noteKeyUse } from './service/key-use.ts'
import { createOrganization } from './service/organization.ts'
import { describeSession, sessionState } from './session.ts'
import { createStandardRegistry } from './standard-registry.ts'
import { findAccountRef } from './type/method.ts'

export interface CoreOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly limits?: Partial<Limits>
  /** Dev mode: domains under names that RFC 6761 reserves are verified as soon as they are made. */
  readonly verifyReservedDomains?: boolean
  /** Where only reading is possible: asks the thread that writes to bring an account's search index up to date. */
  readonly drainIndex?: (account: number) => Promise<void>
  /** Where only reading is possible: asks the thread that writes to note that an API key was used. */
  readonly noteKeyUse?: (organization: number, key: number) => Promise<void>
}

/** The core, and what its host (server/threads) needs to know to place its calls. */
export interface HostedCore extends Core {
  readonly ids: IdCodec
  readonly limits: Limits
  /** Whether a request must run where the writer is. */
  mayWrite(request: JmapRequest): boolean
  /** Brings an account's search index up to date. */
  drainIndex(account: number): Promise<void>
  /** Writes when an API key was used last, at most once per LAST_USED_EVERY_MS. Never rejects. */
  noteKeyUse(organization: number, key: number): Promise<void>
  /** Takes away what nobody needs any more (jmap/mail/sweep.ts); for a worker to call now and then, where the writer is. */
  sweep(): Promise<SweepReport>
}

export async function createCore(options: CoreOptions): Promise<HostedCore> {
  const { store, clock, logger } = options
  const isReader = options.drainIndex !== undefined
  const noteUse = options.noteKeyUse ?? (isReader ? async () => {} : noteKeyUse.bind(null, { store, logger }))
  const uses = new KeyUses(noteUse)
  const services: Services = {
    store,
    clock,
    logger,
    ids: new IdCodec(await idKey(store)),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    pendingTexts: new Map(),
    verifyReservedDomains: options.verifyReservedDomains ?? false,
    drainIndex: options.drainIndex ?? (async (account) => void (await indexPending(services, account))),
    noteKeyUse: (organization, key) => uses.note(organization, key),
  }
  return new LocalCore(services, uses, !isReader)
}

/** Made once per installation: ids of one mean nothing to another. */
async function idKey(store: Store): Promise<Uint8Array> {
  const find = () => store.read((reader) => findFact(reader, 'id_key'))
  let text = await find()
  if (text === null) {
    await store.write([], (unit) => keepFact(unit.sql, 'id_key', randomBytes(8).toString('hex')))
    text = (await find())!
  }
  return Buffer.from(text, 'hex')
}

class LocalCore implements HostedCore {
  readonly #services: Services
  readonly #registry = createStandardRegistry()
  readonly #listeners = new Set<(change: StateChange) => void>()
  readonly #stopBells: () => void
  readonly #uses: KeyUses
  #indexing: Promise<void> | null = null
  #indexAgain = false
  #sweeping: Promise<SweepReport> | null = null
  #closed = false

  constructor(services: Services, uses: KeyUses, indexes: boolean) {
    this.#services = services
    this.#uses = uses
    this.#stopBells = services.store.onCommit((changes) => {
      this.#ring(changes)
      if (indexes && changes.some(({ states }) => states['Email'] !== undefined)) this.#index()
    })
    // What an earlier run left unindexed.
    if (indexes) this.#index()
  }

  get ids(): IdCodec {
    return this.#services.ids
  }

  get limits(): Limits {
    return this.#services.limits
  }

  mayWrite(request: JmapRequest): boolean {
    return mayWrite(this.#registry, request)
  }

  drainIndex(account: number): Promise<void> {
    return this.#services.drainIndex(account)
  }

  noteKeyUse(organization: number, key: number): Promise<void> {
    return noteKeyUse(this.#services, organization, key)
  }

  sweep(): Promise<SweepReport> {
    this.#sweeping ??= sweep(this.#services, () => this.#closed).finally(() => {
      this.#sweeping = null
    })
    return this.#sweeping
  }

  async process(principal: Principal, request: JmapRequest) {
    const response = await dispatch(
      this.#services,
      this.#registry,
      principal,
      request,
      await sessionState(this.#services, principal),
    )
    return 'methodResponses' in response ? plainResponse(response) : response
  }

  async processText(principal: Principal, body: Uint8Array) {
    const parsed = parseRequest(body, this.#services.limits)
    if ('problem' in parsed) return { status: parsed.problem.status, body: JSON.stringify(parsed.problem) }
    const state = await sessionState(this.#services, principal)
    const response = await dispatch(this.#services, this.#registry, principal, parsed.request, state)
    if (!('methodResponses' in response)) return { status: response.status, body: JSON.stringify(response) }
    return { status: 200, body: writeJson(response as ResponseTree) }
  }

  session(principal: Principal, baseUrl: string) {
    return describeSession(this.#services, this.#registry, principal, baseUrl)
  }

  async upload(principal: Principal, accountId: string, type: string, bytes: Uint8Array): Promise<UploadResult | null> {
    const account = await findAccountRef(this.#request(principal), accountId)
    // Whoever may write nothing has no use for an upload.
    const mayWrite = principal.scopes === null || principal.scopes.some((scope) => scope.endsWith(':write'))
    if (account?.kind !== 'mailbox' || !mayWrite) return null
    const { store, ids } = this.#services
    const blob = await prepareBlob(store, bytes)
    const number = await store.write([account.number], async (unit) => {
      await recordBlob(unit, blob)
      return referTo(unit.account(account.number), blob, type, principal.credential)
    })
    return { accountId, blobId: ids.encode('Blob', account.number, number), type, size: bytes.length }
  }

  async download(
    principal: Principal,
    accountId: string,
    blobId: string,
    range?: { start: number; end: number },
  ): Promise<Download | null> {
    const account = await findAccountRef(this.#request(principal), accountId)
    if (!account) return null
    const blob = await openBlob(this.#services, principal.credential, account.number, blobId)
    // RFC 8620 6.1: a blob is as open as what refers to it, which are emails; an upload is its uploader's.
    const mayRead = blob?.isUpload || principal.scopes === null || principal.scopes.includes('messages:read')
    return mayRead && blob ? { bytes: await blob.read(range), size: blob.size, type: blob.type } : null
  }

  authenticate(credential: Parameters<Core['authenticate']>[0]) {
    return authenticate(this.#services, credential)
  }

  async createOrganization(name: string) {
    const account = await createOrganization(this.#services.store, name)
    return { account, accountId: this.#services.ids.encode('Organization', account) }
  }

  async organizations() {
    const rows = await this.#services.store.read((reader) => listAccounts(reader, { kind: 'organization' }))
    return rows.map(({ id, name }) => ({ account: id, accountId: this.#services.ids.encode('Organization', id), name }))
  }

  recipients(addresses: readonly string[]) {
    return judgeRecipients(this.#services, addresses)
  }

  ingest(messages: Parameters<Core['ingest']>[0]) {
    return ingest(this.#services, messages)
  }

  submit(principal: Principal, message: Parameters<Core['submit']>[1]) {
    return submitMessage(this.#request(principal), message)
  }

  claimSubmissions(owner: string, limit: number, leaseMs: number) {
    return claimSubmissions(this.#services, owner, limit, leaseMs)
  }

  reportAttempts(reports: Parameters<Core['reportAttempts']>[0]) {
    return reportAttempts(this.#services, reports)
  }

  nextSubmissionAt() {
    return this.#services.store.read(nextDue)
  }

  onStateChange(listener: (change: StateChange) => void) {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async close() {
    this.#closed = true
    this.#stopBells()
    await this.#indexing
    await this.#sweeping?.catch(() => {})
    await this.#uses.settle()
    await this.#services.store.close()
  }

  #request(principal: Principal): RequestContext {
    return {
      services: this.#services,
      principal,
      using: new Set(),
      createdIds: new CreationIds(),
      implicit: () => Promise.reject(new TypeError('not inside a request')),
    }
  }

  #ring(changes: readonly CommittedChange[]): void {
    if (this.#listeners.size === 0) return
    for (const { account, kind, states } of changes) {
      const changed = Object.fromEntries(Object.entries(states).map(([type, state]) => [type, String(state)]))
      const change = {
        account,
        accountId: this.#services.ids.encode(kind === 'mailbox' ? 'MailAccount' : 'Organization', account),
        changed,
      }
      for (const listener of this.#listeners) listener(change)
    }
  }

  /** One slice after the other, giving way to whatever else waits, until nothing is left. */
  #index(): void {
    this.#indexAgain = true
    if (this.#indexing) return
    this.#indexing = (async () => {
      try {
        while (this.#indexAgain && !this.#closed) {
          this.#indexAgain = false
          await new Promise((resolve) => setImmediate(resolve))
          if ((await indexPending(this.#services, null)) > 0) this.#indexAgain = true
        }
      } catch (error) {
        this.#services.logger.error({ error: errorMessage(error) }, 'indexing failed')
      } finally {
        this.#indexing = null
      }
    })()
  }
}
