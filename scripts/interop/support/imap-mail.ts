/** Mail for tests of imports: folders with names in many scripts, nested, and messages of which no two are alike, with all flags. */
import { existsSync, mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderName, KeywordLetters } from '../../../server/cli/transfer/maildir-names.ts'

export interface MadeMessage {
  /** Empty: the inbox. */
  readonly path: readonly string[]
  readonly octets: Buffer
  readonly keywords: readonly string[]
  /** Epoch ms, whole seconds. */
  readonly receivedAt: number
}

const NAMES = [
  'Projekte',
  'Bücher & mehr',
  '日本語',
  'Входящие',
  'עברית',
  'emoji 😀',
  'v1 2',
  'a b c',
  "o'clock",
  'Ünïcödé',
]
const KEYWORDS = ['$seen', '$answered', '$flagged', '$draft', '$forwarded', 'work', '$label1']
const FIRST_MS = Date.UTC(2015, 0, 1)
const STEP_MS = 3_600_000

/** @param octets about the size of each message */
export function* makeMail(messages: number, folders: number, octets: number): Generator<MadeMessage> {
  const paths = pathsOf(folders)
  for (let i = 0; i < messages; i++) {
    const path = paths[i % paths.length]!
    // Each combination of flags comes.
    const keywords = KEYWORDS.filter((_, bit) => ((i * 37) >> bit) & 1)
    yield { path, octets: message(i, octets), keywords, receivedAt: FIRST_MS + i * STEP_MS }
  }
}

/** The inbox, folders with a role, and others up to five levels deep. */
function pathsOf(count: number): string[][] {
  const paths: string[][] = [[], ['Sent'], ['Drafts']]
  for (let i = 0; paths.length < count; i++) {
    const name = `${NAMES[i % NAMES.length]!} ${i}`
    const above = i % 3 === 0 ? [] : paths[paths.length - 1]!
    paths.push(above.length > 0 && above.length < 5 && paths.length > 3 ? [...above, name] : [name])
  }
  return paths.slice(0, count)
}

function message(number: number, octets: number): Buffer {
  const head = [
    `Message-ID: <${number}@imports.example>`,
    `From: "Sender ${number % 50}" <sender${number % 50}@example.net>`,
    'To: ada@example.org',
    `Subject: =?utf-8?q?Nachricht_=C3=BC?= ${number}`,
    `Date: ${new Date(FIRST_MS + number * STEP_MS).toUTCString().replace('GMT', '+0000')}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    '',
  ].join('\r\n')
  const line = `Zeile ${number} mit Wörtern, die gesucht werden: ${number * 7919} ${number * 104_729}\r\n`
  const bytes = Buffer.byteLength(line)
  return Buffer.from(head + line.repeat(Math.max(1, Math.round((octets - head.length) / bytes))))
}

/** A folder in memory if there is one: the mail of a source need not outlive a power cut, and Cyrus syncs each message. */
export function memoryFolder(prefix: string): string {
  return mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), prefix))
}

/** Writes a Maildir++ as Dovecot keeps it. */
export function writeMaildir(root: string, mail: Iterable<MadeMessage>): void {
  const letters = new Map<string, KeywordLetters>()
  let number = 0
  for (const { path, octets, keywords, receivedAt } of mail) {
    const directory = join(root, folderName(path))
    let known = letters.get(directory)
    if (!known) {
      for (const name of ['cur', 'new', 'tmp']) mkdirSync(join(directory, name), { recursive: true })
      if (path.length > 0) writeFileSync(join(directory, 'maildirfolder'), '')
      known = new KeywordLetters()
      letters.set(directory, known)
    }
    // $Forwarded has a letter in the Maildir format that Dovecot does not show as a keyword.
    const flags = known.flagsOf(keywords.filter((keyword) => keyword !== '$forwarded'))
    const file = join(directory, 'cur', `${number++}.made,S=${octets.length}:2,${flags}`)
    writeFileSync(file, octets)
    utimesSync(file, receivedAt / 1_000, receivedAt / 1_000)
  }
  for (const [directory, { text }] of letters) writeFileSync(join(directory, 'dovecot-keywords'), text)
}
