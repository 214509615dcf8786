/** Compares our reading of the bounces in the corpora sisimai and flufl-bounce (spec/support/corpora.ts) with what is expected of them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseMessage } from '../../../../jmap/mail/message/structure.ts'
import { type Bounce, readBounce } from '../../../../jmap/mail/reports/bounce.ts'
import { type Complaint, readComplaint } from '../../../../jmap/mail/reports/complaint.ts'
import { emlFiles, SHARED_CORPORA } from '../../../support/corpora.ts'

export interface Count {
  right: number
  of: number
  /** Names of those that are not. */
  readonly wrong: string[]
}

export interface Figures {
  /** Recipients found. */
  readonly sisimai: Count
  readonly flufl: Count
  /** Mails whose recipients were all found. */
  readonly fluflMails: Count
  /** Recipients of sisimai that are rightly taken as gone for good, or as not. */
  readonly hard: Count
  /** The same with policy apart. */
  readonly classes: Count
  /** Recipients of flufl: failed, or only delayed. */
  readonly permanent: Count
  /** Complaints read as such, with somebody who complains where the corpus knows one. */
  readonly complaints: Count
  /** Mails that are no bounces: not taken as one, or at least not as hard. */
  readonly notBounces: Count
  readonly notHard: Count
}

export interface Expected {
  readonly reason: string
  readonly hardbounce: boolean
}

/** Reasons of sisimai that are for now only; what is neither these nor hard is policy. */
const SOFT =
  'mailboxfull expired filtered suspend networkerror systemerror mailererror mesgtoobig exceedlimit systemfull onhold undefined notaccept'.split(
    ' ',
  )

/** Mail of all kinds, and what in it is a bounce after all. */
const OTHERS =
  'sisimai/maildir/not enmime james mail-parser mikel-mail mime4j mimekit mox nodemailer-mailsplit postal-mime spamassassin talon zapier-reply zbateson-mime'.split(
    ' ',
  )
const IS_BOUNCE = /bounce|dsn|delivery-status|report|mimepart_without_content_type|noReplyTo|message-rfc822-multipart2/i

const count = (): Count => ({ right: 0, of: 0, wrong: [] })

function tell(into: Count, name: string, isRight: boolean, many = 1): void {
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

export function measureBounces(): Figures {
  const figures = newFigures()
  for (const [file, name] of expectedOf('sisimai')) {
    const expected = JSON.parse(readFileSync(file, 'utf8')) as Expected[]
    // As SMTP brings them: lines that end by CR alone are refused there.
    for (const folder of ['bsd', 'dos']) {
      const mail = join(SHARED_CORPORA, 'sisimai/maildir', folder, `${name}.eml`)
      if (existsSync(mail)) compareSisimai(figures, `${folder}/${name}`, readFileSync(mail), expected)
    }
  }
  for (const [file, name] of expectedOf('flufl-bounce')) {
    const mail = readFileSync(join(SHARED_CORPORA, 'flufl-bounce', `${name}.eml`))
    compareFlufl(figures, name, mail, JSON.parse(readFileSync(file, 'utf8')) as FluflExpected)
  }
  for (const file of OTHERS.flatMap((folder) => emlFiles(join(SHARED_CORPORA, folder)))) {
    // Some of these collections hold bounces too.
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

function read(bytes: Buffer): { bounce: Bounce | null; complaint: Complaint | null } {
  const parsed = parseMessage(bytes)
  return { bounce: readBounce(bytes, parsed), complaint: readComplaint(bytes, parsed) }
}

/** @param expected of each recipient in turn */
export function compareSisimai(figures: Figures, name: string, bytes: Buffer, expected: readonly Expected[]): void {
  const { bounce, complaint } = read(bytes)
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
): void {
  const { bounce } = read(bytes)
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
