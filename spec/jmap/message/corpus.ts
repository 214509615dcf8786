/** The mails of spec/corpus, and of any other folder. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface CorpusMail {
  readonly name: string
  readonly bytes: Buffer
}

/** The .eml files below a folder; none if it is absent, as the shared corpora may be: tests that need them are skipped with a message. */
export function mailsIn(folder: string): CorpusMail[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .map((name) => ({ name, bytes: readFileSync(join(folder, name)) }))
}

export const OWN_CORPUS = mailsIn(join(import.meta.dirname, '../../corpus'))
