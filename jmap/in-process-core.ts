/** The core in this thread. Makes the services from what the host gives, and the record of calls from the table. */
import { randomBytes } from 'node:crypto'
import { BackgroundSlices } from '../server/base/background-slices.ts'
import type { Clock } from '../server/base/clock.ts'
import { IdCodec } from '../server/base/ids.ts'
import { Keyring, SECRET_KEY_BYTES } from '../server/base/keyring.ts'
import { INDEX_GATHER_MS, INDEX_SLICE } from '../server/base/limits.ts'
import type { Logger } from '../server/base/logger.ts'
import { LongRuns } from '../server/base/long-runs.ts'
import type { Store } from '../storage/ports.ts'
import { findFact, keepFact } from '../storage/repos/installation.ts'
import { resealConnections } from './calendars/conferencing/connections.ts'
import { completeOlderMailboxes } from './calendars/older-mailboxes.ts'
import { learnMarks } from './delivery/spam/trainer.ts'
import { KeyUses } from './directory/key-use.ts'
import { resealImports } from './imports/reseal.ts'
import { addSomeSortKeys, type WaitingSorts } from './mail/email/sort-keys.ts'
import { indexSome } from './mail/search/indexer.ts'
import { type InstallationSecret, installationSecret } from './maintenance/installation-secrets.ts'
import { sealStoredSecrets } from './maintenance/stored-secrets.ts'
import { plainHosting } from './policy/domain/hosting.ts'
import { StateChanges } from './push/state-changes.ts'
import { resealPushKeys } from './push/subscription/sealed-keys.ts'
import { createVapidKeys, readVapidKeys } from './push/vapid.ts'
import type { CoreParts } from './service.ts'
import { type Core, type CoreCalls, callsOf, runHere } from './services.ts'
import { createStandardRegistry } from './standard-registry.ts'
import { NO_BILLING_MODE } from './type/billing-port.ts'
import type { Services } from './type/context.ts'
import { NO_DNS_PROVIDERS } from './type/dns-provider-port.ts'
import { NO_DNS } from './type/host-ports.ts'
import { DEFAULT_LIMITS, type Limits } from './type/limits.ts'
import { WORK_HERE } from './type/message-work.ts'
import type { Registry } from './type/registry.ts'

type Given =
  | 'verifyReservedDomains'
  | 'hasModel'
  | 'hosting'
  | 'domainDns'
  | 'registrar'
  | 'dnsProviders'
  | 'mailHostTlsa'
  | 'webhookTargets'
  | 'zoomFault'
  | 'imapLogin'
  | 'fetchImage'
  | 'videoFrame'
  | 'billing'
  | 'messageWork'

/**
 * Services that a host leaves out have no effect: DNS finds nothing, domains are not sold, no DNS provider is reached, webhooks may use any address, Zoom takes all credentials, no IMAP server is reached, no image is fetched, no model writes drafts, nothing is billed. Messages are
 * parsed in the calling thread.
 */
export interface CoreOptions extends Partial<Pick<Services, Given>> {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly limits?: Partial<Limits>
  /** The types; by default those of this server. */
  readonly registry?: Registry
  /** Encrypts stored secrets. Without it a key is made and kept in the database, for hosts that have no place for a key. */
  readonly keyring?: Keyring
  /** The writer in another thread. If given, this core only reads. */
  readonly writer?: RemoteWriter
  /** Makes the calls where other threads run some of them. Default: all run in this thread. */
  readonly callsOf?: (parts: CoreParts) => CoreCalls
}

export interface RemoteWriter {
  /** Emits the commits of the other thread. */
  readonly stateChanges: StateChanges
}

export async function createCore(options: CoreOptions): Promise<Core> {
  const { writer, callsOf: makeCalls, limits, keyring: ownKeyring, ...given } = options
  const { store, logger, registry = createStandardRegistry() } = given
  const keyring = ownKeyring ?? (await keyringWithin(store))
  const secret = (name: InstallationSecret, make: () => string) => installationSecret({ store, keyring }, name, make)
  const trainer = writer ? null : new BackgroundSlices(logger, 'learning from marks failed', () => learnMarks(parts))
  const waitingSorts: WaitingSorts = new Map()
  const makeSortKeys = () => addSomeSortKeys(parts, waitingSorts)
  const sorter = writer ? null : new BackgroundSlices(logger, 'making the keys of a sort failed', makeSortKeys)
  const uses = new KeyUses((organization, key) => calls.noteKeyUse(organization, key))
  const parts: CoreParts = {
    verifyReservedDomains: false,
    hasModel: false,
    hosting: plainHosting('localhost'),
    domainDns: NO_DNS,
    registrar: null,
    dnsProviders: NO_DNS_PROVIDERS,
    mailHostTlsa: async () => null,
    webhookTargets: async () => null,
    zoomFault: async () => null,
    imapLogin: async () => ({ code: 'source_unreachable', message: 'This host reaches no IMAP servers.' }),
    fetchImage: async () => ({ fault: 'this host fetches nothing' }),
    videoFrame: async () => null,
    billing: NO_BILLING_MODE,
    messageWork: WORK_HERE,
    ...given,
    registry,
    invalidating: registry.invalidating,
    ids: new IdCodec(Buffer.from(await secret('id_key', () => randomBytes(8).toString('hex')), 'hex')),
    vapidKeys: readVapidKeys(await secret('vapid_key', createVapidKeys)),
    limits: { ...DEFAULT_LIMITS, ...limits },
    keyring,
    pending: new Map(),
    // These three are calls because they write: another thread may have to run them.
    drainIndex: (account) => calls.drainIndex(account),
    prepareSort: (account, sort) => calls.prepareSort(account, sort),
    keepVerifier: (account, from, to) => calls.keepVerifier(account, from, to),
    noteKeyUse: (organization, key) => uses.note(organization, key),
    writeElsewhere: writer ? (principal, request) => calls.process(principal, request) : null,
    learnFromMarks: () => trainer?.wake(),
    stateChanges: writer?.stateChanges ?? new StateChanges(),
    queuePlaces: new Map(),
    webhookPlaces: new Map(),
    longRuns: new LongRuns(),
    waitingSorts,
    sorter,
    trainer,
  }
  const calls = makeCalls?.(parts) ?? callsOf((service) => runHere(service, parts))
  if (!writer) {
    await sealStoredSecrets(parts)
    await resealPushKeys(store, keyring)
    await resealConnections(store, keyring)
    await resealImports(store, keyring)
    await completeOlderMailboxes(store)
  }
  const indexer = writer ? null : indexerOf(parts)
  const stopListening = listenToStore(parts, indexer)
  // Index and learn what an earlier run left.
  indexer?.wake()
  trainer?.wake()
  return {
    ...calls,
    ids: parts.ids,
    limits: parts.limits,
    vapidKeys: parts.vapidKeys,
    async close() {
      stopListening()
      await Promise.all([indexer?.stop(), trainer?.stop(), sorter?.stop(), parts.longRuns.stop()])
      await uses.settle()
      await store.close()
    },
  }
}

function indexerOf(parts: CoreParts): BackgroundSlices {
  return new BackgroundSlices(parts.logger, 'indexing failed', () => indexSome(parts), {
    clock: parts.clock,
    ms: INDEX_GATHER_MS,
    enough: INDEX_SLICE,
    waiting: () => parts.pending.size,
  })
}

function listenToStore(parts: CoreParts, indexer: BackgroundSlices | null): () => void {
  const { store, stateChanges } = parts
  const stopOwn = store.onCommit((commits) => {
    stateChanges.emitCommits(commits, parts)
    if (commits.some(({ states }) => states['Email'] !== undefined)) indexer?.wake()
  })
  const stopOthers = store.onRemoteCommit((commits) => stateChanges.emitCommits(commits ?? [], parts))
  return () => {
    stopOwn()
    stopOthers()
  }
}

/** The key is made once per installation, and is stored unencrypted beside the data that it seals. */
async function keyringWithin(store: Store): Promise<Keyring> {
  const find = () => store.read((reader) => findFact(reader, 'secret_key'))
  const made = randomBytes(SECRET_KEY_BYTES).toString('hex')
  if ((await find()) === null) await store.write([], (unit) => keepFact(unit.sql, 'secret_key', made))
  return new Keyring([Buffer.from((await find())!, 'hex')])
}
