/** A domain through the whole program: added over REST, published in DNS, verified, and receiving mail. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { zoneFile } from '../../rest/shapes/zone-file.ts'
import { jmapCalls, restClient } from '../support/clients.ts'
import { serve } from '../support/command-line.ts'
import { delegation, itemsOf, publish } from '../support/domain-zone.ts'
import { temporaryFolder } from '../support/posthouse.ts'
import { startZoneServer } from '../support/zone-server.ts'

const NAME = 'journey-domain.org'
const HAS_NSD = spawnSync('nsd', ['-v']).status === 0

/** A process with an unverified domain, and the domain's expected records. */
async function start(t: Test, resolverPort: number, authorityPort: number) {
  const dns = [`--dns=127.0.0.1:${resolverPort}`, `--dns-authority-port=${authorityPort}`]
  const { ready } = await serve(t, temporaryFolder(t, 'data'), dns)
  const api = restClient(ready)
  const { id } = await api.post('/v1/domains', { body: { name: NAME } })
  const read = { accountId: ready.organization.id, ids: [id], properties: ['dnsRecords'] }
  const [domains] = await jmapCalls(ready, [['Domain/get', read]])
  return { api, id, items: itemsOf(domains.list[0].dnsRecords), path: { domain_id: id } }
}

t.test('a domain with the required records is verified, and can have mailboxes', async (t) => {
  const { port, records } = await startZoneServer(t, [NAME], delegation(NAME))
  const { api, id, items, path } = await start(t, port, port)
  const mailbox = () => api.post('/v1/mailboxes', { body: { domain_id: id, address: 'hello' } })
  await t.rejects(mailbox(), { status: 422, code: 'domain_not_verified' }, 'not before')
  publish(records, items)
  const verified = await api.post('/v1/domains/{domain_id}/verification', { path })
  t.match(verified, { status: 'verified', outbound_verified: true })
  const again = api.post('/v1/domains/{domain_id}/verification', { path })
  await t.rejects(again, { status: 429, code: 'rate_limit_exceeded' }, 'once a minute')
  t.match(await mailbox(), { object: 'mailbox', address: `hello@${NAME}` })
  t.equal(await api.delete('/v1/domains/{domain_id}', { path }), undefined)
})

const skip = !HAS_NSD && 'nsd is not installed'
t.test('the records are loaded by NSD from a zone file, and verified there', { skip }, async (t) => {
  const { port } = await startZoneServer(t, [], delegation(NAME))
  const authorityPort = await freePort()
  const { api, items, path } = await start(t, port, authorityPort)
  const made = items.flatMap((item) => (item.value === null ? [] : [{ ...item, value: item.value, ttl: 60 }]))
  await startNsd(t, authorityPort, NAME, zoneFile(made))
  const query = { include: 'recommended' } as const
  const { all_verified, records } = await api.get('/v1/domains/{domain_id}/dns-records', { path, query })
  t.equal(all_verified, true)
  t.ok(records.length > 6)
  for (const { key, status, found_values } of records) t.equal(status, 'verified', `${key}: ${found_values}`)
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
