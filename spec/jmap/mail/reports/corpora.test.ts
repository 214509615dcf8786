/** Promise Q6: bounces of others are read as they are meant. */
import t from 'tap'
import { sharedMissing } from '../../../support/corpora.ts'
import { type Count, measureBounces } from './bounce-corpora.ts'

const skip = sharedMissing()

t.test('bounces of the shared corpora are read as expected of them', { skip }, async (t) => {
  const figures = measureBounces()
  const atLeast = (what: string, { right, of, wrong }: Count, rate: number) =>
    t.ok(of > 0 && right / of >= rate, `${what}: ${right} of ${of}, at least ${100 * rate} %`, { wrong })
  const found = { of: figures.sisimai.of + figures.flufl.of, right: figures.sisimai.right + figures.flufl.right }
  atLeast('recipients found', { ...found, wrong: [] }, 0.98)
  atLeast('recipients found in sisimai', figures.sisimai, 0.98)
  atLeast('mails of flufl.bounce with all recipients found', figures.fluflMails, 0.98)
  atLeast('gone for good or not', figures.hard, 0.95)
  atLeast('hard, soft or policy', figures.classes, 0.9)
  atLeast('failed or only delayed', figures.permanent, 0.95)
  atLeast('complaints', figures.complaints, 0.9)
  atLeast('mails that are no bounces', figures.notBounces, 0.98)
  atLeast('mails that are no bounces not taken as hard', figures.notHard, 1)
})
