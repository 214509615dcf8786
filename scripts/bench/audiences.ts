/**
 * CPU of subscribers: a batch of 1,000 new ones and one of 1,000 repeated ones, a page and the whole list of an audience of 10,000, the
 * lookup by address as one JMAP request, and the deletion of the audience. Medians, in ms. Exits 1 if a figure is above its goal.
 *
 *     server/node scripts/bench/audiences.ts [--engine sqlite|postgres]
 */
import { parseArgs } from 'node:util'
import type { Invocation } from '../../jmap/protocol/messages.ts'
import { SYSTEM } from '../../server/base/principal.ts'
import { audiencesOf } from '../../spec/jmap/newsletters/world.ts'
import { type Result, startCore, USING } from '../../spec/support/core.ts'
import { stopOwnPostgres } from '../../spec/support/postgres.ts'

const { values } = parseArgs({ options: { engine: { type: 'string', default: 'sqlite' } } })
const GOALS: { readonly [what: string]: number } = {
  'batch of 1,000 new': 150,
  'batch of 1,000 repeated': 150,
  'lookup by address': 0.35,
}
const SIZE = 10_000
const LOOKUPS = 1_000

const ends: (() => unknown)[] = []
const scope = { teardown: (end: () => unknown) => void ends.unshift(end) } as never
const started = await startCore(scope, values.engine === 'postgres' ? 'postgres' : 'sqlite')
const { core, organization } = started
const { call, audience, statuses, counts } = audiencesOf(started)
const row = (i: number) => ({
  email: `reader-${i}@example-${i % 50}.org`,
  displayName: `Reader ${i}`,
  mergeFields: { city: 'Berlin', orders: i, vip: i % 7 === 0 },
})
const batch = (from: number) => Array.from({ length: 1_000 }, (_, i) => row(from + i))
const add = (audienceId: string, from: number) => () => call('Subscriber/add', { audienceId, subscribers: batch(from) })

const warm = await audience('Warm')
for (let i = 0; i < 3; i++) await add(warm, i * 1_000)()
const id = await audience('Measured')
const found: [string, number][] = []
const fresh: number[] = []
for (let i = 0; i < SIZE; i += 1_000) fresh.push(await cpuOf(add(id, i)))
found.push(['batch of 1,000 new', median(fresh)])
const repeated: number[] = []
for (let i = 0; i < SIZE; i += 1_000) repeated.push(await cpuOf(add(id, i)))
found.push(['batch of 1,000 repeated', median(repeated)])
const [members] = await counts(id)
if (members !== SIZE) throw new Error(`control: ${members} members`)

const page = async () => {
  const { ids } = await call('Subscriber/query', { filter: { audienceId: id, status: 'subscribed' }, limit: 100 })
  await call('Subscriber/get', { ids })
}
await times(20, page)
found.push(['page of 100', (await cpuOf(() => times(50, page))) / 50])
found.push(['list of 10,000 in pages of 500', await cpuOf(() => statuses(id))])

const lookup = async (i: number) => {
  const { accountId } = organization
  const methodCalls: Invocation[] = [
    ['Subscriber/query', { accountId, filter: { audienceId: id, email: row(i % SIZE).email }, limit: 1 }, 'q'],
    ['Subscriber/get', { accountId, '#ids': { resultOf: 'q', name: 'Subscriber/query', path: '/ids' } }, 'g'],
  ]
  const { methodResponses } = (await core.process(SYSTEM, { using: USING, methodCalls })) as Result
  if (methodResponses[1][1].list.length !== 1) throw new Error('control: it is not found')
}
await times(LOOKUPS, lookup)
found.push(['lookup by address', (await cpuOf(() => times(LOOKUPS, lookup))) / LOOKUPS])
found.push(['deletion of the audience', await cpuOf(() => call('Audience/set', { destroy: [id] }))])

let isSlow = false
for (const [what, ms] of found) {
  const goal = GOALS[what]
  isSlow ||= goal !== undefined && ms > goal
  console.log(`${what.padEnd(32)} ${ms.toFixed(3)} ms of CPU${goal === undefined ? '' : ` (goal: ${goal})`}`)
}
for (const end of ends) await end()
await stopOwnPostgres()
process.exit(isSlow ? 1 : 0)

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

async function times(count: number, work: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < count; i++) await work(i)
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!
}
