/** Names, lengths and places of files, and text that they may not contain. */
import { codeOnly, importsOf, type SourceFile } from './source-files.ts'

const TOP_LEVEL = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'README.md',
  'LICENSE',
  'server',
  'jmap',
  'rest',
  'storage',
  'mta',
  'spec',
  'scripts',
]

/** Otherwise there are only dot files. */
export function topLevelFaults(paths: readonly string[]): string[] {
  const entries = new Set(paths.map((path) => path.split('/')[0]!))
  return [...entries].filter((entry) => !TOP_LEVEL.includes(entry) && !entry.startsWith('.'))
}

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/

/** Folders and files in lower case with hyphens. Mails from others keep their original names. */
export function nameFaults(paths: readonly string[]): string[] {
  return paths.filter((path) => {
    const parts = path.split('/')
    return (
      parts.length > 1 &&
      !parts[0]!.startsWith('.') &&
      !path.startsWith('spec/corpus/') &&
      !parts.every((part) => KEBAB.test(part))
    )
  })
}

export const LINES_MAX = 400
export const LINES_WANTED = 300

function linesOf(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

export function longerThan(lines: number, files: readonly SourceFile[]): string[] {
  return files.filter(({ text }) => linesOf(text) > lines).map(({ path, text }) => `${path}: ${linesOf(text)} lines`)
}

/** The two entries: the one that old versions of Node can read, and the one that it loads; what finds that; and the clock of the thread's own CPU. */
const TOUCH_PROCESS = ['server/main.ts', 'server/posthouse.js', 'server/program.js', 'server/threads/thread-time.ts']
const PROCESS = /(?<![\w.$#])process\s*(\?\.|[.[])|\bglobalThis\s*\.\s*process\b/

/** All other modules get the parts of the process that they need as arguments. Scripts are separate processes. */
export function processFaults(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !path.startsWith('scripts/') && !TOUCH_PROCESS.includes(path))
    .filter(
      ({ text }) => PROCESS.test(codeOnly(text)) || importsOf(text).some(({ from }) => /^(node:)?process$/.test(from)),
    )
    .map(({ path }) => path)
}

/** Exports have names, so that a thing has the same name everywhere; unfinished work is not left as a comment. */
export function habitFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const faults: string[] = []
    if (/^export default\b/m.test(codeOnly(text))) faults.push(`${path} has a default export`)
    if (/\b(TODO|FIXME|XXX|HACK)\b/.test(text)) faults.push(`${path} has work left to do`)
    return faults
  })
}

// Patterns, so that this file does not contain the text.
const MACHINE_PATH = /(?<![\w.~-])\/(?:work|home|root|Users|mnt)\/(?!\.\.)[\w.-]+/g
const RESOLVED = /(?<="resolved":\s*")[^"]+/g
const REGISTRY_SETTING = /\bregistry\s*[=:]\s*["']?https?:\/\/[^\s"']+/gi
const REGISTRY_HOST =
  /(?<=https?:\/\/)(?:registry|npm)(?:\.[\w-]+)+|\bregistry\.[\w-]+\.(?:org|com|net|io|dev|internal|local)\b/gi

/** No text that depends on one machine: no path of its disk, and no registry in the lockfile or a setting. */
export function machineFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const found = [MACHINE_PATH, RESOLVED, REGISTRY_SETTING, REGISTRY_HOST].flatMap(
      (pattern) => text.match(pattern) ?? [],
    )
    return [...new Set(found)].map((words) => `${path}: ${words}`)
  })
}
