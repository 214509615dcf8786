/** Titles of the tests in a file: the texts that `.test(` is given, outside of comments and strings. */
import { isComment, tokensOf } from './source-tokens.ts'

/** What a title has to match: a text, or a template of which each `${...}` may be anything. */
export interface TitlePattern {
  /** As it stands between the quotes, escapes resolved; a template keeps its `${...}`. */
  readonly title: string
  /** Where it stands in the source. */
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
      // A comment may stand before the title.
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
  // A title of nothing but a variable would match everything, and show nothing.
  const saysSomething = pieces.some((piece) => /[a-z]/i.test(piece))
  return { title: text, matches: (title) => title === text || (saysSomething && pattern.test(title)) }
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([\s\S])/g, (_, char: string) => ({ n: '\n', t: '\t' })[char] ?? char)
}
