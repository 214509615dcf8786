import t from 'tap'
import type { JsonObject } from '../../../server/base/json.ts'
import { addSortKeys, type KeyedSort, SORT_KEYS } from '../../../storage/repos/email-sort-keys.ts'
import { startCore, type TestCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'

const COLUMNS = Object.keys(SORT_KEYS) as KeyedSort[]
const COUNT = 40

/** Messages of which some are alike in what they are sorted by. */
function message(i: number): string {
  const attached = i % 5 === 0 ? 'Content-Type: application/pdf\nContent-Disposition: attachment\n' : ''
  const date = i % 7 === 0 ? '' : `Date: Fri, ${1 + ((i * 11) % 28)} Nov 2024 10:00:00 +0000\n`
  const name = ['Zoë', 'anna', 'Bob', 'émile'][i % 4]
  return `From: ${name} <a${i}@example.org>\nTo: ${name}${i % 3} <b@example.test>\nSubject: Subject ${(i * 7) % 13}\n${date}${attached}\n${'x'.repeat((i * 37) % 101)}\n`
}

async function fill(mailbox: TestMailbox): Promise<void> {
  for (let i = 0; i < COUNT; i++) await mailbox.receive(message(i), 1_700_000_000_000 + ((i * 13) % 17) * 60_000)
}

/** Keys for the first `count` emails that have none. */
async function giveKeys({ store }: TestCore, { account }: TestMailbox, count: number): Promise<void> {
  for (const column of COLUMNS)
    await store.write([account], (work) => addSortKeys(work.account(account), column, count))
}

async function keysOf({ store }: TestCore, { account }: TestMailbox): Promise<Record<string, number>> {
  const rows = await store.read(({ sql }) =>
    sql.query((db) =>
      db
        .selectFrom('email_sort_key')
        .select(['sort', (eb) => eb.fn.countAll<number>().as('n')])
        .where('account', '=', account)
        .groupBy('sort'),
    ),
  )
  return Object.fromEntries(rows.map(({ sort, n }) => [sort, Number(n)]))
}

await forEachEngine(t, async (t, engine) => {
  const core = await startCore(t, engine)

  t.test('a list sorted by keys is the same as one without, whatever narrows it', async (t) => {
    const mailbox = await core.mailbox('same')
    await fill(mailbox)
    const filters: (JsonObject | null)[] = [
      null,
      { inMailbox: mailbox.roles['inbox']! },
      { inMailbox: mailbox.roles['junk']! },
      { hasAttachment: true },
      { subject: 'Subject' },
      { operator: 'NOT', conditions: [{ minSize: 250 }] },
    ]
    const sorts = ['subject', 'from', 'to', 'size', 'sentAt'].flatMap((property) =>
      [true, false].flatMap((isAscending) => [
        [{ property, isAscending }],
        [
          { property, isAscending },
          { property: 'receivedAt', isAscending: !isAscending },
        ],
      ]),
    )
    const queries = filters.flatMap((filter) => sorts.map((sort) => ({ filter, sort })))
    const run = async () => {
      const lists: string[][] = []
      for (const [i, query] of queries.entries()) {
        const more = i % 3 === 0 ? { collapseThreads: true } : { position: i % 5, limit: 20 }
        lists.push((await mailbox.call('Email/query', { ...query, ...more })).ids)
      }
      return lists
    }
    const without = await run()
    t.ok(without[0]!.length > 5, 'control')
    await giveKeys(core, mailbox, 25)
    t.same(await run(), without, 'some have keys')
    await giveKeys(core, mailbox, 1_000)
    t.same(await keysOf(core, mailbox), Object.fromEntries(COLUMNS.map((column) => [column, COUNT])))
    t.same(await run(), without, 'all have keys')
    await mailbox.receive(message(COUNT))
    const { ids } = await mailbox.call('Email/query', { sort: [{ property: 'subject' }] })
    t.equal(ids.length, COUNT + 1, 'what has come since is in the list')
  })

  t.test('destroyed emails leave the keys with the list', async (t) => {
    const mailbox = await core.mailbox('gone')
    const ids: string[] = []
    for (let i = 0; i < 6; i++) ids.push(await mailbox.receive(message(i)))
    await giveKeys(core, mailbox, 4)
    const [keyed, later] = [ids[1]!, ids[5]!]
    await mailbox.call('Email/set', { destroy: [keyed, later] })
    t.same(await keysOf(core, mailbox), Object.fromEntries(COLUMNS.map((column) => [column, 3])))
    const left = await mailbox.call('Email/query', { sort: [{ property: 'size' }] })
    t.same(left.ids.toSorted(), ids.filter((id) => id !== keyed && id !== later).toSorted())
  })

  t.test('keys are made beside other work when they are asked for', async (t) => {
    const mailbox = await core.mailbox('asked')
    for (let i = 0; i < 5; i++) await mailbox.receive(message(i))
    await core.core.prepareSort(mailbox.account, 'size')
    const settled = async () => (await keysOf(core, mailbox))['size'] === 5
    for (let i = 0; i < 500 && !(await settled()); i++) await new Promise(setImmediate)
    t.same(await keysOf(core, mailbox), { size: 5 }, 'of this sort only')
  })

  t.test('a few emails are sorted without keys', async (t) => {
    const mailbox = await core.mailbox('few')
    for (let i = 0; i < 5; i++) await mailbox.receive(message(i))
    await mailbox.call('Email/query', { sort: [{ property: 'from' }] })
    await new Promise(setImmediate)
    t.same(await keysOf(core, mailbox), {})
  })
})
