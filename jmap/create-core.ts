/** Puts the core together: its services, made from what the host gives. */
import { randomBytes } from 'node:crypto'
import type { Clock } from '../server/base/clock.ts'
import { IdCodec } from '../server/base/ids.ts'
import { Keyring, SECRET_KEY_BYTES } from '../server/base/keyring.ts'
import type { Logger } from '../server/base/logger.ts'
import type { Principal } from '../server/base/principal.ts'
import type { Store } from '../storage/ports.ts'
import { findFact, keepFact } from '../storage/repos/installation.ts'
import { BackgroundSlices } from './background-slices.ts'
import type { Services } from './context.ts'
import type { Core, JmapRequest } from './core.ts'
import type { Idempotency } from './idempotency.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { LocalCore } from './local-core.ts'
import type { ModelDrafts } from './mail/delivery/model-drafts.ts'
import { indexAccount } from './mail/search/indexer.ts'
import { learnMarks } from './mail/spam/trainer.ts'
import type { SweepReport } from './maintenance/sweep.ts'
import { type DomainDns, NO_DNS, type WebhookTargets } from './ports.ts'
import { createVapidKeys, readVapidKeys } from './push/vapid.ts'
import type { DomainChecks } from './service/domain/checks.ts'
import { type Hosting, plainHosting } from './service/domain/hosting.ts'
import { KeyUses, noteKeyUse } from './service/key-use.ts'
import { keepVerifier } from './service/password-renewal.ts'
import { sealStoredSecrets } from './service/stored-secrets.ts'
import type { WebhookQueue } from './service/webhook/queue.ts'

export interface CoreOptions {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly limits?: Partial<Limits>
  /** Dev mode: domains under names that RFC 6761 reserves are verified as soon as they are made. */
  readonly verifyReservedDomains?: boolean
  /** The host asks a model for the drafts that inbox rules owe. */
  readonly hasModel?: boolean
  readonly hosting?: Hosting
  /** What stored secrets are encrypted with. A host that has no place for a key beside the database may leave it out: it then lies in there. */
  readonly keyring?: Keyring
  /** Where nothing is to be asked of DNS it may be missing: checks of domains then find out nothing. */
  readonly domainDns?: DomainDns
  readonly mailHostTlsa?: () => Promise<string | null>
  /** Without it webhooks may lead anywhere: for a core that posts nothing. */
  readonly webhookTargets?: WebhookTargets
  /** Where only reading is possible: asks the thread that writes to bring an account's search index up to date. */
  readonly drainIndex?: (account: number) => Promise<void>
  /** Where only reading is possible: asks the thread that writes to note that an API key was used. */
  readonly noteKeyUse?: (organization: number, key: number) => Promise<void>
  /** Where only reading is possible: asks the thread that writes to keep a stronger verifier of a password. */
  readonly keepVerifier?: (account: number, from: string, to: string) => Promise<void>
}

/** The core, and what its host (server/threads) needs to know to place its calls. */
export interface HostedCore extends Core {
  readonly ids: IdCodec
  readonly limits: Limits
  /** Whether a request must run where the writer is. */
  mayWrite(request: JmapRequest): boolean
  /** `processText` of a request that has been parsed already. */
  answer(principal: Principal, request: JmapRequest): Promise<{ status: number; body: string }>
  readonly domainChecks: DomainChecks
  readonly modelDrafts: ModelDrafts
  readonly webhooks: WebhookQueue
  readonly idempotency: Idempotency
  /** Brings an account's search index up to date. */
  drainIndex(account: number): Promise<void>
  /** Lets the spam classifiers learn from all marks that wait. */
  drainMarks(): Promise<void>
  /** Writes when an API key was used last, at most once per LAST_USED_EVERY_MS. Never rejects. */
  noteKeyUse(organization: number, key: number): Promise<void>
  /** Keeps another verifier of the same password, unless that has changed meanwhile. */
  keepVerifier(account: number, from: string, to: string): Promise<void>
  /** Looks at how the mail of all organizations is received (jmap/service/reputation); for a worker to call now and then. */
  evaluateReputations(): Promise<void>
  /** Writes to owners whose plans run out (jmap/service/owner-mail); for a worker to call now and then. */
  mailOwners(): Promise<void>
  /** Takes away what nobody needs any more (jmap/maintenance/sweep.ts); for a worker to call now and then, where the writer is. */
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
    ids: new IdCodec(Buffer.from(await madeOnce(store, 'id_key', () => randomBytes(8).toString('hex')), 'hex')),
    vapidKeys: readVapidKeys(await madeOnce(store, 'vapid_key', createVapidKeys)),
    limits: { ...DEFAULT_LIMITS, ...options.limits },
    keyring: options.keyring ?? (await keyringWithin(store)),
    pending: new Map(),
    verifyReservedDomains: options.verifyReservedDomains ?? false,
    hasModel: options.hasModel ?? false,
    hosting: options.hosting ?? plainHosting('localhost'),
    domainDns: options.domainDns ?? NO_DNS,
    mailHostTlsa: options.mailHostTlsa ?? (async () => null),
    webhookTargets: options.webhookTargets ?? (async () => null),
    drainIndex: options.drainIndex ?? ((account) => indexAccount(services, account)),
    learnFromMarks: () => trainer?.wake(),
    noteKeyUse: (organization, key) => uses.note(organization, key),
    keepVerifier:
      options.keepVerifier ??
      ((account, from, to) => store.write([account], (work) => keepVerifier(work, account, from, to))),
  }
  if (!isReader) await sealStoredSecrets(services)
  const trainer = isReader
    ? null
    : new BackgroundSlices(logger, 'learning from marks failed', () => learnMarks(services))
  return new LocalCore(services, uses, trainer)
}

async function keyringWithin(store: Store): Promise<Keyring> {
  const key = await madeOnce(store, 'secret_key', () => randomBytes(SECRET_KEY_BYTES).toString('hex'))
  return new Keyring([Buffer.from(key, 'hex')])
}

/** Secrets that are made once per installation: ids of one mean nothing to another, push services know it by its key. */
async function madeOnce(store: Store, name: string, make: () => string): Promise<string> {
  const find = () => store.read((reader) => findFact(reader, name))
  const found = await find()
  if (found !== null) return found
  await store.write([], (unit) => keepFact(unit.sql, name, make()))
  return (await find())!
}
