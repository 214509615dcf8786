/**
 * Promise J5: random sequences of commands by two clients over Mailbox, Email, Thread and EmailSubmission, compared with a model in
 * memory, on both engines; a third client only follows /changes and /queryChanges. Exits 1 at the first sequence that differs, with the
 * seed and the path that repeat it; with --shrink it then looks for the fewest steps that fail. It also exits 1 if not all sequences
 * ran in time.
 *
 *     node scripts/model.ts [--sequences 10000] [--engines sqlite,postgres] [--seed 1] [--path 12:3] [--shrink]
 */
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { runSequence, type Sequence, sequences } from '../spec/jmap/model/sequence.ts'
import { makeClients, newTally, type Tally } from '../spec/jmap/model/session.ts'
import { startCore } from '../spec/support/core.ts'
import type { EngineName } from '../spec/support/engines.ts'
import { stopOwnPostgres } from '../spec/support/postgres.ts'
import { enginesIn } from './engine-names.ts'
import { wholeNumber } from './whole-number.ts'

const { values } = parseArgs({
  options: {
    sequences: { type: 'string', default: '10000' },
    engines: { type: 'string', default: 'sqlite,postgres' },
    seed: { type: 'string', default: '1' },
    path: { type: 'string' },
    shrink: { type: 'boolean', default: false },
  },
})
/** Sequences that share a core: sweeps and claims read all of its accounts. */
const PER_CORE = 100

const MAX_STEPS = 24
const MAX_MS = 300_000

const asked = wholeNumber(values, 'sequences')
const firstSeed = wholeNumber(values, 'seed', 0)
const engines = enginesIn(values.engines)
const tally = newTally()
console.log(`model: ${asked} sequences over ${engines.join(' and ')}, seed ${firstSeed}`)
try {
  if (!(await runAll())) process.exitCode = 1
} finally {
  await stopOwnPostgres()
}
console.log(JSON.stringify(tally, null, 1))

/** false: a sequence differs, or not all of them ran. */
async function runAll(): Promise<boolean> {
  for (const [i, engine] of engines.entries()) {
    const share = Math.ceil((asked - tally.sequences) / (engines.length - i))
    for (let done = 0; done < share; done += PER_CORE) {
      const seed = firstSeed + i * 1_000_000 + done / PER_CORE
      if (!(await runBatch(engine, seed, Math.min(PER_CORE, share - done)))) return false
    }
  }
  // A path means a single sequence.
  return values.path !== undefined || tally.sequences >= asked
}

/** Closed, with the consistency check, after `use`. */
async function withCore(
  engine: EngineName,
  use: (sequence: (given: Sequence, tally: Tally) => Promise<void>) => Promise<void>,
) {
  const ends: (() => unknown)[] = []
  const core = await startCore({ teardown: (end: () => unknown) => void ends.push(end) } as never, engine)
  const clients = await makeClients(core)
  try {
    await use((given, counts) => runSequence(core, clients, counts, given))
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

/** false: a sequence differs. */
async function runBatch(engine: EngineName, seed: number, numRuns: number): Promise<boolean> {
  const start = Date.now()
  let isWhole = true
  await withCore(engine, async (run) => {
    const parameters = { numRuns, seed, ...(values.path && { path: values.path }) }
    const details = await fc.check(
      fc.asyncProperty(sequences(MAX_STEPS), (given) => run(given, tally)),
      // Shrinking also stops after this time.
      { ...parameters, endOnFailure: !values.shrink, interruptAfterTimeLimit: MAX_MS },
    )
    if (details.interrupted) console.error(`model: ${engine}, seed ${seed}: not all sequences ran within ${MAX_MS} ms`)
    if (!details.failed) return
    isWhole = false
    console.error(`model: ${engine}, --seed ${seed} --path ${details.counterexamplePath}`)
    const steps = values.shrink ? details.counterexample?.[0]?.steps : []
    for (const step of steps ?? []) console.error(`  ${JSON.stringify(step)}`)
    console.error(details.counterexample?.[0]?.lists, details.errorInstance)
  })
  console.log(`model: ${engine}, seed ${seed}: ${tally.sequences} sequences so far, ${Date.now() - start} ms`)
  return isWhole
}
