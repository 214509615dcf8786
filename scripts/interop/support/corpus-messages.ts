/**
 * Messages whose bodies every SMTP server must pass on unchanged: from the shared corpora if they are beside the checkout, with SMTP
 * line ends, no NUL, and lines within the limit of RFC 5321 4.5.3.1.6; else from the repository's own corpus.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { emlFiles, OWN_CORPUS, SHARED_CORPORA } from '../../../spec/support/corpora.ts'

export interface CorpusMessage {
  readonly header: string
  readonly body: string
}

const LINE_MAX = 998
const SIZE_MAX = 1_000_000

/** Octets as characters (latin1). */
export function corpusMessages(count: number): CorpusMessage[] {
  const folder = existsSync(SHARED_CORPORA) ? SHARED_CORPORA : OWN_CORPUS
  const messages = emlFiles(folder)
    .map((file) => readFileSync(file, 'latin1').replace(/\r\n|\r|\n/g, '\r\n'))
    .filter((text) => text.length < SIZE_MAX && !text.includes('\0'))
    .filter((text) => text.split('\r\n').every((line) => line.length <= LINE_MAX))
    .flatMap((text) => split(text) ?? [])
  if (messages.length === 0) throw new Error('there is no message to send')
  // Evenly from all corpora.
  return Array.from({ length: count }, (_, i) => messages[Math.floor((i * messages.length) / count) % messages.length]!)
}

/** null: without header fields of the usual form. */
export function split(text: string): CorpusMessage | null {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0 || !/^[!-9;-~]+:/.test(text)) return null
  return { header: text.slice(0, end + 2), body: text.slice(end + 4) }
}

/** The fields that describe the body, and none that names the author. */
export function contentFields(header: string): string {
  const fields = header.match(/^(?:content-[a-z-]+|mime-version):.*\r\n(?:[ \t].*\r\n)*/gim) ?? []
  return fields.join('')
}

/** SMTP ends a message with a line end, which may have to be added. */
export function bodyHash(body: string): string {
  const whole = body === '' || body.endsWith('\r\n') ? body : `${body}\r\n`
  return createHash('sha256').update(whole, 'latin1').digest('hex')
}
