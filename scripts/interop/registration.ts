/**
 * A domain from its order to the first signed message, with real name servers: it is bought at a fake of Porkbun on loopback, its records are
 * written to BIND (RFC 2136 with TSIG) and to PowerDNS (HTTP API), the server checks them there (`--dns`), a webhook receiver gets
 * `domain.verified`, and a message from the new domain verifies by the keys that the name server gives. In BIND's zone stand records of
 * others, which must be there afterwards. Exits 1 if one of these fails. From Debian: bind9, pdns-server, pdns-backend-sqlite3, sqlite3.
 *
 *     node scripts/interop/registration.ts
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { createFakePorkbun, PORKBUN_KEYS } from '../../spec/support/fake-porkbun.ts'
import { CONTACT } from '../../spec/support/registration-contact.ts'
import { loopbackCertificate } from '../../spec/support/tls-material.ts'
import { PROGRAM } from '../crash/support/process.ts'
import { type NameServer, startBind, startPowerdns } from './support/name-servers.ts'

const PATIENCE_MS = 60_000
const DOMAIN = 'acme-mail.com'
let isGood = true
function tell(what: string, isRight: boolean, more = ''): void {
  isGood &&= isRight
  console.log(`registration: ${isRight ? 'ok' : 'NOT OK'} ${what}${more === '' ? '' : `: ${more}`}`)
}

async function receiver(folder: string) {
  const { key, cert } = await loopbackCertificate()
  const authority = join(folder, 'authority.pem')
  writeFileSync(authority, cert)
  const types: string[] = []
  const server = createServer({ key, cert }, async (request, response) => {
    types.push(JSON.parse((await buffer(request)).toString()).event_type)
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`, authority, types, server }
}

async function run(nameServer: NameServer): Promise<void> {
  const { name, port, settings, resolver } = nameServer
  const data = mkdtempSync(join(tmpdir(), 'posthouse-registration-'))
  const porkbun = createFakePorkbun()
  porkbun.server.listen(0, '127.0.0.1')
  await once(porkbun.server, 'listening')
  const shop = `http://127.0.0.1:${(porkbun.server.address() as AddressInfo).port}`
  const hook = await receiver(data)
  const child = spawn(
    PROGRAM,
    [
      ...['serve', '--dev', '--json', `--data=${data}/data`, '--log-level=warn', '--hostname=mail.posthouse-host.com'],
      ...['--http-port=0', '--smtp-port=0', '--submission-port=0', '--submissions-port=0'],
      ...['--registrar=porkbun', `--registrar-url=${shop}`, `--registrar-account=${PORKBUN_KEYS.apiKey}`],
      ...[`--registrar-key=${PORKBUN_KEYS.secretKey}`, `--dns=127.0.0.1:${port}`, `--dns-authority-port=${port}`],
      ...settings,
    ],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: hook.authority }, stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = (await once(createInterface({ input: child.stdout! }), 'line')) as [string]
  const { http, api_key } = JSON.parse(line) as { readonly http: string; readonly api_key: string }
  const call = async (method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${api_key}`, 'Content-Type': 'application/json' }
    const response = await fetch(`${http}/api/v1${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: the answer of the server under test
    return { status: response.status, body: (await response.json().catch(() => null)) as any }
  }
  await call('POST', '/webhooks', { url: hook.url, events: ['domain.registered', 'domain.verified'] })
  const begun = performance.now()
  const made = await call('POST', '/domains/register', { name: DOMAIN, contact: CONTACT })
  tell(
    `${name}: the order is taken`,
    made.status === 201,
    `${made.status} ${made.body?.status ?? made.body?.error?.message}`,
  )
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end && !hook.types.includes('domain.verified'); )
    await pause(50)
  const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
  tell(
    `${name}: the webhook receiver has domain.registered and domain.verified`,
    hook.types.join() === 'domain.registered,domain.verified',
    `after ${seconds} s: ${hook.types.join(' ')}`,
  )
  tell(`${name}: it was bought once`, porkbun.bought.length === 1)
  const texts = (await resolver.resolveTxt(DOMAIN).catch(() => [])).map((parts) => parts.join(''))
  if (name === 'BIND') {
    const merged = 'v=spf1 include:_spf.others.example a:mail.posthouse-host.com ~all'
    tell(
      'BIND: records of others are there, and SPF is one record with both',
      texts.length === 2 && texts.includes('some-verification=of-others') && texts.includes(merged),
      texts.join(' | '),
    )
  }
  const domain = (await call('GET', `/domains/${made.body.id}`)).body
  const box = await call('POST', '/mailboxes', { domain_id: domain.id, address: 'ada' })
  tell(`${name}: a mailbox is made in the verified domain`, domain.status === 'verified' && box.status === 201)
  await call('POST', '/messages', { from: `ada@${DOMAIN}`, to: 'bob@example.net', subject: 'Signed', text: 'Hello' })
  const message = await captured(join(data, 'data', 'captured'))
  const verdict = await dkimVerify(message, {
    resolver: (host: string, type: string) => resolver.resolve(host, type as 'TXT'),
  })
  const results = verdict.results.map((one) => `${one.signingDomain} ${one.algo ?? ''} ${one.status.result}`)
  tell(
    `${name}: the message is signed by keys that the name server gives`,
    results.length === 2 && results.every((one: string) => one.startsWith(DOMAIN) && one.endsWith('pass')),
    results.join(', '),
  )
  const spoiled = await dkimVerify(Buffer.from(message.toString('latin1').replace('Hello', 'Hallo'), 'latin1'), {
    resolver: (host: string, type: string) => resolver.resolve(host, type as 'TXT'),
  })
  tell(
    `${name}: control: a changed message is not`,
    spoiled.results.every((one) => one.status.result !== 'pass'),
  )
  const deleted = await call('DELETE', `/domains/${domain.id}`)
  const isGone = () =>
    resolver.resolveMx(DOMAIN).then(
      () => false,
      () => true,
    )
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end && !(await isGone()); ) await pause(100)
  const left = (await resolver.resolveTxt(DOMAIN).catch(() => [])).map((parts) => parts.join(''))
  const expected = name === 'BIND' ? 'some-verification=of-others|v=spf1 include:_spf.others.example ~all' : ''
  tell(
    `${name}: a deleted domain leaves the zone as it was`,
    deleted.status === 204 && left.toSorted().join('|') === expected,
    left.join(' | '),
  )
  child.kill('SIGTERM')
  await once(child, 'exit')
  hook.server.close()
  porkbun.server.close()
  porkbun.server.closeAllConnections()
  rmSync(data, { recursive: true, force: true })
}

async function captured(folder: string): Promise<Buffer> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(100)) {
    const file = existsSync(folder) ? readdirSync(folder).find((one) => one.endsWith('.eml')) : undefined
    if (file) return readFileSync(join(folder, file))
  }
  throw new Error('no message was sent')
}

for (const start of [() => startBind(DOMAIN), startPowerdns]) {
  const nameServer = await start()
  try {
    await run(nameServer)
  } finally {
    await nameServer.stop()
  }
}
process.exitCode = isGood ? 0 : 1
