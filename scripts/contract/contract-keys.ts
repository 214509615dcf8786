/**
 * Keys of all demands of the contract's text, computed from the text. Lines may move; the keys stay.
 *
 *     Section/name                  a row of a table
 *     Section/METHOD path           an endpoint, without the part of the path that all endpoints of the section share
 *     Section/METHOD path ?name     a member of its query; `.name` of its body
 *     Section/leading-words         a sentence
 */
import { type Section, type Sentence, sectionsOf, type TableRow } from './contract-text.ts'

export interface ContractKey {
  readonly key: string
  /** From 1. */
  readonly line: number
}

interface Endpoint {
  readonly method: string
  /** Segments of the path, without the query. */
  readonly path: readonly string[]
  readonly query: readonly string[]
}

const LEADING_WORDS = 4

/** In the order of the text, each once. */
export function contractKeys(text: string): ContractKey[] {
  const keys = sectionsOf(text).flatMap((section) =>
    [...rowKeys(section), ...sentenceKeys(section)]
      .map(({ key, line }) => ({ key: `${section.name}/${key}`, line }))
      .sort((a, b) => a.line - b.line),
  )
  return keys.filter(({ key }, i) => keys.findIndex((other) => other.key === key) === i)
}

function rowKeys(section: Section): ContractKey[] {
  const shared = sharedFolder(section)
  return section.rows.flatMap((row) => {
    const { cells, line } = row
    const endpoint = endpointOf(cells[0]!)
    if (endpoint !== null) return endpointKeys(endpoint, requestOf(row), shared).map((key) => ({ key, line }))
    const first = withoutRemarks(cells[0]!)
    const names = first.split(', ').every((name) => /^[\w.$]+$/.test(name)) ? first.split(', ') : [first]
    return names.map((name) => ({ key: cellKey(section, row, name), line }))
  })
}

/** A first cell that other rows also have is extended by the next cells. */
function cellKey(section: Section, row: TableRow, first: string): string {
  let alike = section.rows.filter((other) => other !== row && withoutRemarks(other.cells[0]!) === first)
  let key = first
  for (let i = 1; alike.length > 0 && i < row.cells.length; i++) {
    key += ` ${row.cells[i]}`
    alike = alike.filter((other) => other.cells[i] === row.cells[i])
  }
  return key.replaceAll(',', '')
}

function endpointOf(text: string): Endpoint | null {
  const match = /^`?(GET|POST|PUT|PATCH|DELETE) (\/[^\s`?]*)(?:\?([^\s`]*))?/.exec(text)
  if (!match) return null
  const [, method, path, query] = match
  return {
    method: method!,
    path: path!.split('/').filter((part) => part !== ''),
    query: (query ?? '').split('&').flatMap((part) => /^\w+/.exec(part)?.[0] ?? []),
  }
}

/** The endpoint itself, and each member of its query or body in the text. */
function endpointKeys({ method, path, query }: Endpoint, request: string, shared: readonly string[]): string[] {
  const key = `${method} ${path.slice(shared.length).join('/')}`
  const mark = method === 'GET' || method === 'DELETE' ? '?' : '.'
  const members = [...withoutRemarks(request).matchAll(/`(?:\{([^`]*)\}|(\w+))`/g)].flatMap(([, object, name]) =>
    name ? [name] : [...object!.matchAll(/(?:^|, )(\w+)/g)].map(([, member]) => member!),
  )
  return [key, ...query.map((name) => `${key} ?${name}`), ...members.map((name) => `${key} ${mark}${name}`)]
}

/** The column of the request, else the sentences of purposes and notes about a request. */
function requestOf({ cells, head }: TableRow): string {
  const request = head.indexOf('Request')
  if (request >= 0) return cells[request] ?? ''
  const notes = cells[Math.max(head.indexOf('Purpose'), head.indexOf('Notes'))] ?? ''
  return notes
    .split(/\.\s/)
    .filter((sentence) => /\b(?:Body|[Qq]uery|required)\b/.test(sentence))
    .join(' ')
}

/** Text in round brackets is a remark. */
function withoutRemarks(text: string): string {
  return text.replaceAll(/\s*\([^()]*\)/g, '')
}

/** The common path of all endpoints of a section, without their last part. */
function sharedFolder(section: Section): readonly string[] {
  const texts = [...section.rows.map(({ cells }) => cells[0]!), ...section.sentences.map(({ text }) => text)]
  const folders = texts.flatMap((text) => {
    const endpoint = endpointOf(text)
    return endpoint ? [endpoint.path.slice(0, -1)] : []
  })
  if (folders.length === 0) return []
  return folders.reduce((shared, folder) => {
    const end = shared.findIndex((part, i) => folder[i] !== part)
    return end < 0 ? shared : shared.slice(0, end)
  })
}

/** The endpoint at the start of a sentence, else as many of its leading words as distinguish it from the others. */
function sentenceKeys(section: Section): ContractKey[] {
  const shared = sharedFolder(section)
  const others = section.sentences.filter(({ text }) => endpointOf(text) === null)
  return section.sentences.flatMap((sentence) => {
    const { text, line } = sentence
    const endpoint = endpointOf(text)
    if (endpoint !== null) return endpointKeys(endpoint, '', shared).map((key) => ({ key, line }))
    return [{ key: leadingWords(sentence, others), line }]
  })
}

function leadingWords(sentence: Sentence, all: readonly Sentence[]): string {
  const words = wordsOf(sentence.text)
  const others = all.filter((other) => other !== sentence).map(({ text }) => wordsOf(text))
  const start = (of: readonly string[], count: number) => of.slice(0, count).join('-')
  for (let count = LEADING_WORDS; count < words.length; count++)
    if (!others.some((other) => start(other, count) === start(words, count))) return start(words, count)
  const whole = words.join('-')
  // The same sentence is in two lines: the line's first words distinguish them.
  const isRepeated = others.some((other) => other.join('-') === whole)
  return isRepeated ? `${start(wordsOf(sentence.first), LEADING_WORDS)}-${whole}` : whole
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9_]+/g) ?? []
}
