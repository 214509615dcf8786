/**
 * From raw settings to a typed configuration. Malformed and contradictory settings are refused before anything starts, all at once, and each
 * message names the setting as its owner wrote it. Secrets are in secrets.ts.
 */
import { hostname as machineName, networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import type { Hosting } from '../../jmap/type/host-ports.ts'
import { Failure } from '../base/errors.ts'
import { DEFAULT_MAINTENANCE_SCHEDULE } from '../base/limits.ts'
import type { LogLevel } from '../base/logger.ts'
import { READING_THREADS, READING_THREADS_MAX } from '../base/reading-limits.ts'
import { type BackupSettings, readBackups } from './backup-settings.ts'
import { type BillingSettings, readBilling } from './billing-settings.ts'
import { CronSchedule } from './cron-schedule.ts'
import { DEV_ADDRESS, DEV_HOSTNAME, DEV_PORTS } from './dev-defaults.ts'
import type { RawSettings } from './env.ts'
import { readHosting } from './hosting-settings.ts'
import { type ImportSettings, readImports } from './import-settings.ts'
import { type IncomingSettings, readIncoming } from './incoming-settings.ts'
import { type LimitSettings, readLimits } from './limit-settings.ts'
import {
  type DnsProviderSettings,
  type RegistrarSettings,
  readDnsProvider,
  readRegistrar,
} from './registrar-settings.ts'
import { readRetries } from './retry-settings.ts'
import { SettingReader } from './setting-reader.ts'
import { readWebhooks, type WebhookSettings } from './webhook-settings.ts'

export interface HostPort {
  readonly host: string
  readonly port: number
}

/** How mail to other hosts is sent. The relay's URL with its login is in Secrets. */
export type Outbound =
  | { readonly kind: 'capture' }
  | { readonly kind: 'mx' }
  | { readonly kind: 'relay'; readonly host: string }

export type BlobSettings =
  | { readonly kind: 'disk'; readonly folder: string }
  | {
      readonly kind: 's3'
      readonly endpoint: string
      readonly bucket: string
      readonly region: string
      readonly prefix: string
      readonly accessKey: string
    }

export interface Config extends LimitSettings {
  readonly dev: boolean
  /** Print results as JSON. */
  readonly json: boolean
  /** Absolute path. */
  readonly data: string
  readonly hostname: string
  readonly postmaster: string
  readonly logLevel: LogLevel
  /** When the nightly maintenance runs. */
  readonly maintenanceSchedule: CronSchedule
  readonly bind: string
  readonly http: {
    readonly port: number
    /** Without a slash at the end; null: see ownUrl in hosting-settings.ts. */
    readonly baseUrl: string | null
    /** Host that alone shows the archive of newsletters; null: every host does. */
    readonly archiveUrl: string | null
    readonly corsOrigins: '*' | readonly string[]
    /** IP addresses and CIDR networks. */
    readonly trustedProxies: readonly string[]
  }
  readonly smtp: { readonly port: number }
  readonly submission: { readonly port: number; readonly tlsPort: number }
  /** Files; null: a self-signed certificate in the data folder. */
  readonly tls: { readonly cert: string; readonly key: string } | null
  readonly incoming: IncomingSettings
  /** The model that writes the drafts of inbox rules; its key is in Secrets. */
  readonly model: { readonly url: string; readonly name: string } | null
  readonly outbound: Outbound
  readonly mxPort: number
  /** URLs of users may lead to this machine. */
  readonly egressLoopback: boolean
  /** Stands for Zoom's API in dev mode, without a slash at the end; null: Zoom's own. */
  readonly zoomUrl: string | null
  readonly dns: HostPort | null
  /** Trust the resolver's validation of DNSSEC. */
  readonly dane: boolean
  /** Milliseconds between attempts at deferred mail, and until it fails. */
  readonly retries: { readonly waits: readonly number[]; readonly expiry: number }
  readonly dnsAuthorityPort: number
  readonly registrar: RegistrarSettings
  /** Of domains that are bought here. Its key is in Secrets. */
  readonly dnsProvider: DnsProviderSettings
  readonly hosting: Hosting
  /** For `postgres` the address is in Secrets. */
  readonly database: { readonly kind: 'sqlite'; readonly file: string } | { readonly kind: 'postgres' }
  readonly blobs: BlobSettings
  readonly writerThread: boolean
  /** Threads for queries and other long reads. */
  readonly readingThreads: number
  readonly despiteDamage: boolean
  /** null: no backups are taken by schedule. */
  readonly backups: BackupSettings | null
  readonly webhooks: WebhookSettings
  readonly imports: ImportSettings
  readonly billing: BillingSettings
}

/** Folder in the data folder for mail that `capture` stores instead of sending it. */
export const CAPTURE_FOLDER = 'captured'

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
const PORTS = { http: 8080, smtp: 25, submission: 587, submissions: 465 }

/** @throws Failure `configuration` with all faults, one line each */
export function readConfig(raw: RawSettings): Config {
  const read = new SettingReader(raw)
  const dev = read.flag('dev')
  const data = resolve(read.text('data') ?? 'data')
  const hostname = read.hostName('hostname') ?? (dev ? DEV_HOSTNAME : machineName())
  const database = readDatabase(read, data)
  const listeners = readListeners(read, dev ? DEV_PORTS : PORTS)
  const tls = readTls(read)
  const { http, submission } = listeners
  const bind = read.address('bind') ?? (dev ? '127.0.0.1' : everyAddress())
  const listening = { hostname, baseUrl: http.baseUrl, isDev: dev, bind, httpPort: http.port, submission }
  const blobs = readBlobs(read, data)
  const config: Config = {
    dev,
    json: read.flag('json'),
    data,
    hostname,
    postmaster: read.text('postmaster') ?? (dev ? DEV_ADDRESS : `postmaster@${hostname}`),
    logLevel: read.oneOf('log_level', LOG_LEVELS) ?? (dev ? 'warn' : 'info'),
    maintenanceSchedule: read.schedule('maintenance_schedule') ?? CronSchedule.parse(DEFAULT_MAINTENANCE_SCHEDULE)!,
    bind,
    ...listeners,
    tls,
    incoming: readIncoming(read, dev),
    model: readModel(read),
    outbound: readOutbound(read, dev),
    mxPort: read.port('mx_port') ?? 25,
    egressLoopback: (read.oneOf('egress_loopback', ['on', 'off']) ?? (dev ? 'on' : 'off')) === 'on',
    zoomUrl: readZoom(read, dev),
    dns: read.hostPort('dns'),
    dane: read.oneOf('dane', ['on', 'off']) === 'on',
    retries: readRetries(read),
    dnsAuthorityPort: read.port('dns_authority_port') ?? 53,
    registrar: readRegistrar(read, dev),
    dnsProvider: readDnsProvider(read, dev),
    hosting: readHosting(read, { ...listening, hasCertificate: tls !== null }),
    database,
    blobs,
    backups: readBackups(read, { database, blobs }),
    despiteDamage: read.flag('despite_damage'),
    writerThread: readWriterThread(read, database.kind),
    readingThreads: read.number('reading_threads', 0, READING_THREADS_MAX) ?? READING_THREADS,
    webhooks: readWebhooks(read),
    imports: readImports(read),
    billing: readBilling(read, dev),
    ...readLimits(read),
  }
  if (read.faults.length > 0) throw new Failure('configuration', read.faults.join('\n'))
  return config
}

function readListeners(
  read: SettingReader,
  defaults: { readonly [N in keyof typeof PORTS]: number },
): Pick<Config, 'http' | 'smtp' | 'submission'> {
  const ports = {
    http_port: read.port('http_port') ?? defaults.http,
    smtp_port: read.port('smtp_port') ?? defaults.smtp,
    submission_port: read.port('submission_port') ?? defaults.submission,
    submissions_port: read.port('submissions_port') ?? defaults.submissions,
  }
  const names = Object.keys(ports) as (keyof typeof ports)[]
  for (const [i, name] of names.entries()) {
    const other = names.slice(0, i).find((earlier) => ports[earlier] !== 0 && ports[earlier] === ports[name])
    if (other) read.refuse(name, `port ${ports[name]} is also that of ${other}; each listener needs its own`)
  }
  return {
    http: {
      port: ports.http_port,
      baseUrl: read.origin('base_url'),
      archiveUrl: read.origin('archive_url'),
      corsOrigins: read.origins('cors_origins') ?? '*',
      trustedProxies: read.networks('trusted_proxies'),
    },
    smtp: { port: ports.smtp_port },
    submission: { port: ports.submission_port, tlsPort: ports.submissions_port },
  }
}

/** `::` accepts IPv4 too, but cannot be opened where IPv6 is disabled. */
function everyAddress(): string {
  const addresses = Object.values(networkInterfaces()).flat()
  return addresses.some((address) => address?.family === 'IPv6') ? '::' : '0.0.0.0'
}

function readTls(read: SettingReader): Config['tls'] {
  const cert = read.text('tls_cert')
  const key = read.text('tls_key')
  if (cert !== null && key !== null) return { cert: resolve(cert), key: resolve(key) }
  if (cert !== null) read.refuse('tls_cert', 'a certificate needs its private key: set tls_key too')
  if (key !== null) read.refuse('tls_key', 'a private key needs its certificate: set tls_cert too')
  return null
}

function readOutbound(read: SettingReader, dev: boolean): Outbound {
  const text = read.text('outbound')
  if (text === null) return { kind: dev ? 'capture' : 'mx' }
  if (text === 'capture' || text === 'mx') return { kind: text }
  const url = URL.parse(text)
  const bare = url && /^\/?$/.test(url.pathname) && url.search === '' && url.hash === ''
  if (!bare || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    // The message does not repeat the value, because it may hold a password.
    read.refuse('outbound', 'must be capture, mx, or a relay such as smtp://relay.example.com:587')
    return { kind: 'capture' }
  }
  if ((url.username === '') !== (url.password === ''))
    read.refuse('outbound', 'a relay takes a user and a password, or neither')
  return { kind: 'relay', host: url.host }
}

function readDatabase(read: SettingReader, data: string): Config['database'] {
  const text = read.text('database') ?? 'sqlite'
  if (text === 'sqlite') return { kind: 'sqlite', file: join(data, 'posthouse.db') }
  // The message does not repeat the value, because it may hold a password.
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    read.refuse('database', 'must be sqlite or postgres://user:password@host:port/name')
  return { kind: 'postgres' }
}

function readBlobs(read: SettingReader, data: string): BlobSettings {
  const endpoint = read.url('s3_endpoint')
  const bucket = read.text('s3_bucket')
  const region = read.text('s3_region')
  const prefix = read.text('s3_prefix')
  const accessKey = read.text('s3_access_key')
  const secretKey = read.text('s3_secret_key')
  const wanted = { s3_endpoint: endpoint, s3_bucket: bucket, s3_access_key: accessKey, s3_secret_key: secretKey }
  const names = Object.keys(wanted) as (keyof typeof wanted)[]
  const given = names.find((name) => wanted[name] !== null) ?? (region ? 's3_region' : prefix ? 's3_prefix' : undefined)
  if (given === undefined) return { kind: 'disk', folder: join(data, 'blobs') }
  for (const name of names) if (wanted[name] === null) read.refuse(given, `S3 needs ${name} too`)
  return {
    kind: 's3',
    endpoint: endpoint ?? '',
    bucket: bucket ?? '',
    region: region ?? 'us-east-1',
    prefix: prefix ?? '',
    accessKey: accessKey ?? '',
  }
}

function readWriterThread(read: SettingReader, engine: Config['database']['kind']): boolean {
  const choice = read.oneOf('writer_thread', ['on', 'off'] as const)
  if (choice === 'on' && engine === 'postgres')
    read.refuse('writer_thread', 'a writer thread is for SQLite; with PostgreSQL it must be off or not set')
  return choice === null ? engine === 'sqlite' : choice === 'on'
}

/** Credentials of mailboxes are sent there: outside of dev mode only to Zoom. */
function readZoom(read: SettingReader, dev: boolean): string | null {
  const url = read.origin('zoom_url')
  if (url !== null && !dev) read.refuse('zoom_url', 'it is for dev mode')
  return url
}

function readModel(read: SettingReader): Config['model'] {
  const [url, name] = [read.url('model_url'), read.text('model_name')]
  if (url !== null && name === null) read.refuse('model_name', 'model_url needs it')
  return url === null ? null : { url, name: name ?? '' }
}
