/**
 * Promise J1: the time of responses for an id of another account compared with an id that does not exist: medians of many alternating
 * calls, per kind of call. Prints a line each and the largest gap; exits 1 if that is above 5 %.
 *
 *     node scripts/timing-gap.ts [--calls 4000] [--engines sqlite]
 */
import { parseArgs } from 'node:util'
import type { JsonObject } from '../server/base/json.ts'
import { KINDS, type Kind } from '../spec/jmap/isolation/kinds.ts'
import { answer, makeParties, type Party } from '../spec/jmap/isolation/sides.ts'
import { startCore } from '../spec/support/core.ts'
import type { EngineName } from '../spec/support/engines.ts'
import { stopOwnPostgres } from '../spec/support/postgres.ts'
import { enginesIn } from './engine-names.ts'
import { wholeNumber } from './whole-number.ts'

const { values } = parseArgs({
  options: { calls: { type: 'string', default: '4000' }, engines: { type: 'string', default: 'sqlite' } },
})
const rounds = wholeNumber(values, 'calls')
const GAP_MAX = 5

type Probe = readonly [what: string, kind: Kind, call: (id: string, asker: Party) => readonly [string, JsonObject]]

const PROBES: readonly Probe[] = [
  ['Email/get ids', 'Email', (id, { accountId }) => ['Email/get', { accountId, ids: [id] }]],
  ['Email/get accountId', 'MailAccount', (id) => ['Email/get', { accountId: id, ids: [] }]],
  ['Mailbox/get ids', 'Mailbox', (id, { accountId }) => ['Mailbox/get', { accountId, ids: [id] }]],
  ['Thread/get ids', 'Thread', (id, { accountId }) => ['Thread/get', { accountId, ids: [id] }]],
  [
    'Email/query inMailbox',
    'Mailbox',
    (id, { accountId }) => ['Email/query', { accountId, filter: { inMailbox: id } }],
  ],
  ['Email/parse blobIds', 'Blob', (id, { accountId }) => ['Email/parse', { accountId, blobIds: [id] }]],
  ['Email/set destroy', 'Email', (id, { accountId }) => ['Email/set', { accountId, destroy: [id] }]],
  [
    'MailAccount/get ids',
    'MailAccount',
    (id, { organizationId }) => ['MailAccount/get', { accountId: organizationId, ids: [id] }],
  ],
  [
    'Email/copy from',
    'MailAccount',
    (id, { accountId }) => ['Email/copy', { accountId, fromAccountId: id, create: {} }],
  ],
]

const median = (times: number[]) => times.sort((a, b) => a - b)[times.length >> 1]!

try {
  for (const engine of enginesIn(values.engines)) await measure(engine)
} finally {
  await stopOwnPostgres()
}

async function measure(engine: EngineName): Promise<void> {
  const ends: (() => unknown)[] = []
  const test = await startCore({ teardown: (end: () => unknown) => void ends.push(end) } as never, engine)
  const { asker, stranger } = await makeParties(test)
  let largest = 0
  for (const [what, kind, call] of PROBES) {
    const isAccount = kind === 'MailAccount'
    const foreign = stranger.ids[kind]!
    const absent = test.core.ids.encode(KINDS[kind], 77_777, isAccount ? 0 : 5)
    const times: [number[], number[]] = [[], []]
    for (let i = 0; i < rounds * 2; i++) {
      // The order alternates, so that drift affects both.
      const which = (i + (i >> 1)) % 2
      const start = process.hrtime.bigint()
      await answer(test, asker.principal, call(which === 0 ? foreign : absent, asker))
      times[which]!.push(Number(process.hrtime.bigint() - start) / 1000)
    }
    const [theirs, none] = [median(times[0]), median(times[1])]
    const gap = ((theirs - none) / none) * 100
    largest = Math.max(largest, Math.abs(gap))
    console.log(
      `timing-gap: ${engine}, ${what}: ${theirs.toFixed(1)} us, absent ${none.toFixed(1)} us, ${gap.toFixed(1)} %`,
    )
  }
  console.log(`timing-gap: ${engine}, largest ${largest.toFixed(1)} %`)
  if (!(largest <= GAP_MAX)) process.exitCode = 1
  for (const end of ends.reverse()) await end()
}
