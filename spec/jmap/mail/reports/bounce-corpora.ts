/** Compares our results for the bounces in the corpora sisimai and flufl-bounce (spec/support/corpora.ts) with the expected ones. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bounce, readBounce } from '../../../../jmap/mail/reports/bounce.ts'
import { type Complaint, readComplaint } from '../../../../jmap/mail/reports/complaint.ts'
import type { BounceRules } from '../../../../jmap/mail/reports/rules/all.ts'
import { parseMessage } from '../../../../jmap/message/structure.ts'
import { emlFiles, SHARED_CORPORA } from '../../../support/corpora.ts'
import type { Variation } from './bounce-variations.ts'

export interface Count {
  right: number
  of: number
  /** Names of the wrong ones. */
  readonly wrong: string[]
}

export interface Figures {
  /** Recipients found. */
  readonly sisimai: Count
  readonly flufl: Count
  /** Mails all of whose recipients were found. */
  readonly fluflMails: Count
  /** Recipients of sisimai that are rightly classified as permanent or not. */
  readonly hard: Count
  /** The same with policy as a third class. */
  readonly classes: Count
  /** Recipients of flufl: failed, or only delayed. */
  readonly permanent: Count
  /** Complaints that were recognised, with a complaining recipient if the corpus names one. */
  readonly complaints: Count
  /** Mails that are not bounces: not recognised as one, or at least not as permanent. */
  readonly notBounces: Count
  readonly notHard: Count
}

export interface Expected {
  readonly reason: string
  readonly hardbounce: boolean
}

/** Temporary reasons of sisimai; a reason that is neither temporary nor hard is policy. */
const SOFT =
  'mailboxfull expired filtered suspend networkerror systemerror mailererror mesgtoobig exceedlimit systemfull onhold undefined notaccept'.split(
    ' ',
  )

/** Mail of all kinds, and the bounces among it. */
const OTHERS =
  'sisimai/maildir/not enmime james mail-parser mikel-mail mime4j mimekit mox nodemailer-mailsplit postal-mime spamassassin talon zapier-reply zbateson-mime'.split(
    ' ',
  )
const IS_BOUNCE = /bounce|dsn|delivery-status|report|mimepart_without_content_type|noReplyTo|message-rfc822-multipart2/i

export const count = (): Count => ({ right: 0, of: 0, wrong: [] })

export function tell(into: Count, name: string, isRight: boolean, many = 1): void {
  into.of += many
  if (isRight) into.right += many
  else into.wrong.push(name)
}

export function newFigures(): Figures {
  return {
    sisimai: count(),
    flufl: count(),
    fluflMails: count(),
    hard: count(),
    classes: count(),
    permanent: count(),
    complaints: count(),
    notBounces: count(),
    notHard: count(),
  }
}

export interface Manner {
  /** Changes a mail before it is read. */
  readonly vary?: Variation
  readonly rules?: BounceRules
  /** Of the bounces only those whose names pass. */
  readonly only?: (name: string) => boolean
}

export interface Sample {
  readonly name: string
  readonly bytes: Buffer
}

/** The bounces of both corpora, without their results. */
export function openBounces(): Sample[] {
  const samples: Sample[] = []
  const add = (name: string, bytes: Buffer) => samples.push({ name, bytes })
  eachBounce(add, add)
  return samples
}

function eachBounce(
  sisimai: (name: string, bytes: Buffer, expected: Expected[]) => unknown,
  flufl: (name: string, bytes: Buffer, expected: FluflExpected) => unknown,
): void {
  for (const [file, name] of expectedOf('sisimai')) {
    const expected = JSON.parse(readFileSync(file, 'utf8')) as Expected[]
    // As received by SMTP, which refuses lines that end by CR alone.
    for (const folder of ['bsd', 'dos']) {
      const mail = join(SHARED_CORPORA, 'sisimai/maildir', folder, `${name}.eml`)
      if (existsSync(mail)) sisimai(`${folder}/${name}`, readFileSync(mail), expected)
    }
  }
  for (const [file, name] of expectedOf('flufl-bounce')) {
    const mail = readFileSync(join(SHARED_CORPORA, 'flufl-bounce', `${name}.eml`))
    flufl(name, mail, JSON.parse(readFileSync(file, 'utf8')) as FluflExpected)
  }
}

export function measureBounces({ vary, rules, only = () => true }: Manner = {}): Figures {
  const figures = newFigures()
  const varied = (bytes: Buffer) => (vary ? Buffer.from(vary.of(bytes.toString('latin1')), 'latin1') : bytes)
  const address = vary?.address ?? ((text: string) => text)
  eachBounce(
    (name, bytes, expected) => only(name) && compareSisimai(figures, name, varied(bytes), expected, rules),
    (name, bytes, { permanent, temporary }) => {
      const expected = { permanent: permanent.map(address), temporary: temporary.map(address) }
      if (only(name)) compareFlufl(figures, name, varied(bytes), expected, rules)
    },
  )
  return figures
}

/** The same, and mails that are no bounces. */
export function measureAll(): Figures {
  const figures = measureBounces()
  for (const file of OTHERS.flatMap((folder) => emlFiles(join(SHARED_CORPORA, folder)))) {
    // Some of these collections also contain bounces.
    if (IS_BOUNCE.test(file.slice(SHARED_CORPORA.length)) && !file.includes('/not/')) continue
    compareOther(figures, file, readFileSync(file))
  }
  return figures
}

function expectedOf(corpus: string): [file: string, name: string][] {
  const folder = join(SHARED_CORPORA, corpus, 'expected')
  return readdirSync(folder)
    .sort()
    .map((file) => [join(folder, file), file.replace('.expected.json', '')])
}

function read(bytes: Buffer, rules?: BounceRules): { bounce: Bounce | null; complaint: Complaint | null } {
  const parsed = parseMessage(bytes)
  return { bounce: readBounce(bytes, parsed, rules), complaint: readComplaint(bytes, parsed) }
}

/** @param expected of each recipient in turn */
export function compareSisimai(
  figures: Figures,
  name: string,
  bytes: Buffer,
  expected: readonly Expected[],
  rules?: BounceRules,
): void {
  const { bounce, complaint } = read(bytes, rules)
  for (const [i, { reason, hardbounce }] of expected.entries()) {
    if (reason === 'feedback') {
      tell(figures.complaints, name, complaint !== null)
      continue
    }
    if (reason === 'vacation') {
      tell(figures.notBounces, name, bounce === null)
      continue
    }
    const found = bounce?.recipients[i]
    tell(figures.sisimai, name, found !== undefined)
    tell(figures.hard, name, found !== undefined && (found.class === 'hard') === hardbounce)
    const wanted = hardbounce ? 'hard' : reason === 'delivered' ? null : SOFT.includes(reason) ? 'soft' : 'policy'
    tell(figures.classes, name, found !== undefined && found.class === wanted)
  }
}

export interface FluflExpected {
  readonly permanent: readonly string[]
  readonly temporary: readonly string[]
}

export function compareFlufl(
  figures: Figures,
  name: string,
  bytes: Buffer,
  { permanent, temporary }: FluflExpected,
  rules?: BounceRules,
): void {
  const { bounce } = read(bytes, rules)
  const find = (address: string) =>
    bounce?.recipients.find(({ addresses }) => addresses.some((one) => one.toLowerCase() === address.toLowerCase()))
  for (const address of [...permanent, ...temporary]) {
    const found = find(address)
    tell(figures.flufl, name, found !== undefined)
    const wanted = permanent.includes(address) ? 'failed' : 'delayed'
    tell(figures.permanent, name, found?.action === wanted)
  }
  if (permanent.length + temporary.length > 0) tell(figures.fluflMails, name, [...permanent, ...temporary].every(find))
}

export function compareOther(figures: Figures, name: string, bytes: Buffer): void {
  const { bounce } = read(bytes)
  tell(figures.notBounces, name, bounce === null)
  tell(figures.notHard, name, !bounce?.recipients.some((one) => one.class === 'hard'))
}
