/**
 * Promise J5 for calendars: random sequences of commands over CalendarEvent and the instances of recurring events, compared with a model
 * in memory, on both engines. Exits 1 at the first sequence that differs, with its steps and the seed that repeats it.
 *
 *     server/node scripts/event-model.ts [--sequences 1000] [--engines sqlite,postgres] [--seed 1]
 */
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { commands } from '../spec/jmap/calendars/model/events.ts'
import { runEventSequence, type Tally } from '../spec/jmap/calendars/model/sequence.ts'
import { startCore } from '../spec/support/core.ts'
import { stopOwnPostgres } from '../spec/support/postgres.ts'
import { enginesIn } from './engine-names.ts'
import { wholeNumber } from './whole-number.ts'

const { values } = parseArgs({
  options: {
    sequences: { type: 'string', default: '1000' },
    engines: { type: 'string', default: 'sqlite,postgres' },
    seed: { type: 'string', default: '1' },
  },
})
const MAX_STEPS = 30
const engines = enginesIn(values.engines)
const numRuns = Math.ceil(wholeNumber(values, 'sequences') / engines.length)
const seed = wholeNumber(values, 'seed', 0)
const tally: Tally = {}
try {
  for (const engine of engines) {
    const ends: (() => unknown)[] = []
    const core = await startCore({ teardown: (end: () => unknown) => void ends.push(end) } as never, engine)
    const sides = { request: core.request, box: await core.mailbox('hello'), far: await core.mailbox('far') }
    const sequence = fc.array(commands, { minLength: 1, maxLength: MAX_STEPS })
    const details = await fc.check(
      fc.asyncProperty(sequence, (steps) => runEventSequence(sides, tally, steps)),
      { numRuns, seed },
    )
    // The consistency check runs at the end.
    for (const end of ends.reverse()) await end()
    if (details.failed) console.error(fc.defaultReportMessage(details))
    if (details.failed) process.exitCode = 1
    console.log(`${engine}: ${details.numRuns} sequences`)
  }
} finally {
  await stopOwnPostgres()
}
console.log(JSON.stringify(tally))
