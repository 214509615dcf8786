/** Titles of the tests in a file: the first arguments of `.test(`, outside of comments and strings. */
import { isComment, tokensOf } from './source-tokens.ts'

/** A pattern for titles: a text, or a template in which each `${...}` matches anything. */
export interface TitlePattern {
  /** The text between the quotes, with escapes resolved; a template keeps its `${...}`. */
  readonly title: string
  /** Its position in the source. */
  readonly at: number
  matches(title: string): boolean
}

/** In the order of the source. */
export function testTitles(source: string): TitlePattern[] {
  const titles: TitlePattern[] = []
  let calledAt = -1
  for (const token of tokensOf(source)) {
    const { text, at } = token
    const isFirstArgument = calledAt >= 0 && source.slice(calledAt, at).trim() === ''
    if (text === '.test(') calledAt = at + text.length
    else if (isComment(token)) {
      // A comment may precede the title.
      if (isFirstArgument) calledAt = at + text.length
    } else if (isFirstArgument) {
      if (/^['"`]/.test(text)) titles.push({ ...titlePattern(text), at })
      calledAt = -1
    }
  }
  return titles
}

function titlePattern(literal: string): Omit<TitlePattern, 'at'> {
  const text = unescaped(literal.slice(1, -1))
  if (!literal.startsWith('`')) return { title: text, matches: (title) => title === text }
  const pieces = text
    .split(/\$\{(?:[^{}]|\{[^{}]*\})*\}/)
    .map((piece) => piece.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  const pattern = new RegExp(`^${pieces.join('.*')}$`)
  // A title that is only a variable would match everything, and show nothing.
  const saysSomething = pieces.some((piece) => /[a-z]/i.test(piece))
  return { title: text, matches: (title) => title === text || (saysSomething && pattern.test(title)) }
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([\s\S])/g, (_, char: string) => ({ n: '\n', t: '\t' })[char] ?? char)
}
