/** Promise J5: random commands over events and their instances, compared with a model in memory. scripts/event-model.ts runs more. */
import fc from 'fast-check'
import t from 'tap'
import { startCore } from '../../../support/core.ts'
import { forEachEngine } from '../../../support/engines.ts'
import { commands } from './events.ts'
import { runEventSequence, type Tally } from './sequence.ts'

/** Sequences per engine. */
const RUNS = { sqlite: 30, postgres: 8 }
const MAX_STEPS = 10

await forEachEngine(t, async (t, engine) => {
  const { mailbox, request } = await startCore(t, engine)
  const sides = { request, box: await mailbox('hello'), far: await mailbox('far') }
  t.test('events and their instances are as the model says after random commands', async (t) => {
    const tally: Tally = {}
    const sequence = fc.array(commands, { minLength: 1, maxLength: MAX_STEPS })
    const property = fc.asyncProperty(sequence, (steps) => runEventSequence(sides, tally, steps))
    const seed = Number(process.env['MODEL_SEED'] ?? 1)
    await fc.assert(property, { numRuns: RUNS[engine], seed, endOnFailure: true })
    t.comment(JSON.stringify(tally))
    if (engine === 'sqlite') t.equal(Object.keys(tally).length, 11, 'every kind of command was run')
    else t.ok(tally.create)
  })
})
