/** A store and the core over it, opened in the thread that calls. Its plan is plain data, so that it can cross to another thread. */
import { randomBytes } from 'node:crypto'
import { createCore, type HostedCore } from '../../jmap/create-core.ts'
import type { Limits } from '../../jmap/limits.ts'
import { announceLimit } from '../../jmap/mail/quota.ts'
import type { DomainDns } from '../../jmap/ports.ts'
import type { Hosting } from '../../jmap/service/domain/hosting.ts'
import { createDomainDns } from '../../mta/dns/authority.ts'
import type { DnsServer } from '../../mta/dns/query.ts'
import type { BlobStore } from '../../storage/blob-store.ts'
import { openPacks } from '../../storage/blobs/packs.ts'
import { openS3 } from '../../storage/blobs/s3.ts'
import { openPostgres } from '../../storage/dialect/postgres.ts'
import { openSqlite } from '../../storage/dialect/sqlite.ts'
import type { Store } from '../../storage/ports.ts'
import { releaseSlots } from '../../storage/repos/idempotency.ts'
import { findFact, keepFact } from '../../storage/repos/installation.ts'
import { releaseOutgoing } from '../../storage/repos/outgoing.ts'
import { releaseDeliveries } from '../../storage/repos/webhook-deliveries.ts'
import { openStore } from '../../storage/store.ts'
import type { Clock } from '../base/clock.ts'
import { Failure } from '../base/errors.ts'
import { Keyring } from '../base/keyring.ts'
import type { Logger } from '../base/logger.ts'
import type { BlobSettings, Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { isLoopbackAddress, isPublicAddress } from '../egress/public-address.ts'
import { createReach, faultOfTarget, type ReachOptions } from '../egress/reach.ts'
import { secretKeys } from '../secret-keys.ts'
import { tlsaOf } from '../tls/tlsa.ts'
import { boundCore } from './bound-core.ts'

export interface CorePlan {
  readonly database:
    | { readonly kind: 'sqlite'; readonly file: string }
    | { readonly kind: 'postgres'; readonly url: string }
  readonly blobs:
    | Extract<BlobSettings, { kind: 'disk' }>
    | (Extract<BlobSettings, { kind: 's3' }> & { readonly secretKey: string })
  readonly limits: Partial<Limits>
  readonly verifyReservedDomains: boolean
  /** Drafts of a model are asked for. */
  readonly hasModel: boolean
  readonly hosting: Hosting
  /** File of the operator's certificate; null: it is our own. */
  readonly tlsCert: string | null
  /** Who is asked for the records of domains. */
  readonly dns: { readonly resolver: DnsServer | null; readonly authorityPort: number; readonly loopback: boolean }
  /** Where webhooks may lead. */
  readonly webhookReach: ReachOptions
  /** The data folder, and the setting that may stand for the key in it (server/secret-keys.ts). */
  readonly data: string
  readonly secretKey: string | null
}

export function corePlan(config: Config, secrets: Secrets): CorePlan {
  const { database, blobs, limits, dev, data } = config
  return {
    database: database.kind === 'sqlite' ? database : { kind: 'postgres', url: secrets.databaseUrl! },
    blobs: blobs.kind === 'disk' ? blobs : { ...blobs, secretKey: secrets.s3SecretKey! },
    limits,
    verifyReservedDomains: dev,
    hasModel: config.model !== null,
    hosting: config.hosting,
    tlsCert: config.tls?.cert ?? null,
    dns: { resolver: config.dns, authorityPort: config.dnsAuthorityPort, loopback: config.egressLoopback },
    webhookReach: webhookReach(config),
    data,
    secretKey: secrets.secretKey,
  }
}

/** Of webhooks, when one is made and when it is posted to. */
export function webhookReach({ egressLoopback, webhooks }: Config): ReachOptions {
  return { allowLoopback: egressLoopback, allowNetworks: webhooks.allowNetworks }
}

export interface LocalCoreOptions {
  readonly plan: CorePlan
  readonly clock: Clock
  readonly logger: Logger
  /** A view beside the thread that writes, and what brings the search index up to date there. */
  readonly reading?: Pick<HostedCore, 'drainIndex' | 'noteKeyUse' | 'keepVerifier'>
  /** Rows are written, blobs only read: for a command beside a server, since one process at a time appends to the packs. */
  readonly withoutBlobs?: boolean
}

export interface LocalCore {
  readonly core: HostedCore
  readonly store: Store
  /** Secret of the installation that REST signs cursors with: the same on every node. */
  readonly cursorKey: Uint8Array
  /** Secrets that return addresses are authenticated with (mta/reports/verp.ts), the newest first. */
  readonly returnKeys: readonly Uint8Array[]
}

/** @throws Failure `configuration`, `storageUnavailable` and what else the store says */
export async function openLocalCore(given: LocalCoreOptions): Promise<LocalCore> {
  const { plan, clock, logger, reading, withoutBlobs = false } = given
  const access = reading ? 'read' : withoutBlobs ? 'write rows' : 'write'
  const store = await openPlannedStore(plan, clock, logger, access)
  try {
    const cursorKey = await installationSecret(store, 'rest_cursor_key', reading !== undefined)
    const { limits, verifyReservedDomains } = plan
    const keyring = new Keyring(secretKeys(plan.data, plan.secretKey).map((key) => Buffer.from(key, 'hex')))
    const domainDns = domainDnsOf(plan, clock)
    const mailHostTlsa = async () => (plan.tlsCert === null ? null : tlsaOf(plan.tlsCert))
    const reach = createReach(plan.webhookReach)
    const options = {
      store,
      clock,
      logger,
      limits,
      verifyReservedDomains,
      keyring,
      hasModel: plan.hasModel,
      hosting: plan.hosting,
      domainDns,
      mailHostTlsa,
      webhookTargets: (url: string) => faultOfTarget(reach, url),
    }
    const core = await createCore({ ...options, ...reading })
    // One process at a time writes to this folder: whoever had mail under way before is dead, and its leases with it.
    if (access === 'write' && store.engine === 'sqlite')
      await store.write([], async (unit) => {
        await releaseOutgoing(unit.sql, unit.now)
        await releaseSlots(unit.sql)
        await releaseDeliveries(unit.sql, unit.now)
      })
    // A command beside the server need not know the server's settings.
    if (access === 'write') await announceLimit(store, core.limits.mailboxStorageBytes)
    return { core: boundCore(core), store, cursorKey, returnKeys: keyring.derive('return addresses') }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Owners of domains choose their name servers: none of them may be a host inside. */
function domainDnsOf({ dns }: CorePlan, clock: Clock): DomainDns {
  const { resolver, authorityPort: port, loopback } = dns
  const mayAsk = (address: string) => isPublicAddress(address) || (loopback && isLoopbackAddress(address))
  return createDomainDns({ resolver, port, mayAsk, clock })
}

/** `write rows`: the blob store is only read. */
export type Access = 'read' | 'write rows' | 'write'

/** The store alone, for what looks at data without a core. */
export async function openPlannedStore(plan: CorePlan, clock: Clock, logger: Logger, access: Access): Promise<Store> {
  const blobs = await openBlobs(plan.blobs, clock, logger, access !== 'write')
  const { database } = plan
  const readOnly = access === 'read'
  try {
    const dialect =
      database.kind === 'sqlite' ? openSqlite({ file: database.file, readOnly }) : openPostgres({ url: database.url })
    return await openStore({ dialect, blobs, clock, readOnly })
  } catch (error) {
    await blobs.close()
    throw error
  }
}

async function openBlobs(
  blobs: CorePlan['blobs'],
  clock: Clock,
  logger: Logger,
  readOnly: boolean,
): Promise<BlobStore> {
  if (blobs.kind === 'disk') return openPacks({ folder: blobs.folder, readOnly, clock, logger })
  const { endpoint, bucket, region, prefix, accessKey, secretKey } = blobs
  return openS3({ endpoint, bucket, region, prefix, accessKeyId: accessKey, secretAccessKey: secretKey, clock, logger })
}

async function installationSecret(store: Store, name: string, readOnly: boolean): Promise<Uint8Array> {
  const find = () => store.read((reader) => findFact(reader, name))
  if ((await find()) === null && !readOnly)
    await store.write([], (unit) => keepFact(unit.sql, name, randomBytes(32).toString('hex')))
  const text = await find()
  if (text === null) throw new Failure('corrupt', `the installation has no ${name}`)
  return Buffer.from(text, 'hex')
}
