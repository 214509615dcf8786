/**
 * Prints how well bounces of the shared corpora are read: `node scripts/interop/bounces.ts`. Exits non-zero if a figure of promise Q6
 * is not reached, or if the corpora are missing.
 */
import { type Count, measureBounces } from '../../spec/jmap/mail/reports/bounce-corpora.ts'
import { sharedMissing } from '../../spec/support/corpora.ts'

const missing = sharedMissing()
if (missing !== false) {
  console.error(missing)
  process.exit(2)
}
const figures = measureBounces()
const both = {
  of: figures.sisimai.of + figures.flufl.of,
  right: figures.sisimai.right + figures.flufl.right,
  wrong: [],
}
const rows: readonly [what: string, count: Count, atLeast: number][] = [
  ['recipient found, both corpora', both, 0.98],
  ['recipient found, sisimai', figures.sisimai, 0.98],
  ['recipient found, flufl (mails)', figures.fluflMails, 0.98],
  ['recipient found, flufl (addresses)', figures.flufl, 0.97],
  ['hard or not, sisimai', figures.hard, 0.95],
  ['hard, soft or policy, sisimai', figures.classes, 0.9],
  ['failed or delayed, flufl', figures.permanent, 0.95],
  ['complaints seen, sisimai', figures.complaints, 0.9],
  ['no bounce taken as one', figures.notBounces, 0.98],
  ['no bounce taken as hard', figures.notHard, 1],
]
for (const [what, { right, of, wrong }, atLeast] of rows) {
  const rate = right / of
  const isReached = rate >= atLeast
  if (!isReached) process.exitCode = 1
  const share = `${(100 * rate).toFixed(1)} %`.padStart(8)
  console.log(`${what.padEnd(36)} ${share}  ${right}/${of}  (at least ${100 * atLeast} %)`)
  if (process.argv.includes('--wrong') && wrong.length > 0) console.log(`  ${wrong.join('\n  ')}`)
}
