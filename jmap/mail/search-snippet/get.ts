/** SearchSnippet/get: the matches of a filter's texts in an email's subject and body (RFC 8621 5). */
import { setImmediate } from 'node:timers/promises'
import { type EmailSummary, findEmails } from '../../../storage/repos/emails.ts'
import { findMatches } from '../../../storage/search/matches.ts'
import { spansOf } from '../../../storage/search/spans.ts'
import type { Phrase } from '../../../storage/search/tokens.ts'
import { MethodError } from '../../protocol/errors.ts'
import { MAIL } from '../../type/capabilities.ts'
import type { MethodContext } from '../../type/context.ts'
import type { FilterOf } from '../../type/derived.ts'
import { isOperator } from '../../type/filter.ts'
import type { ReadContext } from '../../type/handlers.ts'
import { defineMethod } from '../../type/method.ts'
import { checkQuery, QUERY_FILTER_ARGS } from '../../type/methods/query.ts'
import { type ArgumentsOf, p } from '../../type/property.ts'
import { Email } from '../email/email.type.ts'
import { packedLines, packedValue } from '../email/packed.ts'
import { StoredMessage } from '../email/stored-message.ts'
import { phrasesOf } from '../search/phrases.ts'
import { bodyTexts } from './body-texts.ts'
import { markAll, markBest } from './mark.ts'

const SNIPPET_ARGS = { filter: QUERY_FILTER_ARGS.filter, emailIds: p.list(p.string()) }

export const searchSnippetMethod = defineMethod({
  name: 'SearchSnippet/get',
  capability: MAIL,
  accounts: 'mailbox',
  scope: 'messages:read',
  writes: false,
  weight: 'much',
  args: SNIPPET_ARGS,
  run: getSnippets,
})

interface Wanted {
  readonly subject: readonly Phrase[]
  readonly body: readonly Phrase[]
}

async function getSnippets(method: MethodContext, { emailIds, ...args }: ArgumentsOf<typeof SNIPPET_ARGS>) {
  const { maxObjectsInGet } = method.services.limits
  if (emailIds.length > maxObjectsInGet) throw new MethodError('requestTooLarge', `At most ${maxObjectsInGet} emails.`)
  const { filter } = checkQuery(method, Email, args)
  const wanted: Wanted = { subject: phrasesIn(filter, 'subject'), body: phrasesIn(filter, 'body') }
  const numbers = new Map<string, number | null>()
  for (const given of emailIds) {
    const id = method.resolveId(given)
    numbers.set(id, method.number(Email, id))
  }
  return method.read(async (reader) => {
    const known = [...numbers.values()].filter((number) => number !== null)
    const rows = new Map((await findEmails(reader, method.account.number, known)).map((row) => [row.id, row]))
    const list: Snippet[] = []
    const notFound: string[] = []
    for (const [emailId, number] of numbers) {
      const row = number === null ? undefined : rows.get(number)
      if (row) list.push({ emailId, ...(await snippetOf({ method, reader }, row, wanted)) })
      else notFound.push(emailId)
      // Lets other work run.
      if (row && wanted.body.length > 0) await setImmediate()
      method.request.guard.check()
    }
    return { accountId: method.account.id, list, notFound: notFound.length > 0 ? notFound : null }
  })
}

/** The texts that a filter searches in the subject or in the body, without those that it excludes. */
function phrasesIn(filter: FilterOf<typeof Email> | null, field: 'subject' | 'body'): Phrase[] {
  if (filter === null) return []
  if (!isOperator(filter))
    return [filter.text, filter[field]].flatMap((text) => (text === undefined ? [] : phrasesOf(text)))
  return filter.operator === 'NOT' ? [] : filter.conditions.flatMap((inner) => phrasesIn(inner, field))
}

type Snippet = { readonly emailId: string; readonly subject: string | null; readonly preview: string | null }

async function snippetOf(read: ReadContext, row: EmailSummary, wanted: Wanted): Promise<Omit<Snippet, 'emailId'>> {
  const subject = packedValue(packedLines(row.packed), 'subject')
  const inSubject = subject === null ? [] : findMatches(spansOf(subject), wanted.subject)
  return {
    subject: subject !== null && inSubject.length > 0 ? markAll(subject, inSubject) : null,
    preview: wanted.body.length > 0 ? await previewOf(new StoredMessage(read, row), wanted.body) : null,
  }
}

/** From the first text of the body that has a match. */
async function previewOf(message: StoredMessage, phrases: readonly Phrase[]): Promise<string | null> {
  for await (const text of bodyTexts(message)) {
    const matches = findMatches(spansOf(text), phrases)
    if (matches.length > 0) return markBest(text, matches)
  }
  return null
}
