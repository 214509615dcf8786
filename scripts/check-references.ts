/**
 * Checks that everything the repository refers to is in it: rows and clauses of spec/rfc-index.tsv (scripts/references/rfc-faults.ts);
 * decisions, promises and pitfalls by number (numbered.ts); documents and files by name (documents.ts). One line for each fault, exit
 * code 1 if there is any.
 *
 *     node scripts/check-references.ts
 */
import { projectPaths, readProjectFile } from '../spec/architecture/source-files.ts'
import { documentFaults } from './references/documents.ts'
import { numberFaults } from './references/numbered.ts'
import { rfcFaults } from './references/rfc-faults.ts'

const INDEX = 'spec/rfc-index.tsv'
const CODE = /^(?:jmap|server|rest|storage|mta)\/.*\.[tj]s$/
/** Mails from others, and binary files. */
const FOREIGN = /^spec\/corpus\/|\.(?:png|ico|gz|zip)$/

/** @param files the project's own, by path from the top */
export function referenceFaults(files: ReadonlyMap<string, string>): string[] {
  const project = {
    read: (path: string) => files.get(path) ?? null,
    code: [...files.keys()].filter((path) => CODE.test(path)),
  }
  return [...rfcFaults(project, [INDEX]), ...numberFaults(files), ...documentFaults(files)]
}

if (import.meta.main) {
  const paths = projectPaths().filter((path) => !FOREIGN.test(path))
  const faults = referenceFaults(new Map(paths.map((path) => [path, readProjectFile(path).text])))
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) console.error(`${faults.length} references lead nowhere`)
  process.exitCode = faults.length > 0 ? 1 : 0
}
