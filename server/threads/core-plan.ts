/** The data for opening a core, so that it can cross to the writer thread. */

import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Hosting } from '../../jmap/type/host-ports.ts'
import type { Limits } from '../../jmap/type/limits.ts'
import type { DnsServer } from '../../mta/dns/query.ts'
import { errorMessage, Failure } from '../base/errors.ts'
import type { BillingPlan } from '../billing/billing-mode.ts'
import type { BlobSettings, Config } from '../config/config.ts'
import { ownAccess } from '../config/registrar-settings.ts'
import type { Secrets } from '../config/secrets.ts'
import type { DnsProvidersPlan } from '../dns-providers/create-dns-providers.ts'
import type { ReachOptions } from '../egress/reach.ts'
import type { ImapReach } from '../imports/imap/session-port.ts'
import type { RegistrarPlan } from '../registrars/create-registrar.ts'

export interface CorePlan {
  readonly database:
    | { readonly kind: 'sqlite'; readonly file: string }
    | { readonly kind: 'postgres'; readonly url: string }
  readonly blobs:
    | Extract<BlobSettings, { kind: 'disk' }>
    | (Extract<BlobSettings, { kind: 's3' }> & { readonly secretKey: string })
  readonly limits: Partial<Limits>
  readonly verifyReservedDomains: boolean
  /** A worker asks a model for drafts. */
  readonly hasModel: boolean
  readonly hosting: Hosting
  /** File of the operator's certificate; null: the server's own, self-signed one is used. */
  readonly tlsCert: string | null
  /** DNS servers that are asked for the records of domains. */
  readonly dns: { readonly resolver: DnsServer | null; readonly authorityPort: number; readonly loopback: boolean }
  /** Where webhooks may lead. */
  readonly webhookReach: ReachOptions
  /** Where mail may be imported from. */
  readonly imapReach: ImapReach
  /** Stands for Zoom's API; null: Zoom's own. */
  readonly zoom: { readonly base: string | null; readonly reach: ReachOptions }
  readonly registrar: RegistrarPlan
  readonly dnsProviders: DnsProvidersPlan
  readonly billing: BillingPlan
  /** The data folder, and the setting that replaces the key file in it (server/startup/keyring.ts). */
  readonly data: string
  readonly secretKey: string | null
  /** Start on a database that is known to be damaged. */
  readonly despiteDamage: boolean
}

export function corePlan(config: Config, secrets: Secrets): CorePlan {
  const { database, blobs, limits, dev, data } = config
  return {
    database: database.kind === 'sqlite' ? database : { kind: 'postgres', url: secrets.databaseUrl! },
    blobs: blobs.kind === 'disk' ? blobs : { ...blobs, secretKey: secrets.s3SecretKey! },
    limits,
    // A configured resolver may know these names.
    verifyReservedDomains: dev && config.dns === null,
    hasModel: config.model !== null,
    hosting: config.hosting,
    tlsCert: config.tls?.cert ?? null,
    dns: { resolver: config.dns, authorityPort: config.dnsAuthorityPort, loopback: config.egressLoopback },
    webhookReach: webhookReach(config),
    imapReach: imapReach(config),
    zoom: { base: config.zoomUrl, reach: { allowLoopback: config.egressLoopback } },
    registrar: { ...config.registrar, key: secrets.registrarKey ?? '' },
    dnsProviders: dnsProvidersPlan(config, secrets),
    billing: billingPlan(config, secrets),
    data,
    secretKey: secrets.secretKey,
    despiteDamage: config.despiteDamage,
  }
}

function dnsProvidersPlan({ dnsProvider, dev, egressLoopback }: Config, secrets: Secrets): DnsProvidersPlan {
  const { kind, url, nameServers } = dnsProvider
  return {
    own: ownAccess(dnsProvider, secrets.dnsProviderKey),
    isManual: kind === 'none',
    nameServers,
    cloudflareBase: dev && kind === 'cloudflare' ? url : null,
    reach: { allowLoopback: egressLoopback },
  }
}

function billingPlan({ billing, egressLoopback }: Config, { stripeSecretKey: key }: Secrets): BillingPlan {
  const { kind, prices, stripeUrl: base } = billing
  if (kind !== 'stripe') return { kind }
  return { kind, key: key!, prices: prices!, base, reach: { allowLoopback: egressLoopback } }
}

/** Where webhooks may lead, when one is created and when it is posted to. */
export function webhookReach({ egressLoopback, webhooks }: Config): ReachOptions {
  return { allowLoopback: egressLoopback, allowNetworks: webhooks.allowNetworks }
}

/** Where mail may be imported from. @throws Failure `configuration` if the file of authorities cannot be read */
export function imapReach({ egressLoopback, imports, dns }: Config): ImapReach {
  const { allowNetworks, tlsCa } = imports
  return {
    reach: { allowLoopback: egressLoopback, allowNetworks },
    ca: tlsCa === null ? null : readAuthorities(tlsCa),
    dns: dns && `${dns.host.includes(':') ? `[${dns.host}]` : dns.host}:${dns.port}`,
  }
}

function readAuthorities(file: string): string {
  try {
    const pem = readFileSync(file, 'utf8')
    // Throws if it is no certificate.
    new X509Certificate(pem)
    return pem
  } catch (error) {
    throw new Failure('configuration', `import_tls_ca: ${file} has no readable certificates: ${errorMessage(error)}`)
  }
}
