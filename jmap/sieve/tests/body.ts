/** RFC 5173: the body test. */
import type { TestDefinition } from '../definition.ts'
import { compileMatch, MATCH_TAGS } from '../match.ts'
import type { Run } from '../run.ts'
import type { Texts } from '../text.ts'

export const bodyTest: TestDefinition = {
  name: 'body',
  requires: ['body'],
  tags: {
    ...MATCH_TAGS,
    raw: { group: 'transform' },
    text: { group: 'transform' },
    content: { group: 'transform', value: 'strings' },
  },
  positional: ['strings'],
  compile(bound) {
    const types = bound.texts('content')
    const isRaw = bound.has('raw')
    // RFC 5173 6: wildcard matches in a body set no variables.
    const match = compileMatch(bound, bound.textsAt(0), false)
    return (run) => {
      const { message } = run.environment
      if (!message.hasBody()) return false
      if (isRaw) return match(run, [message.rawBody()])
      return match(run, types ? contents(run, types) : [withCrlf(message.bodyText())])
    }
  },
}

function contents(run: Run, types: Texts): string[] {
  const wanted = types.read(run).map((type) => type.toLowerCase())
  return run.environment.message
    .parts()
    .filter(({ type }) => wanted.some((one) => isOfType(type, one)))
    .map(({ text }) => withCrlf(text()))
}

/**
 * RFC 5173 5.2: an empty string matches every type; a word matches a type with any subtype; a text with a slash at an end, or with two,
 * matches none.
 */
function isOfType(type: string, wanted: string): boolean {
  if (wanted === '') return true
  return wanted.includes('/') ? /^[^/]+\/[^/]+$/.test(wanted) && type === wanted : type.startsWith(`${wanted}/`)
}

/** RFC 5173 4: lines end with CRLF, as in texts of the script. */
function withCrlf(text: string): string {
  return text.includes('\n') ? text.replace(/\r?\n/g, '\r\n') : text
}
