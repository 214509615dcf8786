/** The core in this thread: the door's functions over services and registry. */
import type { IdCodec } from '../server/base/ids.ts'
import { INDEX_GATHER_MS, INDEX_SLICE } from '../server/base/limits.ts'
import type { Principal } from '../server/base/principal.ts'
import type { CommittedChange } from '../storage/ports.ts'
import { listAccounts } from '../storage/repos/accounts.ts'
import { nextDue } from '../storage/repos/outgoing.ts'
import { authenticate, refusalOf } from './authentication.ts'
import { BackgroundSlices } from './background-slices.ts'
import type { RequestContext, Services } from './context.ts'
import type {
  Core,
  Download,
  JmapRequest,
  QueueRoom,
  SocketAnswer,
  StateChange,
  TransportPolicies,
  UploadResult,
} from './core.ts'
import type { HostedCore } from './create-core.ts'
import { dispatch, mayWrite } from './dispatcher.ts'
import { type Idempotency, LocalIdempotency } from './idempotency.ts'
import type { Limits } from './limits.ts'
import { openBlob, prepareBlob } from './mail/blobs.ts'
import { LocalModelDrafts, type ModelDrafts } from './mail/delivery/model-drafts.ts'
import { ingest, judgeRecipients } from './mail/delivery.ts'
import { indexSome } from './mail/search/indexer.ts'
import { claimSubmissions, type QueuePlaces } from './mail/submission/queue.ts'
import { renewSubmissions } from './mail/submission/queue-leases.ts'
import { reportAttempts } from './mail/submission/queue-report.ts'
import { submitMessage } from './mail/submission/submit.ts'
import { LocalTransportPolicies } from './mail/submission/transport-policies.ts'
import { keepUpload } from './mail/uploads.ts'
import { type SweepReport, sweep } from './maintenance/sweep.ts'
import type { Once } from './once.ts'
import { CreationIds } from './protocol/creation-ids.ts'
import { plainResponse, type ResponseTree, writeJson } from './protocol/json-text.ts'
import { parseRequest } from './protocol/request.ts'
import { readSocketMessage, requestError } from './protocol/socket-message.ts'
import { LocalPush, type Push } from './push/push.ts'
import { isReadOnly } from './registry.ts'
import { type DomainChecks, LocalDomainChecks } from './service/domain/checks.ts'
import { type KeyUses, noteKeyUse } from './service/key-use.ts'
import { createOrganization } from './service/organization.ts'
import { mailOwners } from './service/owner-mail/usage-mails.ts'
import { evaluateReputations } from './service/reputation/evaluate.ts'
import { LocalWebhookQueue, type WebhookQueue } from './service/webhook/queue.ts'
import { describeSession } from './session.ts'
import { createStandardRegistry } from './standard-registry.ts'
import { findAccountRef } from './type/method.ts'

export class LocalCore implements HostedCore {
  readonly #services: Services
  readonly #registry = createStandardRegistry()
  readonly push: Push
  readonly domainChecks: DomainChecks
  readonly modelDrafts: ModelDrafts
  readonly webhooks: WebhookQueue
  readonly idempotency: Idempotency
  readonly transportPolicies: TransportPolicies
  readonly #listeners = new Set<(change: StateChange) => void>()
  readonly #stopBells: readonly (() => void)[]
  readonly #uses: KeyUses
  readonly #indexer: BackgroundSlices | null
  readonly #trainer: BackgroundSlices | null
  #sweeping: Promise<SweepReport> | null = null
  readonly #places: QueuePlaces = new Map()
  #closed = false

  /** @param trainer null where only reading is possible */
  constructor(services: Services, uses: KeyUses, trainer: BackgroundSlices | null) {
    this.#services = services
    this.#uses = uses
    this.#trainer = trainer
    this.#indexer = trainer
      ? new BackgroundSlices(services.logger, 'indexing failed', () => indexSome(services), {
          clock: services.clock,
          ms: INDEX_GATHER_MS,
          enough: INDEX_SLICE,
          waiting: () => services.pending.size,
        })
      : null
    this.push = new LocalPush(services, this.#registry)
    this.domainChecks = new LocalDomainChecks(services)
    this.modelDrafts = new LocalModelDrafts(services)
    this.webhooks = new LocalWebhookQueue(services)
    this.idempotency = new LocalIdempotency(services)
    this.transportPolicies = new LocalTransportPolicies(services)
    const stopOwn = services.store.onCommit((changes) => {
      this.#ring(changes)
      if (changes.some(({ states }) => states['Email'] !== undefined)) this.#indexer?.wake()
    })
    this.#stopBells = [stopOwn, services.store.onElsewhere((changes) => this.#ring(changes ?? []))]
    // What an earlier run left unindexed, and unlearned.
    this.#indexer?.wake()
    this.#trainer?.wake()
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

  async drainMarks(): Promise<void> {
    await this.#trainer?.settle()
  }

  noteKeyUse(organization: number, key: number): Promise<void> {
    return noteKeyUse(this.#services, organization, key)
  }

  keepVerifier(account: number, from: string, to: string): Promise<void> {
    return this.#services.keepVerifier(account, from, to)
  }

  evaluateReputations(): Promise<void> {
    return evaluateReputations(this.#services)
  }

  mailOwners(): Promise<void> {
    return mailOwners(this.#services)
  }

  sweep(): Promise<SweepReport> {
    this.#sweeping ??= sweep(this.#services, () => this.#closed).finally(() => {
      this.#sweeping = null
    })
    return this.#sweeping
  }

  async process(principal: Principal, request: JmapRequest, once?: Once) {
    const response = await dispatch(this.#services, this.#registry, principal, request, once)
    return 'methodResponses' in response ? plainResponse(response) : response
  }

  async processText(principal: Principal, body: Uint8Array) {
    const parsed = parseRequest(body, this.#services.limits)
    if ('problem' in parsed) return { status: parsed.problem.status, body: JSON.stringify(parsed.problem) }
    return this.answer(principal, parsed.request)
  }

  async answer(principal: Principal, request: JmapRequest) {
    const response = await dispatch(this.#services, this.#registry, principal, request)
    if (!('methodResponses' in response)) return { status: response.status, body: JSON.stringify(response) }
    return { status: 200, body: writeJson(response as ResponseTree) }
  }

  async processMessage(principal: Principal, message: Uint8Array, mayRun: boolean): Promise<SocketAnswer> {
    const read = readSocketMessage(message, this.#services.limits)
    if (read.kind === 'problem') return { kind: 'text', text: requestError(read.problem, read.requestId) }
    if (read.kind !== 'request') return read
    const { request, requestId } = read
    if (!mayRun) return { kind: 'busy', requestId }
    const response = await dispatch(this.#services, this.#registry, principal, request)
    if (!('methodResponses' in response)) return { kind: 'text', text: requestError(response, requestId) }
    // RFC 8887 4.3.3: the id is told if there was one.
    const extra = { '@type': 'Response', ...(requestId !== null && { requestId }) }
    return { kind: 'text', text: writeJson({ ...response, ...extra }) }
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
    const upload = { blob, type, credential: principal.credential }
    const number = await store.write([account.number], (work) =>
      keepUpload(this.#services, { work, unit: work.account(account.number) }, upload, new Set()),
    )
    return { accountId, blobId: ids.encode('Blob', account.number, number!), type, size: bytes.length }
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

  refusalOf(token: string, ip: string) {
    return refusalOf(this.#services, token, ip)
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

  claimSubmissions(owner: string, limit: number, leaseMs: number, room?: QueueRoom) {
    return claimSubmissions(this.#services, this.#places, { owner, limit, leaseMs, room: room ?? null })
  }

  renewSubmissions(...args: Parameters<Core['renewSubmissions']>) {
    return renewSubmissions(this.#services, ...args)
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
    for (const stop of this.#stopBells) stop()
    await this.#indexer?.stop()
    await this.#trainer?.stop()
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
      once: null,
      reads: { read: (use) => this.#services.store.read(use), end: async () => {} },
      isReadOnly: (kind) => isReadOnly(this.#registry, principal, kind),
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
}
