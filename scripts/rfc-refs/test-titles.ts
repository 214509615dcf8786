/** Titles of the tests in a file: the texts that `.test(` is given, outside of comments and strings. */

/** What a title has to match: a text, or a template of which each `${...}` may be anything. */
export interface TitlePattern {
  /** As it stands between the quotes, escapes resolved; a template keeps its `${...}`. */
  readonly title: string
  matches(title: string): boolean
}

const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`(?:\\[\s\S]|\$\{(?:[^{}]|\{[^{}]*\})*\}|[^`\\])*`|(?<=[(,=:[!&|?{};]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*|\.test\(/g

export function testTitles(source: string): TitlePattern[] {
  const titles: TitlePattern[] = []
  let calledAt = -1
  for (const match of source.matchAll(TOKEN)) {
    const [token] = match
    const isFirstArgument = calledAt >= 0 && source.slice(calledAt, match.index).trim() === ''
    if (token === '.test(') calledAt = match.index + token.length
    else if (token.startsWith('//') || token.startsWith('/*')) {
      // A comment may stand before the title.
      if (isFirstArgument) calledAt = match.index + token.length
    } else if (isFirstArgument) {
      if (/^['"`]/.test(token)) titles.push(titlePattern(token))
      calledAt = -1
    }
  }
  return titles
}

function titlePattern(literal: string): TitlePattern {
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
