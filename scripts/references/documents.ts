/** Documents and files that texts refer to: each is in the repository. */
import { posix } from 'node:path'
import { lineAt, proseOf } from './prose.ts'

/** A document by its name, alone or with folders; a file of the program by its path. */
const MENTION =
  /(?<![\w/.*@{}-])(?:(?:\.{1,2}\/)*(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:md|tsv|txt)|(?:[\w-][\w.-]*\/)+[\w-][\w.-]*\.(?:ts|js))(?![\w/*-])/g
const OUTSIDE = /(?:\.\.\/)+shared\b/g

/** The only file that names the location of the corpora, which are outside of the repository. */
const LOCATES_CORPORA = 'spec/support/corpora.ts'

/** @param files the project's own, by path */
export function documentFaults(files: ReadonlyMap<string, string>): string[] {
  const faults = [...files].flatMap(([path, text]) => [...missing(path, text, files), ...outside(path, text)])
  // A link names its target twice.
  return [...new Set(faults)]
}

function missing(path: string, text: string, files: ReadonlyMap<string, string>): string[] {
  return proseOf(path, text).flatMap((prose) =>
    [...prose.text.matchAll(MENTION)]
      .filter(([mention]) => !isThere(path, mention, files))
      .map(
        (match) => `${path}:${prose.line - 1 + lineAt(prose.text, match.index)}: ${match[0]} is not in the repository`,
      ),
  )
}

/** From the top, or from the place of the mention. */
function isThere(path: string, mention: string, files: ReadonlyMap<string, string>): boolean {
  return files.has(posix.normalize(mention)) || files.has(posix.join(posix.dirname(path), mention))
}

function outside(path: string, text: string): string[] {
  if (path === LOCATES_CORPORA) return []
  return [...text.matchAll(OUTSIDE)].map(
    (match) => `${path}:${lineAt(text, match.index)}: ${match[0]} is beside the repository, not in it`,
  )
}
