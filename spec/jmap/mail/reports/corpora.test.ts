/** Promise Q6: bounces of other servers are read correctly. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { OWN_CORPUS, sharedMissing } from '../../../support/corpora.ts'
import { type Count, compareFlufl, compareOther, compareSisimai, measureAll, newFigures } from './bounce-corpora.ts'

const skip = sharedMissing()

t.test('bounces of the shared corpora give the expected results', { skip }, async (t) => {
  const figures = measureAll()
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

t.test('control: an unexpected result is counted as wrong', async (t) => {
  const mail = readFileSync(join(OWN_CORPUS, 'enmime/multi_recipient_dsn.eml'), 'latin1')
  // Two failed recipients, and a delayed one between them. 5.0.0 does not say that an address is gone, 5.1.1 does.
  const bytes = Buffer.from(mail.replaceAll('Status: 5.0.0', 'Status: 5.1.1'), 'latin1')
  const failed = ['arathib@vnet.ibm.com', 'wsnell@sdcc13.ucsd.edu']
  const late = 'johnh@hpnjld.njd.hp.com'
  const figures = newFigures()
  const hard = { reason: 'userunknown', hardbounce: true }
  const soft = { reason: 'expired', hardbounce: false }
  compareSisimai(figures, 'right', bytes, [hard, soft, hard])
  compareSisimai(figures, 'late for good', bytes, [hard, hard, hard, hard])
  compareSisimai(figures, 'a complaint', bytes, [{ reason: 'feedback', hardbounce: false }])
  compareFlufl(figures, 'right', bytes, { permanent: failed, temporary: [late] })
  compareFlufl(figures, 'late as failed', bytes, { permanent: [late], temporary: [] })
  compareFlufl(figures, 'of others', bytes, { permanent: ['nobody@example.org'], temporary: [] })
  compareOther(figures, 'a bounce', bytes)
  t.same(figures, {
    sisimai: { right: 6, of: 7, wrong: ['late for good'] },
    hard: { right: 5, of: 7, wrong: ['late for good', 'late for good'] },
    classes: { right: 5, of: 7, wrong: ['late for good', 'late for good'] },
    flufl: { right: 4, of: 5, wrong: ['of others'] },
    fluflMails: { right: 2, of: 3, wrong: ['of others'] },
    permanent: { right: 3, of: 5, wrong: ['late as failed', 'of others'] },
    complaints: { right: 0, of: 1, wrong: ['a complaint'] },
    notBounces: { right: 0, of: 1, wrong: ['a bounce'] },
    notHard: { right: 0, of: 1, wrong: ['a bounce'] },
  })
})
