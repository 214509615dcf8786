/**
 * Prints how well bounces are read: `node scripts/interop/bounces.ts`. Exits non-zero if a figure of promise Q6 is not reached, or if the
 * corpora are missing. `--wrong` names the mails that are read wrongly.
 *
 *     --varied      the open samples, changed in ways that do not change what they say
 *     --unseen      each family of samples without the rules that match no other family
 *     --made DIR    bounces that scripts/interop/make-bounces.ts made, in two halves; mails of the frozen one are never named
 *     --rules       writes spec/bounce-rules.tsv
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Count, type Figures, measureAll, measureBounces } from '../../spec/jmap/mail/reports/bounce-corpora.ts'
import { asTable, measureUnseen, ruleRows } from '../../spec/jmap/mail/reports/bounce-rules.ts'
import { VARIATIONS } from '../../spec/jmap/mail/reports/bounce-variations.ts'
import { isFrozen, type MadeBounce, madeBounces, measureMade } from '../../spec/jmap/mail/reports/made-bounces.ts'
import { sharedMissing } from '../../spec/support/corpora.ts'

const HEAD = `${''.padEnd(30)} recipient     hard    class    flufl`
const RULES_TABLE = join(import.meta.dirname, '../../spec/bounce-rules.tsv')

const { values } = parseArgs({
  options: {
    wrong: { type: 'boolean', default: false },
    varied: { type: 'boolean', default: false },
    unseen: { type: 'boolean', default: false },
    rules: { type: 'boolean', default: false },
    made: { type: 'string' },
  },
})
const missing = values.made === undefined && sharedMissing()
if (missing) {
  console.error(missing)
  process.exit(2)
}
if (values.made !== undefined) made(values.made)
else if (values.varied) varied()
else if (values.unseen) unseen()
else if (values.rules) writeRules()
else open()

function open(): void {
  const figures = measureAll()
  const rows: readonly [what: string, count: Count, atLeast: number][] = [
    ['recipient found, both corpora', sum([figures.sisimai, figures.flufl]), 0.98],
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
  for (const [what, count, atLeast] of rows) {
    const { right, of, wrong } = count
    if (right / of < atLeast) process.exitCode = 1
    console.log(`${what.padEnd(36)} ${share(count)}  ${right}/${of}  (at least ${100 * atLeast} %)`)
    if (values.wrong && wrong.length > 0) console.log(`  ${wrong.join('\n  ')}`)
  }
}

function varied(): void {
  console.log(HEAD)
  const all = VARIATIONS.map((vary) => {
    const figures = measureBounces({ vary })
    print(vary.name, [figures])
    return figures
  })
  print('all', all)
}

function unseen(): void {
  console.log(HEAD)
  print('all families', measureUnseen())
}

function print(name: string, figures: readonly Figures[]): void {
  const counts = [
    sum(figures.flatMap(({ sisimai, flufl }) => [sisimai, flufl])),
    sum(figures.map(({ hard }) => hard)),
    sum(figures.map(({ classes }) => classes)),
    sum(figures.map(({ permanent }) => permanent)),
  ]
  console.log(`${name.padEnd(30)} ${counts.map(share).join(' ')}`)
  if (values.wrong) for (const { wrong } of counts) console.log(`  ${wrong.join(' ')}`)
}

function made(folder: string): void {
  const all = madeBounces(folder)
  const halves: { readonly [half: string]: MadeBounce[] } = { open: [], frozen: [] }
  for (const one of all) halves[isFrozen(readFileSync(join(folder, one.file))) ? 'frozen' : 'open']!.push(one)
  for (const [half, some] of Object.entries(halves)) {
    const { recipients, actions, hard, classes } = measureMade(folder, some)
    console.log(`${half}: ${some.length} mails`)
    for (const [what, count] of Object.entries({ recipients, actions, hard, classes })) {
      console.log(`  ${what.padEnd(12)} ${share(count)}  ${count.right}/${count.of}`)
      if (values.wrong && half === 'open') console.log(`    ${count.wrong.join('\n    ')}`)
    }
  }
}

function writeRules(): void {
  const rows = ruleRows()
  writeFileSync(RULES_TABLE, asTable(rows))
  const single = rows.filter(({ files }) => files.size === 1).length
  const none = rows.filter(({ files }) => files.size === 0).length
  console.log(
    `${rows.length} rules; ${single} match one open file (${((100 * single) / rows.length).toFixed(1)} %), ${none} none`,
  )
}

function sum(counts: readonly Count[]): Count {
  return {
    right: counts.reduce((total, { right }) => total + right, 0),
    of: counts.reduce((total, { of }) => total + of, 0),
    wrong: counts.flatMap(({ wrong }) => wrong),
  }
}

function share({ right, of }: Count): string {
  return `${((100 * right) / of).toFixed(1)} %`.padStart(8)
}
