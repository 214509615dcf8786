/**
 * Promise J5: random sequences of commands by two clients over Mailbox, Email, Thread and EmailSubmission, against a model in
 * memory, on both engines; a third client follows /changes and /queryChanges alone. Exits 1 at the first sequence that comes apart,
 * with the seed and the path that run it again; with --shrink it then looks for the fewest steps that fail.
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

const { values } = parseArgs({
  options: {
    sequences: { type: 'string', default: '10000' },
    engines: { type: 'string', default: 'sqlite,postgres' },
    seed: { type: 'string', default: '1' },
    path: { type: 'string' },
    shrink: { type: 'boolean', default: false },
  },
})
/** Sequences that share a core: sweeps and claims look at all of its accounts. */
const PER_CORE = 100

const MAX_STEPS = 24
const MAX_MS = 300_000

const engines = values.engines.split(',') as EngineName[]
const tally = newTally()
console.log(`model: ${values.sequences} sequences over ${engines.join(' and ')}, seed ${values.seed}`)
try {
  for (const [i, engine] of engines.entries()) {
    const share = Math.ceil((Number(values.sequences) - tally.sequences) / (engines.length - i))
    for (let done = 0; done < share; done += PER_CORE)
      await runBatch(engine, Number(values.seed) + i * 1_000_000 + done / PER_CORE, Math.min(PER_CORE, share - done))
  }
} finally {
  await stopOwnPostgres()
}
console.log(JSON.stringify(tally, null, 1))

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

async function runBatch(engine: EngineName, seed: number, numRuns: number): Promise<void> {
  const start = Date.now()
  await withCore(engine, async (run) => {
    const parameters = { numRuns, seed, ...(values.path && { path: values.path }) }
    const details = await fc.check(
      fc.asyncProperty(sequences(MAX_STEPS), (given) => run(given, tally)),
      // Shrinking stops after this time, too.
      { ...parameters, endOnFailure: !values.shrink, interruptAfterTimeLimit: MAX_MS },
    )
    if (!details.failed) return
    console.error(`model: ${engine}, --seed ${seed} --path ${details.counterexamplePath}`)
    const steps = values.shrink ? details.counterexample?.[0]?.steps : []
    for (const step of steps ?? []) console.error(`  ${JSON.stringify(step)}`)
    console.error(details.counterexample?.[0]?.lists, details.errorInstance)
    process.exitCode = 1
  })
  console.log(`model: ${engine}, seed ${seed}: ${tally.sequences} sequences so far, ${Date.now() - start} ms`)
  if (process.exitCode === 1) process.exit()
}
