/** A store and the core over it, opened in the calling thread. */
import type { KeyObject } from 'node:crypto'
import { randomBytes } from 'node:crypto'
import { createCore, type RemoteWriter } from '../../jmap/in-process-core.ts'
import { announceLimit } from '../../jmap/mail/quota/octets.ts'

import { installationSecret } from '../../jmap/maintenance/installation-secrets.ts'
import type { CoreParts } from '../../jmap/service.ts'
import type { Core, CoreCalls } from '../../jmap/services.ts'

import type { DomainDns } from '../../jmap/type/host-ports.ts'
import { createDomainDns } from '../../mta/dns/authority.ts'
import type { Store } from '../../storage/ports.ts'
import { releaseBilling } from '../../storage/repos/billing.ts'
import { releaseWork } from '../../storage/repos/domain-works.ts'
import { releaseSlots } from '../../storage/repos/idempotency.ts'
import { releaseImports } from '../../storage/repos/imports.ts'
import { releaseOutgoing } from '../../storage/repos/outgoing-leases.ts'
import { releaseDeliveries } from '../../storage/repos/webhook-delivery-queue.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import { openBilling } from '../billing/billing-mode.ts'
import { Zoom } from '../conferencing/zoom.ts'
import { createDnsProviders } from '../dns-providers/create-dns-providers.ts'
import { createImageFetcher } from '../egress/image-fetcher.ts'
import { isLoopbackAddress, isPublicAddress } from '../egress/public-address.ts'
import { createReach, faultOfTarget } from '../egress/reach.ts'
import { Egress } from '../egress/safe-fetch.ts'
import { createRegistrar } from '../registrars/create-registrar.ts'
import { openKeyring } from '../startup/keyring.ts'
import { requireSoundDatabase } from '../startup/sound-database.ts'
import { tlsaOf } from '../tls/tlsa.ts'
import { createVideoFrames } from '../video/ffmpeg.ts'
import type { CorePlan } from './core-plan.ts'
import { ImapThreads } from './imap-threads.ts'
import { MessageThreads } from './message-threads.ts'
import { openPlannedStore } from './planned-store.ts'

export interface OpenOptions {
  readonly plan: CorePlan
  readonly clock: Clock
  readonly logger: Logger
  /** Another thread writes; this one only reads. */
  readonly writer?: RemoteWriter
  /** This thread reads much at a time. */
  readonly scans?: boolean
  /** Makes the calls where other threads run some of them. */
  readonly callsOf?: (parts: CoreParts) => CoreCalls
  /** Rows are written, blobs only read: for a command beside a server, because one process at a time appends to the packs. */
  readonly withoutBlobs?: boolean
  /** Called when a disk has failed: nothing is written any more (promise D3). */
  readonly onDiskFault?: (error: Error) => void
}

export interface InProcess {
  readonly core: Core
  readonly store: Store
  /** The installation's key for the cursors of REST: the same on every node. */
  readonly cursorKey: Uint8Array
  /** Keys that authenticate return addresses (mta/reports/verp.ts), the newest first. */
  readonly returnKeys: readonly KeyObject[]
}

/** @throws Failure `configuration`, `storageUnavailable` and other failures of the store */
export async function openInProcess(options: OpenOptions): Promise<InProcess> {
  const { plan, clock, logger, writer, callsOf, scans = false, withoutBlobs = false, onDiskFault } = options
  const access = scans ? 'scan' : writer ? 'read' : withoutBlobs ? 'write rows' : 'write'
  const store = await openPlannedStore(plan, { clock, logger, access, ...(onDiskFault && { onDiskFault }) })
  const messageWork = new MessageThreads(clock)
  // For what a write has to ask before it is done. It opens no connection before it is used.
  const egress = new Egress({ clock, ...plan.zoom.reach })
  const imap = new ImapThreads({ clock, reach: plan.imapReach })
  const inside = new Egress({ clock, allowInside: true })
  const fetches = { outside: egress.fetch.bind(egress), inside: inside.fetch.bind(inside) }
  const billing = openBilling(plan.billing, clock)
  try {
    if (access === 'write' && !plan.despiteDamage) await requireSoundDatabase(store, { data: plan.data, clock, logger })
    const { limits, verifyReservedDomains } = plan
    const keyring = await openKeyring(store, plan)
    const domainDns = domainDnsOf(plan, clock)
    const mailHostTlsa = async () => (plan.tlsCert === null ? null : tlsaOf(plan.tlsCert))
    const reach = createReach(plan.webhookReach)
    const zoom = new Zoom({ base: plan.zoom.base, fetch: egress.fetch.bind(egress), clock })
    const opened = await createCore({
      store,
      clock,
      logger,
      limits,
      verifyReservedDomains,
      keyring,
      hasModel: plan.hasModel,
      hosting: plan.hosting,
      domainDns,
      registrar: createRegistrar(plan.registrar, fetches.outside, clock),
      dnsProviders: createDnsProviders(plan.dnsProviders, fetches, clock),
      mailHostTlsa,
      webhookTargets: (url: string) => faultOfTarget(reach, url),
      zoomFault: (credentials) => zoom.fault(credentials),
      imapLogin: imap.login,
      fetchImage: createImageFetcher(egress.fetch.bind(egress)),
      videoFrame: createVideoFrames(logger),
      billing: billing.mode,
      messageWork,
      ...(writer && { writer }),
      ...(callsOf && { callsOf }),
    })
    const close = async () => {
      await opened.close()
      await Promise.all([messageWork.close(), egress.close(), imap.close(), inside.close(), billing.close()])
    }
    const core = { ...opened, close }
    const made = () => randomBytes(32).toString('hex')
    const cursorKey = Buffer.from(await installationSecret({ store, keyring }, 'rest_cursor_key', made), 'hex')
    // Only one process at a time writes to this folder. The one before has ended, so its leases are void.
    if (access === 'write' && store.engine === 'sqlite')
      await store.write([], async (unit) => {
        await releaseOutgoing(unit.sql, unit.now)
        await releaseSlots(unit.sql)
        await releaseDeliveries(unit.sql, unit.now)
        await releaseImports(unit.sql)
        await releaseWork(unit.sql)
        await releaseBilling(unit.sql)
      })
    // A command beside the server may not have the server's settings.
    if (access === 'write') await announceLimit(store, core.limits.mailboxStorageBytes)
    return { core, store, cursorKey, returnKeys: keyring.derive('return addresses') }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Owners of domains choose their name servers, so only public addresses are asked. */
function domainDnsOf({ dns }: CorePlan, clock: Clock): DomainDns {
  const { resolver, authorityPort: port, loopback } = dns
  const mayAsk = (address: string) => isPublicAddress(address) || (loopback && isLoopbackAddress(address))
  return createDomainDns({ resolver, port, mayAsk, clock })
}
