/** Bounces that Debian's mail servers made (scripts/interop/make-bounces.ts), and notices varied without changing what they say. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readBounce } from '../../../../jmap/mail/reports/bounce.ts'
import { parseMessage } from '../../../../jmap/message/structure.ts'
import { OWN_CORPUS } from '../../../support/corpora.ts'
import { VARIATIONS } from './bounce-variations.ts'
import { isFrozen, madeBounces, measureMade } from './made-bounces.ts'

const FOLDER = join(OWN_CORPUS, 'bounces')
const MADE = madeBounces(FOLDER)

t.test('bounces of Postfix, Exim, sendmail, OpenSMTPD and Cyrus give what provoked them', async (t) => {
  t.same(new Set(MADE.map(({ server }) => server.replace('-delays', ''))).size, 5)
  const { recipients, actions, hard, classes } = measureMade(FOLDER, MADE)
  for (const [what, { right, of, wrong }] of Object.entries({ recipients, actions, hard, classes }))
    t.ok(of > 20 && right === of, `${what}: ${right} of ${of}`, { wrong })
})

t.test('no mail of the frozen half is in the repository', async (t) => {
  for (const { file } of MADE) t.notOk(isFrozen(readFileSync(join(FOLDER, file))), file)
})

t.test('each variation changes some of them, and hides no recipient', async (t) => {
  for (const { name, of } of VARIATIONS) {
    let changed = 0
    for (const { file, expected } of MADE) {
      const mail = readFileSync(join(FOLDER, file), 'latin1')
      const varied = of(mail)
      if (varied !== mail) changed++
      const bytes = Buffer.from(varied, 'latin1')
      const found = readBounce(bytes, parseMessage(bytes))?.recipients.length
      t.ok(found !== undefined && found >= Math.min(1, expected.length), `${name}: ${file}`)
    }
    t.ok(changed > 0, name)
  }
})
