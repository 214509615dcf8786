// Promise S11: the published suites, if they are beside the checkout. scripts/interop/authentication.ts prints the figures.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { sharedMissing } from '../../../support/corpora.ts'

const SCRIPT = join(import.meta.dirname, '../../../../scripts/interop/authentication.ts')

t.test(
  'SPF, ARC and DKIM reach their published figures, and nothing passes wrongly',
  { skip: sharedMissing() },
  async (t) => {
    const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT])
    const lines = stdout.split('\n').filter((line) => / of \d+ /.test(line))
    t.equal(lines.length, 5)
    for (const line of lines) t.match(line, / 0 wrongly as pass$/)
    t.match(lines[0], /^SPF, RFC 7208: 112 of 112 /)
  },
)

t.test('without the suites the script fails with a reason', async (t) => {
  const nowhere = join(t.testdir(), 'nowhere')
  await t.rejects(promisify(execFile)(process.execPath, [SCRIPT, '--corpora', nowhere]), {
    code: 2,
    stderr: `there are no corpora at ${nowhere}`,
  })
})
