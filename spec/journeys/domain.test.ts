/** A domain's way through the whole program: added over REST, written into DNS, verified, and mail for it taken. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { zoneFile } from '../../rest/shapes/zone-file.ts'
import { delegation, itemsOf, publish } from '../support/domain-zone.ts'
import { startPosthouse, temporaryFolder } from '../support/posthouse.ts'
import { startZoneServer } from '../support/zone-server.ts'

const NAME = 'journey-domain.org'
const HAS_NSD = spawnSync('nsd', ['-v']).status === 0

/** A process with a domain that is not verified yet, and the records that it should have. */
async function start(t: Test, resolverPort: number, authorityPort: number) {
  const dns = [`--dns=127.0.0.1:${resolverPort}`, `--dns-authority-port=${authorityPort}`]
  const { ready } = await startPosthouse(t, temporaryFolder(t, 'data'), dns)
  const headers = { Authorization: `Bearer ${ready.api_key}`, 'Content-Type': 'application/json' }
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${ready.http}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : JSON.parse(text) }
  }
  const made = await ask('POST', '/api/v1/domains', { name: NAME })
  const id = made.body.id as string
  const read = { accountId: ready.organization.id, ids: [id], properties: ['dnsRecords'] }
  const using = ['urn:ietf:params:jmap:core', 'urn:posthouse:params:jmap:service']
  const answer = await ask('POST', '/jmap/api', { using, methodCalls: [['Domain/get', read, '0']] })
  const items = itemsOf(answer.body.methodResponses[0][1].list[0].dnsRecords)
  return { ask, id, items, path: `/api/v1/domains/${id}` }
}

t.test('a domain whose records are written as asked for is verified, and takes mailboxes', async (t) => {
  const { port, records } = await startZoneServer(t, [NAME], delegation(NAME))
  const { ask, id, items, path } = await start(t, port, port)
  const mailbox = () => ask('POST', '/api/v1/mailboxes', { domain_id: id, address: 'hello' })
  t.equal((await mailbox()).status, 422, 'not before')
  publish(records, items)
  const verified = await ask('POST', `${path}/verification`)
  t.match(verified.body, { status: 'verified', outbound_verified: true })
  t.equal((await ask('POST', `${path}/verification`)).status, 429, 'once a minute')
  t.equal((await mailbox()).status, 201)
  t.equal((await ask('DELETE', path)).status, 204)
})

const skip = !HAS_NSD && 'nsd is not installed'
t.test('the records are loaded by NSD from a zone file, and verified there', { skip }, async (t) => {
  const { port } = await startZoneServer(t, [], delegation(NAME))
  const authorityPort = await freePort()
  const { ask, items, path } = await start(t, port, authorityPort)
  const made = items.flatMap((item) => (item.value === null ? [] : [{ ...item, value: item.value, ttl: 60 }]))
  await startNsd(t, authorityPort, NAME, zoneFile(made))
  const { body } = await ask('GET', `${path}/dns-records?include=recommended`)
  t.equal(body.all_verified, true)
  t.ok(body.records.length > 6)
  for (const { key, status, found_values } of body.records) t.equal(status, 'verified', `${key}: ${found_values}`)
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

async function startNsd(t: Test, port: number, name: string, records: string): Promise<void> {
  const folder = temporaryFolder(t)
  const head = `${name}. 60 IN SOA ns.name-server.net. postmaster.${name}. 1 60 60 60 60\n${name}. 60 IN NS ns.name-server.net.\n`
  writeFileSync(join(folder, 'zone'), head + records)
  const settings = `server:
  ip-address: 127.0.0.1
  port: ${port}
  username: ""
  zonesdir: "${folder}"
  database: ""
  pidfile: ""
  xfrdfile: "${join(folder, 'xfrd')}"
  xfrdir: "${folder}"
  zonelistfile: "${join(folder, 'zonelist')}"
  cookie-secret-file: ""
remote-control:
  control-enable: no
zone:
  name: "${name}"
  zonefile: "zone"
`
  writeFileSync(join(folder, 'nsd.conf'), settings)
  const child = spawn('nsd', ['-d', '-c', join(folder, 'nsd.conf')], { stdio: ['ignore', 'ignore', 'pipe'] })
  const said: string[] = []
  child.stderr.on('data', (chunk) => said.push(String(chunk)))
  t.teardown(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'close')
  })
  const closed = once(child, 'close')
  while (!said.join('').includes('nsd started')) {
    await Promise.race([once(child.stderr, 'data'), closed])
    if (child.exitCode !== null) throw new Error(`nsd did not start: ${said.join('')}`)
  }
}
