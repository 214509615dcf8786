import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t, { type Test } from 'tap'
import { type Config, readConfig } from '../../../server/config/config.ts'
import { type Environment, gatherSettings, type OptionValues } from '../../../server/config/env.ts'
import { readSecrets } from '../../../server/config/secrets.ts'

function configOf(options: OptionValues = {}, environment: Environment = {}): Config {
  return readConfig(gatherSettings(options, environment))
}

function refused(t: Test, options: OptionValues, words: RegExp, environment: Environment = {}): void {
  t.throws(() => configOf(options, environment), { code: 'configuration', message: words })
}

function file(t: Test, name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-test-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

t.test('dev mode listens on loopback, on unprivileged ports, and sends nothing', async (t) => {
  const config = configOf({ dev: true })
  t.match(config, { dev: true, bind: '127.0.0.1', http: { port: 8080 }, smtp: { port: 2525 } })
  t.same(config.submission, { port: 2587, tlsPort: 2465 })
  t.same(config.outbound, { kind: 'capture' })
  t.equal(config.data, resolve('data'))
})

t.test('without dev mode the server listens on all addresses, on the standard ports, and sends', async (t) => {
  const config = configOf()
  t.match(config, { dev: false, bind: /^(::|0\.0\.0\.0)$/, http: { port: 8080 }, smtp: { port: 25 } })
  t.same(config.submission, { port: 587, tlsPort: 465 })
  t.same(config.outbound, { kind: 'mx' })
  t.equal(config.mxPort, 25)
})

t.test('the command line takes precedence over the environment, the environment over the file', async (t) => {
  const path = file(t, 'posthouse.json', '{"http_port": 1111, "smtp_port": 1112, "mx_port": 1113}')
  const environment = { POSTHOUSE_CONFIG: path, POSTHOUSE_HTTP_PORT: '2222', POSTHOUSE_SMTP_PORT: '2223' }
  const config = configOf({ http_port: '3333' }, environment)
  t.equal(config.http.port, 3333)
  t.equal(config.smtp.port, 2223)
  t.equal(config.mxPort, 1113)
})

t.test('a config file accepts numbers, booleans and lists', async (t) => {
  const path = file(
    t,
    'posthouse.json',
    '{"dev": true, "http_port": 0, "trusted_proxies": ["10.0.0.0/8", "::1"], "dns": null}',
  )
  const config = configOf({ config: path })
  t.match(config, { dev: true, http: { port: 0, trustedProxies: ['10.0.0.0/8', '::1'] }, dns: null })
})

t.test('limits are overridden one by one', async (t) => {
  const config = configOf({ rate_send: '0', max_message_bytes: '1000', mailbox_storage_bytes: '5000' })
  const { plan, hasPlanLimits, reputation, hasNewsletterPace, hasNewsletterWarmUp, ...others } = config.limits
  t.same(others, { mailboxStorageBytes: 5000 })
  t.match(
    [plan, reputation],
    [
      { name: 'Team', sends: 100_000 },
      { isOn: true, minRecipients: 100 },
    ],
  )
  t.same(config.smtpLimits, { maxMessageBytes: 1000 })
  t.match(config.rates, { send: 0, read: 6000 })
})

t.test('sending limits follow from the plan and the rates of a reputation', async (t) => {
  const { plan, reputation } = configOf({
    plan: 'solo',
    reputation: 'off',
    reputation_rates: '1/0.5, 2/0.5, 50/100',
    reputation_days: '2',
  }).limits
  t.match(plan, { name: 'Solo', sends: 1_000 })
  const rates = { warning: { bounces: 0.01, complaints: 0.005 }, suspended: { bounces: 0.5, complaints: 1 } }
  t.match(reputation, { isOn: false, windowMs: 2 * 86_400_000, ...rates })
  t.match(configOf({ plan_limits: 'off' }).limits, { hasPlanLimits: false })
  t.match(configOf().limits, { hasPlanLimits: true, plan: { name: 'Team' } })
  t.match(configOf({ billing: 'fake', dev: true }).limits, { plan: { name: 'Free' } })
  t.throws(() => configOf({ billing: 'fake', plan: 'solo', dev: true }), /plan/)
  const stripe = {
    billing: 'stripe',
    stripe_secret_key: 'sk_test_1',
    stripe_webhook_secret: 'whsec_1',
    stripe_prices: 'solo=price_1, pro=price_2, team=price_3',
  }
  t.match(configOf(stripe), {
    billing: { kind: 'stripe', prices: { solo: 'price_1', pro: 'price_2', team: 'price_3' }, stripeUrl: null },
    limits: { plan: { name: 'Free' } },
  })
  t.notMatch(JSON.stringify(configOf(stripe)), /sk_test_1|whsec_1/, 'secrets stand apart')
  for (const name of ['stripe_secret_key', 'stripe_webhook_secret', 'stripe_prices'])
    t.throws(() => configOf({ ...stripe, [name]: undefined as never }), new RegExp(`stripe needs ${name}`))
  for (const stripe_prices of [
    'solo=price_1',
    'solo=price_1,pro=price_1,team=price_3',
    'solo=x,pro=price_2,team=price_3',
  ])
    t.throws(() => configOf({ ...stripe, stripe_prices }), /stripe-prices/)
  t.throws(() => configOf({ ...stripe, stripe_url: 'http://127.0.0.1:1' }), /dev mode/, 'the key is sent there')
  t.throws(() => configOf({ billing: 'fake' }), /dev mode/)
  for (const reputation_rates of ['4/0.1', '4/0.1,3/0.3,12/0.5', '4/0.1,8/0.3,12/x', '0/0,8/0.3,12/0.5'])
    t.throws(() => configOf({ reputation_rates }), /reputation-rates/, reputation_rates)
})

t.test('the lifetime of DKIM keys is set by the operator, or unlimited', async (t) => {
  t.equal(configOf({ dkim_rotation_days: '30' }).limits.dkimLifetimeMs, 30 * 86_400_000)
  t.equal(configOf({ dkim_rotation_days: '0' }).limits.dkimLifetimeMs, 0)
  t.notOk('dkimLifetimeMs' in configOf().limits, 'else the usual')
})

t.test('the config holds no secrets', async (t) => {
  const path = file(t, 'secret', 'postgres://u:from-file@localhost/x\n')
  const raw = gatherSettings({ outbound: 'smtp://user:relaypass@relay.example:587' }, { POSTHOUSE_DATABASE_FILE: path })
  const text = JSON.stringify(readConfig(raw))
  t.notMatch(text, 'relaypass')
  t.notMatch(text, 'from-file')
  t.match(text, '"host":"relay.example:587"')
  t.match(readSecrets(raw), { databaseUrl: 'postgres://u:from-file@localhost/x', relayUrl: /relaypass/ })
})

t.test('a refused setting is named as its owner wrote it', async (t) => {
  refused(t, { http_port: '70000' }, /^--http-port: must be a port number.*"70000"/)
  refused(t, {}, /^POSTHOUSE_HTTP_PORT: must be a port number/, { POSTHOUSE_HTTP_PORT: 'http' })
  const path = file(t, 'posthouse.json', '{"http_port": 70000}')
  refused(t, { config: path }, /^http_port in .*posthouse\.json: must be a port number/)
})

t.test('the credentials of Zoom are sent elsewhere in dev mode only', async (t) => {
  refused(t, { zoom_url: 'https://zoom.example.test' }, /^--zoom-url: it is for dev mode$/)
  t.equal(configOf({ zoom_url: 'http://127.0.0.1:9', dev: true }).zoomUrl, 'http://127.0.0.1:9', 'control')
  t.equal(configOf({ dev: true }).zoomUrl, null, "Zoom's own hosts")
})

t.test('a variable whose name is spelt wrong is refused, as an unknown member of the file is', async (t) => {
  refused(t, {}, /^POSTHOUSE_HTTP_PROT: there is no setting "http_prot"$/, { POSTHOUSE_HTTP_PROT: '8080' })
  refused(t, {}, /"http_prot"\n.*"smtp"/, { POSTHOUSE_HTTP_PROT: '', POSTHOUSE_SMTP: '25' })
  refused(t, {}, /"http_port_file"/, { POSTHOUSE_HTTP_PORT_FILE: '/x' })
  t.doesNotThrow(() => configOf({}, { POSTHOUSE_HTTP_PORT: '8081', OTHER_POSTHOUSE_X: '1', PATH: '/bin' }))
  const kubernetes = {
    POSTHOUSE_SERVICE_HOST: '10.0.0.1',
    POSTHOUSE_SERVICE_PORT_HTTP: '80',
    POSTHOUSE_PORT: 'tcp://10.0.0.1:80',
    POSTHOUSE_PORT_80_TCP_ADDR: '10.0.0.1',
  }
  t.doesNotThrow(() => configOf({}, kubernetes), 'those of a service named posthouse are none of ours')
})

t.test('all faults are reported at once', async (t) => {
  refused(t, { http_port: 'x', log_level: 'loud' }, /--log-level: .*\n.*--http-port: |--http-port: .*\n.*--log-level: /)
})

t.test('contradictions are refused', async (t) => {
  refused(t, { http_port: '2525', smtp_port: '2525' }, /--smtp-port: port 2525 is also that of http_port/)
  refused(t, { tls_cert: 'a.pem' }, /--tls-cert: .*tls_key/)
  refused(t, { tls_key: 'a.pem' }, /--tls-key: .*tls_cert/)
  refused(t, { s3_bucket: 'mail' }, /--s3-bucket: S3 needs s3_endpoint too/)
  refused(t, { database: 'postgres://localhost/x', writer_thread: 'on' }, /--writer-thread: .*SQLite/)
  refused(t, { outbound: 'smtp://user@relay.example' }, /--outbound: .*user and a password/)
  t.doesNotThrow(() => configOf({ http_port: '0', smtp_port: '0' }), 'any free port is no contradiction')
})

t.test('malformed values are refused', async (t) => {
  refused(t, { dns: 'resolver.example:53' }, /--dns: must be an IP address with a port/)
  refused(t, { outbound: 'relay.example:25' }, /--outbound: must be capture, mx, or a relay/)
  refused(t, { base_url: 'https://mail.example.com/jmap' }, /--base-url: .*without a path/)
  refused(t, { trusted_proxies: '10.0.0.0/' }, /--trusted-proxies/)
  refused(t, { bind: 'localhost' }, /--bind: must be an IP address/)
  refused(t, { hostname: 'not a name' }, /--hostname/)
  refused(t, { rate_read: '-1' }, /--rate-read: must be a whole number/)
  refused(t, {}, /POSTHOUSE_DEV: must be true or false/, { POSTHOUSE_DEV: 'yes' })
})

t.test('a refusal does not repeat a value that may hold a password', async (t) => {
  for (const options of [
    { database: 'mysql://root:hunter2@localhost' },
    { outbound: 'http://root:hunter2@localhost' },
  ]) {
    try {
      configOf(options)
      t.fail('must be refused')
    } catch (error) {
      t.notMatch((error as Error).message, 'hunter2')
    }
  }
})

t.test('an invalid config file is refused with a message', async (t) => {
  refused(t, { config: '/nowhere/posthouse.json' }, /--config: \/nowhere\/posthouse\.json cannot be read/)
  refused(t, { config: file(t, 'a.json', '{') }, /a\.json is not valid JSON/)
  refused(t, { config: file(t, 'b.json', '[]') }, /b\.json must hold one JSON object/)
  refused(t, { config: file(t, 'c.json', '{"htp_port": 1}') }, /c\.json: there is no setting "htp_port"/)
  refused(t, { config: file(t, 'd.json', '{"http_port": {}}') }, /d\.json: http_port must be/)
})

t.test('a secret given twice is refused', async (t) => {
  refused(t, {}, /POSTHOUSE_DATABASE and POSTHOUSE_DATABASE_FILE/, {
    POSTHOUSE_DATABASE: 'sqlite',
    POSTHOUSE_DATABASE_FILE: '/x',
  })
})

t.test('senders are checked, but not in dev mode', async (t) => {
  t.ok(configOf().incoming.senderChecks)
  t.equal(configOf({ dev: true }).incoming.senderChecks, null)
  t.equal(configOf({ sender_checks: 'off' }).incoming.senderChecks, null)
  const { senderChecks, clientRates, balancers } = configOf({
    dev: true,
    sender_checks: 'on',
    dmarc_overrides: 'Example.com=none, list.example.org=quarantine',
    arc_sealers: 'lists.example.net',
    dns_lists: 'zen.example.net,bad.example.net=refuse',
    smtp_messages_per_minute: '7',
    proxy_protocol: '10.0.0.0/8, ::1',
  }).incoming
  t.same(
    [...senderChecks!.dmarc.overrides],
    [
      ['example.com', 'none'],
      ['list.example.org', 'quarantine'],
    ],
  )
  t.same([...senderChecks!.dmarc.trustedSealers], ['lists.example.net'])
  t.same(senderChecks!.dnsLists, [
    { zone: 'zen.example.net', refuses: false },
    { zone: 'bad.example.net', refuses: true },
  ])
  t.equal(clientRates.messages, 7)
  t.ok(clientRates.connections > 0)
  t.same(balancers, ['10.0.0.0/8', '::1'])
  refused(t, { dmarc_overrides: 'example.com' }, /--dmarc-overrides: example\.com needs an action/)
  refused(t, { dmarc_overrides: 'example.com=maybe' }, /=none or =quarantine or =reject/)
  refused(t, { dns_lists: 'not a zone' }, /--dns-lists: must be domain names/)
  refused(t, { proxy_protocol: 'everybody' }, /--proxy-protocol/)
})

t.test('the hosts in domain records follow from the settings', async (t) => {
  const plain = configOf({ hostname: 'mail.example.net' })
  t.match(plain.hosting, { mailHost: 'mail.example.net', webHost: 'mail.example.net', webPort: 443, hasPolicy: false })
  t.match(plain.hosting, { spfMechanism: 'a:mail.example.net', submissionsPort: 465, caaIssuer: 'letsencrypt.org' })
  t.equal(plain.dnsAuthorityPort, 53)
  const set = configOf({
    hostname: 'mail.example.net',
    base_url: 'https://web.example.net:8443',
    spf_mechanism: 'include:_spf.example.net',
    caa_issuer: 'ca.example.net',
    tls_cert: 'cert.pem',
    tls_key: 'key.pem',
  })
  t.match(set.hosting, { webHost: 'web.example.net', webPort: 8443, hasPolicy: true, caaIssuer: 'ca.example.net' })
  t.equal(set.hosting.spfMechanism, 'include:_spf.example.net')
  for (const wrong of ['-all', 'include:a include:b', '"', 'v=spf1 a', 'all'])
    refused(t, { spf_mechanism: wrong }, /--spf-mechanism: must be one SPF mechanism/)
})

t.test(
  'links begin with the base URL, else with the host name, and in dev mode with the address of the listener',
  async (t) => {
    const baseOf = (options: OptionValues) => configOf(options).hosting.baseUrl
    t.equal(baseOf({ hostname: 'mail.example.net' }), 'http://mail.example.net:8080')
    t.equal(baseOf({ dev: true }), 'http://127.0.0.1:8080')
    t.equal(baseOf({ dev: true, http_port: '8181', bind: '::' }), 'http://127.0.0.1:8181')
    t.equal(baseOf({ dev: true, bind: '::1' }), 'http://[::1]:8080')
    t.equal(baseOf({ dev: true, base_url: 'https://web.example.net' }), 'https://web.example.net')
  },
)

t.test('Rspamd is used if its address is configured', async (t) => {
  t.equal(configOf().incoming.rspamd, null)
  t.equal(configOf({ rspamd: 'http://127.0.0.1:11333' }).incoming.rspamd, 'http://127.0.0.1:11333')
  refused(t, { rspamd: '127.0.0.1:11333' }, /--rspamd: must be an http:/)
})

t.test('the nightly maintenance has a schedule of five cron fields', async (t) => {
  t.equal(configOf().maintenanceSchedule.text, '17 3 * * *')
  t.equal(configOf({ maintenance_schedule: '30 1 * * sun' }).maintenanceSchedule.text, '30 1 * * sun')
  refused(
    t,
    { maintenance_schedule: '3:17' },
    /^--maintenance-schedule: must be a schedule as cron writes it .*, not "3:17"$/,
  )
  refused(t, {}, /^POSTHOUSE_MAINTENANCE_SCHEDULE: /, { POSTHOUSE_MAINTENANCE_SCHEDULE: '0 0 31 2 *' })
})
