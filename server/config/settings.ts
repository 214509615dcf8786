/**
 * Every setting of the server, as data. The options (`--http-port`), the environment variables (`POSTHOUSE_HTTP_PORT`), the keys of the config
 * file (`http_port`) and the help derive from this list. config.ts interprets the values.
 */
import { SIGN_UPS_PER_HOUR } from '../base/audience-limits.ts'
import { BOOKINGS_PER_HOUR } from '../base/booking-limits.ts'
import {
  SMTP_CONNECTIONS_PER_MINUTE,
  SMTP_ERRORS_PER_MINUTE,
  SMTP_MESSAGES_PER_MINUTE,
  SMTP_RECIPIENTS_PER_MINUTE,
  SMTP_SENDER_MESSAGES_PER_MINUTE,
} from '../base/inbound-limits.ts'
import {
  DEFAULT_MAINTENANCE_SCHEDULE,
  MAILBOX_RETENTION_DAYS,
  MAX_CALLS_IN_REQUEST,
  MAX_CONCURRENT_REQUESTS,
  MAX_CONCURRENT_UPLOAD,
  MAX_OBJECTS_IN_GET,
  MAX_OBJECTS_IN_SET,
  MAX_RECIPIENTS,
  MAX_SIZE_REQUEST,
  MAX_SIZE_UPLOAD,
  REST_RATE_FAILED_AUTH,
  REST_RATE_READ,
  REST_RATE_SEND,
  REST_RATE_VERIFICATION,
  REST_RATE_WRITE,
} from '../base/limits.ts'
import { READING_THREADS } from '../base/reading-limits.ts'
import {
  SMTP_MAX_CONNECTIONS,
  SMTP_MAX_CONNECTIONS_PER_ADDRESS,
  SMTP_MAX_CONNECTIONS_PER_NETWORK,
  SMTP_MAX_MESSAGE_BYTES,
} from '../base/smtp-limits.ts'
import { BACKUP_KEEP, DEFAULT_BACKUP_SCHEDULE } from '../base/storage-limits.ts'
import { count, flag, octets, port, SETTING_GROUPS, type SettingDeclaration, text } from './setting-declaration.ts'

export { SETTING_GROUPS, type SettingDeclaration, type SettingGroup, type SettingKind } from './setting-declaration.ts'

const [GENERAL, LISTENERS, INCOMING, OUTGOING, STORAGE, LIMITS] = SETTING_GROUPS

export const SETTINGS = {
  config: text(GENERAL, '<file>', 'JSON file with any of these settings, such as http_port or mx_port'),
  dev: flag(
    GENERAL,
    'dev mode: listen on loopback; create an organization, a domain, a mailbox and a key, and print them',
  ),
  json: flag(GENERAL, 'print results as JSON on standard output; serve prints one line when it is ready'),
  data: text(GENERAL, '<folder>', 'folder of all data', './data'),
  hostname: text(
    GENERAL,
    '<name>',
    'name of this host in SMTP and in trace fields',
    "the machine's; mail.example.test in dev mode",
  ),
  postmaster: text(
    GENERAL,
    '<address>',
    'mailbox that receives mail for <postmaster>',
    'postmaster@<hostname>; hello@example.test in dev mode',
  ),
  base_url: text(
    GENERAL,
    '<url>',
    'URL of the HTTP listener for clients, behind a proxy',
    'http://<hostname>:<port>; in dev mode the address of the listener',
  ),
  archive_url: text(GENERAL, '<url>', 'URL of a host of its own for the archive of newsletters', 'that of all pages'),
  log_level: text(GENERAL, '<level>', 'debug, info, warn, error or silent', 'info; warn in dev mode'),
  maintenance_schedule: text(
    GENERAL,
    '<cron>',
    "when the nightly maintenance runs: minute, hour, day, month and day of the week, in the system's time zone",
    DEFAULT_MAINTENANCE_SCHEDULE,
  ),
  writer_thread: text(GENERAL, '<on|off>', 'write to SQLite in a separate thread', 'on with SQLite'),
  reading_threads: {
    kind: 'count',
    group: GENERAL,
    value: '<number>',
    help: 'threads for queries and other long reads; 0: none',
    default: String(READING_THREADS),
  },

  bind: text(LISTENERS, '<address>', 'IP address to listen on', 'all; 127.0.0.1 in dev mode'),
  http_port: port('HTTP: JMAP and REST', '8080'),
  smtp_port: port('SMTP for incoming mail', '25; 2525 in dev mode'),
  submission_port: port('SMTP submission with STARTTLS', '587; 2587 in dev mode'),
  submissions_port: port('SMTP submission with TLS from the start', '465; 2465 in dev mode'),
  tls_cert: text(LISTENERS, '<file>', 'certificate chain, PEM', 'a self-signed one, kept in the data folder'),
  tls_key: text(LISTENERS, '<file>', 'its private key, PEM'),
  cors_origins: text(LISTENERS, '<origins>', 'web origins that may call from a browser, separated by commas', '*'),
  trusted_proxies: text(
    LISTENERS,
    '<networks>',
    'addresses or networks whose X-Forwarded-* header fields are trusted, separated by commas',
    'none',
  ),

  model_url: text(
    INCOMING,
    '<url>',
    'OpenAI-compatible server that writes the drafts of inbox rules, such as https://models.example.com/v1',
    'none: such rules are skipped',
  ),
  model_name: text(INCOMING, '<name>', 'name of the model'),
  model_key: { ...text(INCOMING, '<key>', 'its API key'), secret: true },
  sender_checks: text(
    INCOMING,
    '<on|off>',
    'check senders of mail from outside: SPF, DKIM, DMARC, ARC and reverse DNS',
    'on; off in dev mode',
  ),
  dmarc_overrides: text(
    INCOMING,
    '<domains>',
    'actions for domains whose DMARC check fails, instead of their policies: example.com=none,example.org=quarantine',
  ),
  rspamd: text(
    INCOMING,
    '<url>',
    "URL of Rspamd's normal worker, such as http://127.0.0.1:11333, for the spam score",
    'none: the built-in score',
  ),
  arc_sealers: text(INCOMING, '<domains>', 'forwarders whose ARC seals are trusted, separated by commas'),
  dns_lists: text(
    INCOMING,
    '<zones>',
    'DNS lists of senders for the spam score, separated by commas; list.example=refuse refuses listed senders',
  ),
  proxy_protocol: text(
    INCOMING,
    '<networks>',
    'load balancers that use the PROXY protocol for SMTP, separated by commas',
  ),

  outbound: {
    ...text(
      OUTGOING,
      '<way>',
      'capture (store mail instead of sending it), mx, or one relay: smtp://[user:password@]host:port or smtps://',
      'mx; capture in dev mode',
    ),
    secret: true,
  },
  mx_port: {
    kind: 'port',
    group: OUTGOING,
    value: '<port>',
    help: 'port of the mail hosts that MX records name',
    default: '25',
  },
  retry_minutes: text(
    OUTGOING,
    '<minutes>',
    'minutes between attempts at deferred mail, separated by commas; the last one repeats',
    '1,5,15,30,60,120,240',
  ),
  queue_hours: {
    kind: 'count',
    group: OUTGOING,
    value: '<hours>',
    help: 'hours after which deferred mail fails',
    default: '120',
  },
  egress_loopback: text(
    OUTGOING,
    '<on|off>',
    'allow push subscriptions to this machine; other private addresses are never allowed',
    'off; on in dev mode',
  ),
  webhook_allow_private_cidrs: text(
    OUTGOING,
    '<networks>',
    'private addresses or networks that webhooks may lead to, separated by commas, such as 10.1.0.0/16',
    'none',
  ),
  import_allow_private_cidrs: text(
    OUTGOING,
    '<networks>',
    'private addresses or networks that mail may be imported from, separated by commas',
    'none',
  ),
  import_tls_ca: text(
    OUTGOING,
    '<file>',
    'certificate authorities of IMAP servers that mail is imported from, PEM, beside the known ones',
    'none',
  ),
  webhook_header_prefix: text(OUTGOING, '<name>', 'prefix of the header fields that sign webhooks', 'X-Service'),
  webhook_retry_seconds: text(
    OUTGOING,
    '<seconds>',
    'seconds between attempts at a webhook delivery, separated by commas; it fails after the last',
    '60,300,1800,14400',
  ),
  zoom_url: text(OUTGOING, '<url>', "server that stands for Zoom's API, in dev mode only", "Zoom's own"),
  dns: text(OUTGOING, '<host:port>', 'DNS resolver', "the system's"),
  dane: text(
    OUTGOING,
    '<on|off>',
    'enforce DANE; only with a resolver that validates DNSSEC and is reached safely, such as on this machine',
    'off',
  ),
  dns_authority_port: {
    kind: 'port',
    group: OUTGOING,
    value: '<port>',
    help: 'port of the authoritative name servers for checks of domains',
    default: '53',
  },
  spf_mechanism: text(
    OUTGOING,
    '<mechanism>',
    'mechanism for this server in the SPF records of domains, such as include:_spf.example.net',
    'a:<hostname>',
  ),
  dkim_rotation_days: {
    ...count('days after which domains get new DKIM keys; 0: only by command', 180),
    group: OUTGOING,
  },
  registrar: text(
    OUTGOING,
    '<name>',
    'registrar where organizations buy domains: none, porkbun, dnsimple, or fake in dev mode',
    'none',
  ),
  registrar_account: text(OUTGOING, '<id>', "the API key at Porkbun, or the account's number at DNSimple"),
  registrar_key: {
    ...text(OUTGOING, '<key>', 'the secret API key at Porkbun, or the token at DNSimple'),
    secret: true,
  },
  registrar_url: text(
    OUTGOING,
    '<url>',
    "server that stands for the registrar's API, in dev mode only",
    "the registrar's own",
  ),
  dns_provider: text(
    OUTGOING,
    '<name>',
    'where the zones of bought domains are: registrar, cloudflare, powerdns, rfc2136 or none',
    'registrar',
  ),
  dns_provider_url: text(
    OUTGOING,
    '<url>',
    'web server of PowerDNS, or host:port of the server that takes updates by RFC 2136',
  ),
  dns_provider_key: {
    ...text(OUTGOING, '<key>', 'API token or key, or the TSIG key as name:hmac-sha256:base64'),
    secret: true,
  },
  dns_name_servers: text(
    OUTGOING,
    '<names>',
    'name servers that bought domains are delegated to, separated by commas',
    "the provider's",
  ),
  caa_issuer: text(OUTGOING, '<name>', 'certification authority for the CAA records of domains', 'letsencrypt.org'),

  database: {
    ...text(STORAGE, '<url>', 'sqlite, or postgres://user:password@host:port/name', 'sqlite, in the data folder'),
    secret: true,
  },
  secret_key: {
    ...text(
      STORAGE,
      '<hex>',
      'key that encrypts stored secrets, 64 hexadecimal digits; older keys after it, separated by commas; the same on all nodes',
      'created once, kept as secret.key in the data folder',
    ),
    secret: true,
  },
  backup_to: text(
    STORAGE,
    '<folder>',
    'take backups by schedule, into this folder; with SQLite and blobs on disk',
    'none',
  ),
  backup_schedule: text(
    STORAGE,
    '<cron>',
    'when backups are taken, as maintenance_schedule is written',
    DEFAULT_BACKUP_SCHEDULE,
  ),
  backup_keep: text(STORAGE, '<number>', 'backups that stay in the folder', String(BACKUP_KEEP)),
  despite_damage: flag(STORAGE, 'start although the database is damaged; what lies on damaged pages fails'),
  s3_endpoint: text(STORAGE, '<url>', 'store large blobs in this S3 service', 'on disk, in the data folder'),
  s3_bucket: text(STORAGE, '<name>', 'its bucket'),
  s3_region: text(STORAGE, '<name>', 'its region', 'us-east-1'),
  s3_prefix: text(STORAGE, '<text>', 'prefix of the object names, such as mail/'),
  s3_access_key: text(STORAGE, '<id>', 'access key id'),
  s3_secret_key: { ...text(STORAGE, '<secret>', 'secret access key'), secret: true },

  max_message_bytes: octets('of one message, over SMTP', SMTP_MAX_MESSAGE_BYTES),
  mailbox_storage_bytes: octets('of mail in one mailbox; 0: no limit', 0),
  mailbox_retention_days: count(
    'days until the nightly maintenance may erase a deleted mailbox; 0: erased within the hour',
    MAILBOX_RETENTION_DAYS,
  ),
  max_recipients: count('recipients of one submitted message', MAX_RECIPIENTS),
  max_size_upload: octets('of one JMAP upload', MAX_SIZE_UPLOAD),
  max_concurrent_upload: count('JMAP uploads of one client at a time', MAX_CONCURRENT_UPLOAD),
  max_size_request: octets('of one JMAP request', MAX_SIZE_REQUEST),
  max_concurrent_requests: count('JMAP requests of one client at a time', MAX_CONCURRENT_REQUESTS),
  max_calls_in_request: count('method calls in one JMAP request', MAX_CALLS_IN_REQUEST),
  max_objects_in_get: count('objects that one JMAP /get answers', MAX_OBJECTS_IN_GET),
  max_objects_in_set: count('objects that one JMAP /set takes', MAX_OBJECTS_IN_SET),
  billing: text(
    LIMITS,
    '<kind>',
    'who bills organizations: none, stripe, or fake, which is for dev mode and takes test cards',
    'none',
  ),
  stripe_secret_key: { ...text(LIMITS, '<key>', "secret key of Stripe's API, sk_... or rk_..."), secret: true },
  stripe_webhook_secret: {
    ...text(LIMITS, '<secret>', 'signing secret of the webhook endpoint <base_url>/billing/stripe/webhook, whsec_...'),
    secret: true,
  },
  stripe_prices: text(LIMITS, '<prices>', 'prices of the plans: solo=price_...,pro=price_...,team=price_...'),
  stripe_url: text(LIMITS, '<url>', "server that stands for Stripe's API, in dev mode only", "Stripe's own"),
  plan: text(LIMITS, '<name>', 'plan of organizations without a plan of their own: free, solo, pro or team', 'team'),
  plan_limits: text(LIMITS, '<on|off>', 'off: no organization has the limits of a plan', 'on'),
  reputation: text(LIMITS, '<on|off>', 'throttle and suspend organizations with many bounces or complaints', 'on'),
  reputation_rates: text(
    LIMITS,
    '<rates>',
    'hard bounces and complaints in percent of recipients, for a warning, for throttling and for suspension',
    '4/0.1,8/0.3,12/0.5',
  ),
  reputation_days: count('days of mail that a reputation counts', 7),
  reputation_recipients: count('recipients below which a reputation is not evaluated', 100),
  reputation_throttled_sends: count('recipients per hour of a throttled organization', 50),
  reputation_calm_hours: count('hours below the rates of a warning until a reputation is healthy again', 24),
  reputation_suspended_hours: count('minimum hours of a suspension, unless an administrator ends it', 72),
  newsletter_pace: text(
    LIMITS,
    '<on|off>',
    'off: newsletters are sent at once, without hourly pace and warm-up of domains',
    'on',
  ),
  newsletter_warmup: text(LIMITS, '<on|off>', 'off: domains new to newsletters may send as many as others', 'on'),
  rate_read: count('REST reads a minute of one API key; 0: no limit', REST_RATE_READ),
  rate_write: count('REST writes a minute of one API key; 0: no limit', REST_RATE_WRITE),
  rate_send: count('messages a minute of one API key; 0: no limit', REST_RATE_SEND),
  rate_verification: count('verifications a minute of one domain; 0: no limit', REST_RATE_VERIFICATION),
  rate_sign_ups: count(
    'sign-ups an hour of one client address on public pages of audiences; 0: no limit',
    SIGN_UPS_PER_HOUR,
  ),
  rate_bookings: count(
    'bookings and moves an hour of one client address on public pages; 0: no limit',
    BOOKINGS_PER_HOUR,
  ),
  rate_failed_auth: count('failed logins a minute of one client address; 0: no limit', REST_RATE_FAILED_AUTH),
  smtp_max_connections: count('SMTP connections of one listener', SMTP_MAX_CONNECTIONS),
  smtp_connections_per_minute: count(
    'SMTP connections of one client a minute; 0: no limit',
    SMTP_CONNECTIONS_PER_MINUTE,
  ),
  smtp_messages_per_minute: count('messages of one SMTP client a minute; 0: no limit', SMTP_MESSAGES_PER_MINUTE),
  smtp_recipients_per_minute: count('recipients of one SMTP client a minute; 0: no limit', SMTP_RECIPIENTS_PER_MINUTE),
  smtp_errors_per_minute: count('refusals of one SMTP client a minute; 0: no limit', SMTP_ERRORS_PER_MINUTE),
  smtp_sender_messages_per_minute: count(
    'messages of one sender from outside a minute; 0: no limit',
    SMTP_SENDER_MESSAGES_PER_MINUTE,
  ),
  smtp_max_connections_per_network: count(
    'SMTP connections of one /24, or one IPv6 /48',
    SMTP_MAX_CONNECTIONS_PER_NETWORK,
  ),
  smtp_max_connections_per_address: count('SMTP connections of one client address', SMTP_MAX_CONNECTIONS_PER_ADDRESS),
} as const satisfies Record<string, SettingDeclaration>

export type SettingName = keyof typeof SETTINGS

export const SETTING_NAMES = Object.keys(SETTINGS) as SettingName[]

export function declarationOf(name: SettingName): SettingDeclaration {
  return SETTINGS[name]
}

export function optionOf(name: SettingName): string {
  return `--${name.replaceAll('_', '-')}`
}

export function variableOf(name: SettingName): string {
  return `POSTHOUSE_${name.toUpperCase()}`
}
