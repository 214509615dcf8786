/** Decision D7 over REST: the record set, its check, changes of a domain, and its deletion. */
import t, { type Test } from 'tap'
import { plainHosting } from '../../jmap/policy/domain/hosting.ts'
import { createDomainDns } from '../../mta/dns/authority.ts'
import { systemClock } from '../../server/base/clock.ts'
import { delegation } from '../support/domain-zone.ts'
import { faults, startApi } from '../support/rest-api.ts'
import { startZoneServer } from '../support/zone-server.ts'

const HOST = 'mx.posthouse-host.net'
const NAME = 'rest-records.org'

async function start(t: Test) {
  const { port, records } = await startZoneServer(t, [NAME], delegation(NAME))
  const domainDns = createDomainDns({
    resolver: { host: '127.0.0.1', port },
    port,
    mayAsk: () => true,
    clock: systemClock,
  })
  const api = await startApi(t, { domainDns, hosting: { ...plainHosting(HOST), hasPolicy: true } })
  const { body } = await api.ask('POST', '/v1/domains', { body: { name: NAME } })
  return { ...api, records, id: body.id as string, path: `/v1/domains/${body.id}` }
}

t.test('the record set has the six records of the contract, with the values found', async (t) => {
  const { ask, path, id, records } = await start(t)
  records[`${NAME} MX`] = [`10 ${HOST}`]
  records[`${NAME} TXT`] = ['v=spf1 -all']
  const { status, body } = await ask('GET', `${path}/dns-records`)
  t.equal(status, 200)
  t.match(body, {
    object: 'dns_record_set',
    domain_id: id,
    domain_name: NAME,
    all_verified: false,
    checked_at: '2026-01-01T00:00:00.000Z',
  })
  t.same(
    body.records.map(({ key, status }: { key: string; status: string }) => [key, status]),
    [
      ['mx', 'verified'],
      ['spf', 'mismatch'],
      ['mail_from_mx', 'not_found'],
      ['mail_from_spf', 'not_found'],
      ['dkim', 'not_found'],
      ['dmarc', 'not_found'],
    ],
  )
  t.same(body.records[0], {
    key: 'mx',
    type: 'MX',
    host: NAME,
    value: HOST,
    priority: 10,
    ttl: 3600,
    status: 'verified',
    found_values: [`10 ${HOST}`],
  })
  t.same(body.records[1].found_values, ['v=spf1 -all'])
  for (const { type, priority } of body.records) t.equal(priority !== undefined, type === 'MX')
})

t.test('recommended records are included on request and are not needed for verification', async (t) => {
  const { ask, path } = await start(t)
  const { body } = await ask('GET', `${path}/dns-records?include=recommended`)
  t.ok(body.records.length > 6)
  t.same(
    new Set(body.records.slice(6).map(({ recommended }: { recommended: boolean }) => recommended)),
    new Set([true]),
  )
  const srv = body.records.find(({ key }: { key: string }) => key === 'jmap_srv')
  t.match(srv, { type: 'SRV', host: `_jmap._tcp.${NAME}`, value: `0 1 443 ${HOST}` })
  t.same(faults(await ask('GET', `${path}/dns-records?include=everything`))[0]![0], 'include')
})

t.test('the records are available as a zone file', async (t) => {
  const { ask, path } = await start(t)
  const answer = await ask('GET', `${path}/dns-records?format=zone`)
  t.equal(answer.status, 200)
  t.match(answer.headers.get('content-type'), /^text\/plain/)
  const lines = answer.text.trim().split('\n')
  t.equal(lines.length, 6)
  t.equal(lines[0], `${NAME}. 3600 IN MX 10 ${HOST}.`)
  t.equal(lines[1], `${NAME}. 3600 IN TXT "v=spf1 a:${HOST} ~all"`)
  t.match(
    lines[4],
    /^ph1\._domainkey\.rest-records\.org\. 3600 IN TXT "v=DKIM1; k=rsa; p=[^"]{200,}" "[^"]+"$/,
    'in two strings',
  )
})

t.test('a verification answers with the domain after the check', async (t) => {
  const { ask, path, key } = await start(t)
  const reader = await key(['domains:read'])
  t.match(await ask('POST', `${path}/verification`, { key: reader }), {
    status: 200,
    body: { object: 'domain', status: 'pending', mx_verified: false, verified_at: null },
  })
})

t.test('records in DNS are verified, also a moment after they were read', async (t) => {
  const { ask, path, records } = await start(t)
  const { body: set } = await ask('GET', `${path}/dns-records`)
  for (const { host, type, value, priority } of set.records)
    records[`${host} ${type}`] = [priority === undefined ? value : `${priority} ${value}`]
  t.match(await ask('POST', `${path}/verification`), {
    status: 200,
    body: {
      status: 'verified',
      mx_verified: true,
      spf_verified: true,
      dkim_verified: true,
      dmarc_verified: true,
      outbound_verified: true,
      verified_at: '2026-01-01T00:00:00.000Z',
    },
  })
  t.match((await ask('GET', `${path}/dns-records`)).body, { all_verified: true })
})

t.test('an unknown domain has no records and cannot be verified', async (t) => {
  const { ask, stranger } = await start(t)
  const { domainId } = await stranger()
  for (const id of ['x', domainId]) {
    t.equal((await ask('GET', `/v1/domains/${id}/dns-records`)).status, 404)
    t.equal((await ask('POST', `/v1/domains/${id}/verification`)).status, 404)
    t.equal((await ask('PATCH', `/v1/domains/${id}`, { body: { catch_all_mailbox_id: null } })).status, 404)
    t.equal((await ask('DELETE', `/v1/domains/${id}`)).status, 404)
  }
})

t.test('a catch-all mailbox gets mail for unknown addresses until it is removed', async (t) => {
  const { ask, domainId, mailbox, core, path } = await start(t)
  const taker = await mailbox('taker')
  const set = (id: string | null, where = `/v1/domains/${domainId}`) =>
    ask('PATCH', where, { body: { catch_all_mailbox_id: id } })
  t.match(await set(taker.accountId), { status: 200, body: { catch_all_mailbox_id: taker.accountId } })
  t.same(await core.recipients(['anyone@example.test']), [{ status: 'accepted', account: taker.account }])
  t.equal((await set(null)).status, 200)
  t.same(await core.recipients(['anyone@example.test']), [{ status: 'unknownUser' }])
  t.same(faults(await set(taker.accountId, path)), [['catch_all_mailbox_id', 'invalid_format']], 'of another domain')
  t.same(faults(await set('x')), [['catch_all_mailbox_id', 'invalid_format']])
})

t.test('a change that changes nothing is refused', async (t) => {
  const { ask, path } = await start(t)
  t.same(faults(await ask('PATCH', path, { body: {} })), [[null, 'required']])
  t.same(faults(await ask('PATCH', path, { body: { dmarc_managed_externally: 'yes' } })), [
    ['dmarc_managed_externally', 'invalid_type'],
  ])
  t.match(await ask('PATCH', path, { body: { dmarc_managed_externally: true } }), {
    status: 200,
    body: { dmarc_managed_externally: true },
  })
})

t.test('deleting a domain deletes its mailboxes and no others', async (t) => {
  const { ask, domainId, mailbox, core, path } = await start(t)
  const box = await mailbox('going')
  t.equal((await ask('DELETE', path)).status, 204)
  t.equal((await ask('GET', `/v1/mailboxes/${box.accountId}`)).status, 200, 'control')
  t.equal((await ask('DELETE', `/v1/domains/${domainId}`)).status, 204)
  t.equal((await ask('GET', `/v1/domains/${domainId}`)).status, 404)
  t.equal((await ask('GET', `/v1/mailboxes/${box.accountId}`)).status, 404)
  t.same(await core.recipients([box.address]), [{ status: 'notLocal' }])
  const login = { kind: 'password', address: box.address, password: 'Secret123', ip: '192.0.2.1' } as const
  t.equal(await core.authenticate(login), null)
})

t.test('a key limited to some mailboxes cannot delete a domain with other mailboxes', async (t) => {
  const { ask, domainId, mailbox, key } = await start(t)
  const [own, other] = [await mailbox('own'), await mailbox('other')]
  const limited = await key(['domains:write', 'mailboxes:write'], { mailboxIds: [own.accountId] })
  t.equal((await ask('DELETE', `/v1/domains/${domainId}`, { key: limited })).status, 403)
  t.equal((await ask('GET', `/v1/mailboxes/${other.accountId}`)).status, 200)
})

t.test('a public suffix is refused as a domain', async (t) => {
  const { ask } = await start(t)
  for (const name of ['com', 'co.uk', 'com.au']) {
    t.same(
      faults(await ask('POST', '/v1/domains', { body: { name } })).map(([field]) => field),
      ['name'],
      name,
    )
  }
  t.equal((await ask('POST', '/v1/domains', { body: { name: 'rest-records.co.uk' } })).status, 201)
})
