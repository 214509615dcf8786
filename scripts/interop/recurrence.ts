/**
 * Compares recurrence with others (promise C1) and measures its bounds (promise C3): libical's cases, calcard's expansions, random rules
 * against dateutil (Debian: python3-dateutil), all time zones against luxon, and the CPU of rules made to cost much. Prints what differs,
 * and exits 1 if a figure is missed: 100 % of libical, 99 % of calcard, 50 ms a call.
 *
 *     server/node scripts/interop/recurrence.ts [--corpora DIR] [--rules 10000] [--bombs 100] [--zones 400]
 */
import { parseArgs } from 'node:util'
import { SHARED_CORPORA } from '../../spec/support/corpora.ts'
import { wholeNumber } from '../whole-number.ts'
import { calcardVerdicts } from './support/calcard-recurrences.ts'
import { compareWithDateutil } from './support/dateutil.ts'
import { libicalVerdicts, type Verdict } from './support/libical-recurrences.ts'
import { dearestBomb } from './support/recurrence-bombs.ts'
import { compareZones } from './support/zone-comparison.ts'

const { values } = parseArgs({
  options: {
    corpora: { type: 'string', default: SHARED_CORPORA },
    rules: { type: 'string', default: '10000' },
    bombs: { type: 'string', default: '100' },
    zones: { type: 'string', default: '400' },
  },
})
const CPU_MAX_MS = 50
let isMissed = false

function report(name: string, verdicts: readonly Verdict[], wanted: number): void {
  const right = verdicts.filter(({ fault }) => fault === null).length
  for (const { name: file, fault } of verdicts) if (fault !== null) console.log(`${name} ${file}: ${fault}`)
  console.log(
    `${name}: ${right} of ${verdicts.length} right (${((100 * right) / verdicts.length).toFixed(1)} %, wanted ${wanted} %)`,
  )
  if (verdicts.length === 0 || right * 100 < wanted * verdicts.length) isMissed = true
}

report('libical', libicalVerdicts(values.corpora), 100)
report('calcard', calcardVerdicts(values.corpora), 99)

const random = compareWithDateutil(wholeNumber(values, 'rules', 0))
for (const difference of random.differences) console.log(`dateutil: ${difference}`)
console.log(
  `dateutil: ${random.rules - random.differences.length} of ${random.rules} random rules with ${random.instances} instances equal`,
)

const zones = compareZones(wholeNumber(values, 'zones', 0))
for (const difference of zones.differences.slice(0, 20)) console.log(`luxon: ${difference}`)
console.log(
  `luxon: ${zones.differences.length} differences in ${zones.times} times of ${zones.zones} zones, 1970 to 2037`,
)

const bomb = dearestBomb(wholeNumber(values, 'bombs', 0))
console.log(
  `bombs: ${bomb.bombs}, of which ${bomb.refused} are refused in words; the dearest call takes ${bomb.ms.toFixed(1)} ms of CPU: ${bomb.rule}`,
)
if (random.differences.length > 0 || zones.differences.length > 0 || bomb.ms > CPU_MAX_MS) isMissed = true
if (isMissed) process.exitCode = 1
