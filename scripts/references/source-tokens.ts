/** Comments, strings, regular expressions and calls of `.test(` in a source file, in order: text in quotes is not a comment. */

const TOKEN =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`(?:\\[\s\S]|\$\{(?:[^{}]|\{[^{}]*\})*\}|[^`\\])*`|(?<=[(,=:[!&|?{};]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*|\.test\(/g

export interface SourceToken {
  readonly text: string
  /** Its start. */
  readonly at: number
}

export function tokensOf(source: string): SourceToken[] {
  return [...source.matchAll(TOKEN)].map((match) => ({ text: match[0], at: match.index }))
}

export function isComment({ text }: SourceToken): boolean {
  return text.startsWith('//') || text.startsWith('/*')
}
