/**
 * Promise J5: random sequences of commands by two clients, compared with a model in memory, on both engines. scripts/model.ts runs
 * thousands; a failure prints the seed and the path that repeat it.
 */
import fc from 'fast-check'
import t from 'tap'
import { startCore } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { KINDS, OUTSIDE } from './commands.ts'
import { runSequence, sequences } from './sequence.ts'
import { makeClients, newTally } from './session.ts'

/** Sequences per engine. */
const RUNS = { sqlite: 36, postgres: 12 }
const MAX_STEPS = 10

await forEachEngine(t, async (t, engine) => {
  const core = await startCore(t, engine)
  const clients = await makeClients(core)
  const tally = newTally()
  const seed = Number(process.env['MODEL_SEED'] ?? 1)
  const path = process.env['MODEL_PATH']
  t.test('server, model and a following client agree after random commands', async (t) => {
    const property = fc.asyncProperty(sequences(MAX_STEPS), (steps) => runSequence(core, clients, tally, steps))
    await fc.assert(property, { numRuns: RUNS[engine], seed, ...(path && { path }), endOnFailure: true })
    t.comment(JSON.stringify(tally))
    t.equal(tally.sequences, RUNS[engine])
    if (engine !== 'sqlite' || 'MODEL_SEED' in process.env) return
    // Few sequences run here: commands that they omit are not compared.
    t.same(
      [...KINDS, ...OUTSIDE].filter((kind) => !tally.commands[kind]),
      [],
    )
    for (const what of ['reported', 'refused', 'tooManyChanges', 'cannotCalculate'] as const)
      t.ok(tally[what] > 0, what)
  })
})
