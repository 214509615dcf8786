/** Mails to test with: the small corpus of the repository, and the large one beside the checkout where there is one. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export const OWN_CORPUS = join(import.meta.dirname, '../corpus')
/** 4,000 real mails, never part of the repository; absent where only the repository is. */
export const SHARED_CORPORA = join(import.meta.dirname, '../../../shared/corpora')

/** Why tests over the shared corpora are skipped, or false where they run. */
export function sharedMissing(): string | false {
  return existsSync(SHARED_CORPORA) ? false : 'the shared corpora are not beside this checkout'
}

export function emlFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.toLowerCase().endsWith('.eml'))
    .map((name) => join(folder, name))
    .sort()
}
