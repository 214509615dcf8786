/** Decision D7: the record set, and the judgement of each record. */
import t from 'tap'
import { MAIL_HOST, startDomainWorld } from '../../../support/domain-world.ts'

const { domain, records, clock } = await startDomainWorld(t)

t.test('the set has the six records of the contract, and the recommended ones', async (t) => {
  const { items, name } = await domain('records-set.org')
  const all = await items()
  const required = all.filter(({ isRecommended }) => !isRecommended)
  const dkim = all.find(({ key }) => key === 'dkim')!
  t.same(
    required.map(({ key, type, host, value, priority }) => [key, type, host, value, priority]),
    [
      ['mx', 'MX', name, MAIL_HOST, 10],
      ['spf', 'TXT', name, `v=spf1 a:${MAIL_HOST} ~all`, null],
      ['mail_from_mx', 'MX', `bounces.${name}`, MAIL_HOST, 10],
      ['mail_from_spf', 'TXT', `bounces.${name}`, `v=spf1 a:${MAIL_HOST} -all`, null],
      ['dkim', 'TXT', `ph1._domainkey.${name}`, dkim.value, null],
      ['dmarc', 'TXT', `_dmarc.${name}`, 'v=DMARC1; p=none', null],
    ],
  )
  t.match(dkim.value, /^v=DKIM1; k=rsa; p=[A-Za-z0-9+/]{300,}={0,2}$/)
  const recommended = new Map(all.filter(({ isRecommended }) => isRecommended).map((item) => [item.key, item]))
  t.same(
    [...recommended.values()].map(({ key, type, host }) => [key, type, host]),
    [
      ['dkim_ed25519', 'TXT', `ph1-ed25519._domainkey.${name}`],
      ['mta_sts', 'TXT', `_mta-sts.${name}`],
      ['mta_sts_host', 'CNAME', `mta-sts.${name}`],
      ['tls_rpt', 'TXT', `_smtp._tls.${name}`],
      ['jmap_srv', 'SRV', `_jmap._tcp.${name}`],
      ['submissions_srv', 'SRV', `_submissions._tcp.${name}`],
      ['autoconfig', 'CNAME', `autoconfig.${name}`],
      ['autodiscover', 'CNAME', `autodiscover.${name}`],
      ['caa', 'CAA', name],
    ],
  )
  // RFC 8463 4.2: only the 32 octets of the key.
  t.match(recommended.get('dkim_ed25519')!.value, /^v=DKIM1; k=ed25519; p=[A-Za-z0-9+/]{43}=$/)
  // RFC 8461 3.1
  t.match(recommended.get('mta_sts')!.value, /^v=STSv1; id=[A-Za-z0-9]{1,32}$/)
})

t.test('a record that is published as requested is verified, recommended or not', async (t) => {
  const { publish, verify, items, read } = await domain('records-all.org')
  await publish()
  await verify()
  const all = await items()
  t.ok(all.length > 10)
  for (const { key, status } of all) t.equal(status, 'verified', key)
  t.match(await read(), {
    mxVerified: true,
    spfVerified: true,
    dkimVerified: true,
    dmarcVerified: true,
    outboundVerified: true,
  })
})

t.test('missing recommended records do not keep a domain from being verified', async (t) => {
  const { publish, verify, items, read } = await domain('records-six.org')
  const recommended = (await items()).filter(({ isRecommended }) => isRecommended).map(({ key }) => key)
  await publish(recommended)
  await verify()
  t.equal((await read()).status, 'verified')
  t.equal((await items()).find(({ key }) => key === 'caa')!.status, 'not_found')
})

const OTHER = 'mx.elsewhere.net'
const OURS = `a:${MAIL_HOST}`
/** Key of the record, the content in DNS instead, and the resulting status. */
const CASES: readonly [key: string, found: readonly string[], status: string][] = [
  ['mx', [`10 ${MAIL_HOST}`, `20 ${OTHER}`], 'verified'],
  ['mx', [`30 ${MAIL_HOST}`], 'verified'],
  ['mx', [`10 ${MAIL_HOST}`, `10 ${OTHER}`], 'mismatch'],
  ['mx', [`10 ${MAIL_HOST}`, `5 ${OTHER}`], 'mismatch'],
  ['mx', [`10 ${OTHER}`], 'mismatch'],
  ['mx', [], 'not_found'],
  ['spf', [`v=spf1 include:_spf.elsewhere.net ${OURS} -all`, 'a verification token of somebody'], 'verified'],
  ['spf', [`V=SPF1 +${OURS.toUpperCase()} ?all`], 'verified'],
  ['spf', ['v=spf1 ~all', `v=spf1 ${OURS} ~all`], 'mismatch'],
  ['spf', [`v=spf1 -${OURS} ~all`], 'mismatch'],
  ['spf', [`v=spf1 -all ${OURS}`], 'mismatch'],
  ['spf', [`v=spf1 ${OURS}.elsewhere.net ~all`], 'mismatch'],
  ['spf', ['v=spf10 a'], 'not_found'],
  ['mail_from_mx', [`10 ${OTHER}`], 'mismatch'],
  ['mail_from_spf', ['v=spf1 -all'], 'mismatch'],
  ['dkim', ['v=DKIM1; k=rsa; p='], 'mismatch'],
  ['dkim', ['v=DKIM1; k=rsa; p=MIIB'], 'mismatch'],
  ['dmarc', ['v=DMARC1; p=none', 'v=DMARC1; p=reject'], 'mismatch'],
  ['dmarc', ['v=DMARC1; p=nothing'], 'mismatch'],
  ['dmarc', ['v=DMARC1'], 'mismatch'],
  ['dmarc', ['something else'], 'not_found'],
  ['dmarc', ['v=DMARC1;p=reject; rua=mailto:dmarc@elsewhere.net'], 'verified'],
  ['mta_sts', ['v=STSv1; id=20200101'], 'mismatch'],
  ['mta_sts_host', ['www.elsewhere.net'], 'mismatch'],
  ['tls_rpt', ['v=TLSRPTv1; rua=mailto:tls@elsewhere.net'], 'verified'],
  ['jmap_srv', [`0 1 8443 ${MAIL_HOST}`], 'mismatch'],
  ['caa', ['0 issue "ca.elsewhere.net"'], 'mismatch'],
  ['caa', ['0 issue "ca.elsewhere.net"', '0 issue "letsencrypt.org; accounturi=x"'], 'verified'],
]

t.test('each record is judged by its own rule', async (t) => {
  const subject = await domain('records-rules.org')
  for (const [key, found, status] of CASES) {
    await subject.publish()
    const { host, type } = (await subject.items()).find((item) => item.key === key)!
    records[`${host} ${type}`] = found
    clock.advance(60_000)
    await subject.verify({ isQuiet: true })
    const item = (await subject.items()).find((one) => one.key === key)!
    t.equal(item.status, status, `${key}: ${found.join(' | ')}`)
    if (status === 'mismatch') t.same(item.foundValues, found, 'and what was found is told')
  }
})

t.test('a DKIM record may have spaces in its key, and must allow mail and our hash', async (t) => {
  const subject = await domain('records-dkim.org')
  await subject.publish()
  const { host, value } = (await subject.items()).find(({ key }) => key === 'dkim')!
  const key = /p=(.*)$/.exec(value!)![1]!
  const statusOf = async (text: string) => {
    records[`${host} TXT`] = [text]
    clock.advance(60_000)
    await subject.verify({ isQuiet: true })
    return (await subject.items()).find((item) => item.key === 'dkim')!.status
  }
  t.equal(await statusOf(`p=${key.slice(0, 50)} ${key.slice(50)};`), 'verified')
  t.equal(await statusOf(`v=DKIM1; h=sha1:sha256; s=email; p=${key}`), 'verified')
  t.equal(await statusOf(`v=DKIM1; h=sha1; p=${key}`), 'mismatch')
  t.equal(await statusOf(`v=DKIM1; s=tlsrpt; p=${key}`), 'mismatch')
  t.equal(await statusOf(`v=DKIM1; k=ed25519; p=${key}`), 'mismatch')
  t.equal(await statusOf(`v=DKIM2; p=${key}`), 'mismatch')
})

t.test('a valid DMARC record that is not ours is managed externally, unless the owner sets otherwise', async (t) => {
  const subject = await domain('records-dmarc.org')
  await subject.publish()
  records[`_dmarc.${subject.name} TXT`] = ['v=DMARC1; p=reject']
  await subject.verify()
  t.match(await subject.read(), { dmarcVerified: true, dmarcManagedExternally: true, status: 'verified' })
  await subject.set({ dmarcManagedExternally: false })
  clock.advance(60_000)
  await subject.verify()
  t.match(await subject.read(), { dmarcVerified: false, dmarcManagedExternally: false })
})

t.test('a subdomain without a DMARC record has that of the domain above it (RFC 7489 6.6.3)', async (t) => {
  const subject = await domain('mail.records-parent.org')
  Object.assign(records, { 'records-parent.org NS': ['ns.name-server.net'] })
  await subject.publish(['dmarc'])
  await subject.verify()
  t.equal((await subject.read()).dmarcVerified, false, 'control: there is none')
  const parent = await domain('records-parent.org')
  records[`_dmarc.${parent.name} TXT`] = ['v=DMARC1; p=quarantine']
  clock.advance(60_000)
  await subject.verify()
  t.match(await subject.read(), { dmarcVerified: true, dmarcManagedExternally: true, status: 'verified' })
})

t.test('the domain of our mail host has its TLSA record, if the domain is signed (RFC 7672 2.2)', async (t) => {
  const tlsa = `3 1 1 ${'ab'.repeat(32)}`
  const world = await startDomainWorld(t, 'sqlite', { mailHost: 'mx.records-signed.org', tlsa })
  const subject = await world.domain('records-signed.org')
  const other = await world.domain('records-unhosted.org')
  const tlsaItem = async (of: typeof subject) => (await of.items()).find(({ key }) => key === 'tlsa')
  await subject.verify()
  t.equal(await tlsaItem(subject), undefined, 'without DNSSEC nobody reads it')
  for (const { name } of [subject, other]) world.records[`${name} DS`] = ['3039080200']
  world.clock.advance(60_000)
  await subject.verify()
  await other.verify()
  t.match(await tlsaItem(subject), { host: '_25._tcp.mx.records-signed.org', value: tlsa, status: 'not_found' })
  t.equal(await tlsaItem(other), undefined, 'it is in the zone of the host')
  await subject.publish()
  world.clock.advance(60_000)
  await subject.verify()
  t.match(await tlsaItem(subject), { status: 'verified' })
})

t.test('the DNS provider is recognised by its name servers', async (t) => {
  const subject = await domain('records-provider.org')
  await subject.verify()
  t.equal((await subject.read()).dnsProvider, 'manual')
  const providers = {
    cloudflare: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
    route53: ['ns-1.awsdns-01.com', 'ns-2.awsdns-02.co.uk'],
    porkbun: ['curitiba.ns.porkbun.com'],
    dnsimple: ['ns1.dnsimple.com', 'ns2.dnsimple-edge.net'],
    manual: ['ada.ns.cloudflare.com', 'curitiba.ns.porkbun.com'],
  }
  for (const [label, servers] of Object.entries(providers)) {
    records[`${subject.name} NS`] = servers
    for (const server of servers) records[`${server} A`] = ['127.0.0.1']
    clock.advance(60_000)
    await subject.verify({ isQuiet: true })
    t.equal((await subject.read()).dnsProvider, label)
  }
})
