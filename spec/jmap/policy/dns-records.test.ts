import t from 'tap'
import {
  isEmptyPlan,
  mergeSpf,
  planRecords,
  type RecordPlan,
  type WrittenRecord,
} from '../../../jmap/policy/dns/plan-records.ts'
import { makeDkimKey, publicOf } from '../../../jmap/policy/domain/dkim-keys.ts'
import { plainHosting } from '../../../jmap/policy/domain/hosting.ts'
import { expectedRecords } from '../../../jmap/policy/domain/records.ts'
import type { HeldRecord, ZoneRecord } from '../../../jmap/type/dns-provider-port.ts'
import { randomFrom } from '../../../scripts/crash/support/random.ts'

const ZONE = 'acme.org'
const hosting = plainHosting('mx.host.net')
const options = { ...hosting, wantsOwnDmarc: false }
const keys = [publicOf(await makeDkimKey('rsa')), publicOf(await makeDkimKey('ed25519'))]
const expected = expectedRecords({ name: ZONE, keys, tlsa: null }, hosting)
const held = (record: Partial<ZoneRecord> & Pick<ZoneRecord, 'type' | 'value'>): HeldRecord => ({
  name: ZONE,
  ttl: 300,
  ref: null,
  ...record,
})
const plan = (zone: readonly HeldRecord[], written: readonly WrittenRecord[] = []) =>
  planRecords(expected, zone, written, options)
const textOf = ({ name, type, value, priority = 0 }: ZoneRecord) => JSON.stringify([name, type, value, priority])

/** The zone after a plan. */
function after(zone: readonly HeldRecord[], { create, update, remove }: RecordPlan): HeldRecord[] {
  const gone = new Set([...remove, ...update.map(({ before }) => before)].map(textOf))
  const made = [...create, ...update.map((one) => one.after)].map((record) => ({ ...record, ref: null }))
  return [...zone.filter((record) => !gone.has(textOf(record))), ...made]
}

t.test('an empty zone gets all records except those that would keep others from issuing certificates', async (t) => {
  const { create, update, remove, conflicts } = plan([])
  t.same([update, remove, conflicts], [[], [], []])
  t.match(
    create.find(({ type }) => type === 'MX'),
    { name: ZONE, value: 'mx.host.net', priority: 10 },
  )
  t.notOk(create.some(({ type }) => type === 'CAA'))
})

t.test('an SPF record of others gets our mechanism before its end, once, and is restored in the end', async (t) => {
  const spf = held({ type: 'TXT', value: 'v=spf1 include:a.example -all' })
  const first = plan([spf])
  t.match(first.update, [{ before: spf, after: { value: 'v=spf1 include:a.example a:mx.host.net -all', ttl: 300 } }])
  const zone = after([spf], first)
  t.ok(isEmptyPlan(plan(zone, first.written)), 'a second time nothing is written')
  const ended = planRecords([], zone, first.written, options)
  t.same(after(zone, ended).map(textOf), [textOf(spf)])
  const changed = zone.map((record) =>
    record.value.startsWith('v=spf1 include')
      ? { ...record, value: 'v=spf1 a:mx.host.net include:b.example ~all' }
      : record,
  )
  t.ok(isEmptyPlan(plan(changed, first.written)), 'what its owner has changed since is taken')
  t.equal(mergeSpf('v=spf1 redirect=x.example', options), 'v=spf1 a:mx.host.net redirect=x.example')
  t.equal(mergeSpf(`v=spf1 ${'include:a.example '.repeat(30)}-all`, options), null, 'a record that is full stays')
  const two = [spf, held({ type: 'TXT', value: 'v=spf1 -all' })]
  t.match(plan(two).conflicts, [{ key: 'spf' }], 'of two records none is chosen')
})

t.test('records of others in the way are named and left', async (t) => {
  const zone = [
    held({ type: 'MX', value: 'mail.other.example', priority: 10 }),
    held({ name: `autoconfig.${ZONE}`, type: 'A', value: '192.0.2.1' }),
    held({ name: `ph1._domainkey.${ZONE}`, type: 'CNAME', value: 'keys.other.example' }),
    held({ name: `_dmarc.${ZONE}`, type: 'TXT', value: 'v=DMARC1; p=reject' }),
    held({ type: 'TXT', value: 'token=1' }),
  ]
  const made = plan(zone)
  t.same(
    made.conflicts.map(({ key }) => key),
    ['mx', 'dkim', 'autoconfig'],
  )
  t.same(made.update, [])
  t.notOk(
    made.create.some(({ name }) => name === `_dmarc.${ZONE}`),
    'a DMARC record of others is enough',
  )
  t.same(after(zone, made).slice(0, zone.length), zone)
})

t.test('a key that is replaced replaces its record, and a retired one is removed', async (t) => {
  const first = plan([])
  const zone = after([], first)
  const next = { ...publicOf(await makeDkimKey('rsa', 2)), stage: 'next' as const }
  const rotated = planRecords(
    expectedRecords({ name: ZONE, keys: [...keys, next], tlsa: null }, hosting),
    zone,
    first.written,
    options,
  )
  t.same(
    rotated.create.map(({ name }) => name),
    [`ph2._domainkey.${ZONE}`],
  )
  const back = planRecords(expected, after(zone, rotated), rotated.written, options)
  t.same(
    back.remove.map(({ name }) => name),
    [`ph2._domainkey.${ZONE}`],
  )
})

t.test('whatever a zone holds, records of others survive, and a second run writes nothing', async (t) => {
  const random = randomFrom(7)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
  const wanted = plan([]).create
  const others = () => {
    const { name, type } = pick(wanted)
    const values = {
      MX: 'mx.other.example',
      TXT: pick(['v=spf1 a -all', 'token', 'v=DMARC1; p=none', 'v=DKIM1; p=AAAA']),
      CNAME: 'x.other.example',
      SRV: '0 1 x.other.example',
    }
    return held({
      name,
      type,
      value: values[type as keyof typeof values] ?? 'x',
      ...(type === 'MX' && { priority: pick([0, 10, 20]) }),
    })
  }
  for (let round = 0; round < 300; round++) {
    const foreign = Array.from({ length: Math.floor(random() * 6) }, others)
    const zone = [...new Map(foreign.map((record) => [textOf(record), record])).values()]
    const first = plan(zone)
    const full = after(zone, first)
    const kept = zone.filter(({ value }) => !value.startsWith('v=spf1')).map(textOf)
    const left = new Set(full.map(textOf))
    if (!kept.every((one) => left.has(one))) t.fail(`lost: ${JSON.stringify(zone)}`)
    if (!isEmptyPlan(plan(full, first.written))) t.fail(`again: ${JSON.stringify(zone)}`)
    const ended = after(full, planRecords([], full, first.written, options))
    if (ended.map(textOf).toSorted().join() !== zone.map(textOf).toSorted().join())
      t.fail(`not restored: ${JSON.stringify(zone)}`)
  }
  t.pass('300 zones')
})
