/**
 * Promise J5: parallel writers that read a number and write it back plus one, guarded by ifInState. Exits 1 if an accepted update is
 * lost, or if the writers never conflicted.
 *
 *     node scripts/lost-updates.ts [--writers 8] [--tries 10000] [--engines sqlite,postgres]
 */
import { parseArgs } from 'node:util'
import { countTogether } from '../spec/jmap/model/writers.ts'
import { startCore } from '../spec/support/core.ts'
import type { EngineName } from '../spec/support/engines.ts'
import { stopOwnPostgres } from '../spec/support/postgres.ts'
import { enginesIn } from './engine-names.ts'
import { wholeNumber } from './whole-number.ts'

const { values } = parseArgs({
  options: {
    writers: { type: 'string', default: '8' },
    tries: { type: 'string', default: '10000' },
    engines: { type: 'string', default: 'sqlite,postgres' },
  },
})

const writers = wholeNumber(values, 'writers', 2)
const tries = wholeNumber(values, 'tries')

try {
  for (const engine of enginesIn(values.engines)) await run(engine)
} finally {
  await stopOwnPostgres()
}

async function run(engine: EngineName): Promise<void> {
  const ends: (() => unknown)[] = []
  const { mailbox } = await startCore({ teardown: (end: () => unknown) => void ends.push(end) } as never, engine)
  const count = await countTogether(await mailbox('counter'), writers, tries, true)
  const lost = count.accepted - count.counted
  console.log(`lost-updates: ${engine}, ${writers} writers: ${JSON.stringify(count)}, lost ${lost}`)
  if (lost !== 0 || count.accepted === 0 || count.refused === 0) process.exitCode = 1
  for (const end of ends.reverse()) await end()
}
