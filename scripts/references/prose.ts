/** What people read in a file: all of a document, and of a program its comments and the titles of its tests. */
import { isComment, tokensOf } from './source-tokens.ts'
import { testTitles } from './test-titles.ts'

export interface Prose {
  readonly text: string
  /** The line of the file at which it begins, from 1. */
  readonly line: number
}

const PROGRAM = /\.(?:ts|js|mjs)$/
const DOCUMENT = /\.(?:md|tsv|html|json)$/

/** Made by programs from what is checked itself. */
const GENERATED = ['package-lock.json', 'spec/openapi.json', 'rest/client/api.d.ts']

export function proseOf(path: string, text: string): Prose[] {
  if (GENERATED.includes(path)) return []
  if (DOCUMENT.test(path)) return [{ text, line: 1 }]
  if (!PROGRAM.test(path)) return []
  const pieces = [
    ...tokensOf(text).filter(isComment),
    ...testTitles(text).map(({ title, at }) => ({ text: title, at })),
  ].sort((a, b) => a.at - b.at)
  // Comments of one paragraph that stand in lines of their own are one text: a sentence goes on in the next line.
  return joined(pieces, text).map((piece) => ({ text: piece.text, line: lineAt(text, piece.at) }))
}

function joined(pieces: readonly { text: string; at: number }[], source: string): { text: string; at: number }[] {
  const texts: { text: string; at: number }[] = []
  for (const piece of pieces) {
    const last = texts.at(-1)
    const between = last ? source.slice(last.at + last.text.length, piece.at) : ''
    if (last && /^\n[ \t]*$/.test(between) && last.text.startsWith('//') && piece.text.startsWith('//'))
      texts[texts.length - 1] = { text: last.text + between + piece.text, at: last.at }
    else texts.push(piece)
  }
  return texts
}

export function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}
