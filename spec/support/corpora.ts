/** Mails for tests: the small corpus of the repository, and the large one beside the checkout if it exists. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export const OWN_CORPUS = join(import.meta.dirname, '../corpus')
/** 4,000 real mails, never part of the repository; absent if only the repository is there. */
export const SHARED_CORPORA = join(import.meta.dirname, '../../../shared/corpora')

/** Why tests of the shared corpora are skipped; false: they run. */
export function sharedMissing(): string | false {
  return existsSync(SHARED_CORPORA) ? false : 'the shared corpora are not beside this checkout'
}

export function emlFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.toLowerCase().endsWith('.eml'))
    .map((name) => join(folder, name))
    .sort()
}
