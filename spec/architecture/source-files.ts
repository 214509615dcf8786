/** The files that make up the project, and what a module imports. The rules over them are pure: they take text, and name what is wrong. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..')

export interface SourceFile {
  /** From the top of the project, with slashes. */
  readonly path: string
  readonly text: string
}

export interface Import {
  /** As written: a package, or a relative path. */
  readonly from: string
  /** Gone when it runs. */
  readonly typeOnly: boolean
}

/** Files that the repository holds or would take, by path. Without git (an unpacked archive): all but what is made there. */
export function projectPaths(): string[] {
  return (trackedPaths() ?? walk('')).sort()
}

function trackedPaths(): string[] | null {
  try {
    const list = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return [...new Set(list.split('\0'))].filter((path) => path !== '' && existsSync(join(ROOT, path)))
  } catch {
    return null
  }
}

const MADE = ['node_modules', 'data', '.git', '.tap']

function walk(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name)
    if (MADE.includes(path)) return []
    return entry.isDirectory() ? walk(path) : [path]
  })
}

export function readProjectFile(path: string): SourceFile {
  return { path, text: readFileSync(join(ROOT, path), 'utf8') }
}

const SOURCE_FOLDERS = ['server', 'storage', 'jmap', 'mta', 'rest', 'scripts']

/** Written by scripts. */
const GENERATED = ['rest/client/api.d.ts']

/** Modules of the program and its scripts, without the tests. */
export function sourceFiles(): SourceFile[] {
  return projectPaths()
    .filter((path) => /\.(ts|js)$/.test(path) && SOURCE_FOLDERS.includes(path.split('/')[0]!))
    .filter((path) => !GENERATED.includes(path))
    .map(readProjectFile)
}

const STATEMENT = /^\s*(import|export)\s+(type\s+)?(?:[\w*$\s{},]*?\s+from\s+)?(['"])([^'"\n]+)\3/gm
const CALL = /\b(?:import|require)\s*\(\s*(['"])([^'"\n]+)\1\s*\)/g
const WORKER = /\bnew URL\(\s*(['"])(\.[^'"\n]+\.[tj]s)\1\s*,\s*import\.meta\.url\s*\)/g

/** Every import, re-export, dynamic import and file that is started as a thread. */
export function importsOf(text: string): Import[] {
  const imports: Import[] = []
  for (const [, word, type, , from] of text.matchAll(STATEMENT)) {
    if (word === 'export' && from === undefined) continue
    imports.push({ from: from!, typeOnly: type !== undefined })
  }
  for (const [whole, , from] of text.matchAll(CALL)) {
    // `import('x').Type` in a place for types; what is awaited or handed on is a value.
    const at = text.indexOf(whole)
    imports.push({ from: from!, typeOnly: /^\.[A-Z]/.test(text.slice(at + whole.length)) })
  }
  for (const [, , from] of text.matchAll(WORKER)) imports.push({ from: from!, typeOnly: false })
  return imports
}

/** The path that a relative import leads to; null for a package. */
export function resolveImport(file: string, from: string): string | null {
  return from.startsWith('.') ? posix.normalize(posix.join(posix.dirname(file), from)) : null
}

/** Text without comments and without what stands in quotes, for rules about words of the program. */
export function codeOnly(text: string): string {
  return text.replaceAll(
    /\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g,
    (match) => (match.startsWith('/') ? ' ' : `''${'\n'.repeat(match.split('\n').length - 1)}`),
  )
}
