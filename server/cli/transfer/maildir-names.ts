/**
 * Names in a Maildir++ as Dovecot writes them: folders beside the inbox, with levels separated by dots, in modified UTF-7 (RFC 3501 5.1.3);
 * flags after `:2,` in the names of files. Characters that have a meaning there are escaped as by Dovecot's plugin listescape, so that
 * each name comes back.
 */
import { decodeModifiedUtf7, encodeModifiedUtf7 } from '../../base/modified-utf7.ts'
import { MAILDIR_KEYWORDS_MAX } from '../../base/transfer-limits.ts'

/** @param path names from the top down; empty: the inbox. @returns name of the folder in the Maildir; empty: the Maildir itself */
export function folderName(path: readonly string[]): string {
  return path.map((name) => `.${encodeModifiedUtf7(name).replaceAll(/[./\\]/g, escaped)}`).join('')
}

export function pathOfFolder(folder: string): string[] {
  return folder
    .split('.')
    .filter((name) => name !== '')
    .map((name) =>
      decodeModifiedUtf7(
        name.replaceAll(/\\([0-9a-f]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
      ),
    )
}

function escaped(character: string): string {
  return `\\${character.charCodeAt(0).toString(16)}`
}

const LETTERS: readonly (readonly [letter: string, keyword: string])[] = [
  ['D', '$draft'],
  ['F', '$flagged'],
  ['P', '$forwarded'],
  ['R', '$answered'],
  ['S', '$seen'],
]

/** Keywords of a folder that have no letter of their own, in the order of their letters from `a` on. */
export class KeywordLetters {
  readonly #names: string[]

  constructor(names: readonly string[] = []) {
    this.#names = [...names]
  }

  /** @param text of the file `dovecot-keywords` */
  static read(text: string): KeywordLetters {
    const names: string[] = []
    for (const [, number, name] of text.matchAll(/^(\d{1,2}) (\S{1,255})$/gm))
      if (Number(number) < MAILDIR_KEYWORDS_MAX) names[Number(number)] = name!
    return new KeywordLetters(names)
  }

  get text(): string {
    return this.#names.map((name, i) => `${i} ${name}\n`).join('')
  }

  /** The flags in a file name; keywords beyond the letters are left out. */
  flagsOf(keywords: readonly string[]): string {
    const system = LETTERS.filter(([, keyword]) => keywords.includes(keyword)).map(([letter]) => letter)
    const others = keywords.filter((keyword) => !LETTERS.some(([, known]) => known === keyword))
    return [...system, ...others.flatMap((keyword) => this.#letterOf(keyword) ?? []).sort()].join('')
  }

  keywordsOf(flags: string): string[] {
    return [...flags].flatMap((letter) => {
      const known = LETTERS.find(([one]) => one === letter)
      return (
        known?.[1] ?? (/[a-z]/.test(letter) ? this.#names[letter.charCodeAt(0) - 97]?.toLowerCase() : undefined) ?? []
      )
    })
  }

  #letterOf(keyword: string): string | null {
    if (!this.#names.includes(keyword)) {
      if (this.#names.length === MAILDIR_KEYWORDS_MAX) return null
      this.#names.push(keyword)
    }
    return String.fromCharCode(97 + this.#names.indexOf(keyword))
  }
}
