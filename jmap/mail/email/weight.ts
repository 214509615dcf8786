/** How much the standard methods of Email may have to read (jmap/type/weight.ts). Arguments are unchecked: what is malformed costs nothing. */
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { FEW_EMAILS, FEW_EMAILS_WITH_BODIES, NEAR_POSITION } from '../../../server/base/reading-limits.ts'
import { isObject } from '../../protocol/json-object.ts'
import type { StandardMethod } from '../../type/define-type.ts'
import type { Weight } from '../../type/weight.ts'
import { isStoredText } from './load.ts'

export function weighEmails(verb: StandardMethod, args: JsonObject): Weight | undefined {
  if (verb === 'get') return weighGet(args)
  return verb === 'query' || verb === 'queryChanges' ? weighQuery(args) : undefined
}

/** What lists show is stored ready to send; bodies and header fields are read from the message. */
function weighGet({ ids, '#ids': reference, properties }: JsonObject): Weight {
  const count = Array.isArray(ids) ? ids.length : Number.POSITIVE_INFINITY
  const isStored = Array.isArray(properties) && properties.every((name) => isStoredText(String(name)))
  // The page of a query or the emails of a thread before it (RFC 8620 3.7). What takes long is diverted all the same.
  const isPage = isObject(reference) && reference['name'] === 'Email/query' && reference['path'] === '/ids'
  if (isStored) return count <= FEW_EMAILS || isPage ? 'little' : 'some'
  // Emails that the request makes itself (RFC 8620 5.3): reading them costs no more than writing them did.
  const areOwn = Array.isArray(ids) && ids.every((id) => typeof id === 'string' && id.startsWith('#'))
  if (areOwn && count <= FEW_EMAILS_WITH_BODIES) return 'little'
  return count <= FEW_EMAILS_WITH_BODIES || isObject(reference) ? 'some' : 'much'
}

/** Conditions that an index answers, newest first, as long as matches are frequent. */
const INDEXED = ['text', 'from', 'to', 'cc', 'bcc', 'subject', 'body', 'before', 'after', 'inMailboxOtherThan']

function weighQuery({
  filter,
  sort,
  position,
  anchor,
  calculateTotal,
  collapseThreads,
  sinceQueryState,
}: JsonObject): Weight {
  const conditions = isObject(filter) ? Object.keys(filter) : []
  if (!isByDate(sort)) return 'much'
  const isMailbox = conditions.length === 1 && conditions[0] === 'inMailbox'
  // The counts of a mailbox are stored with it; others are counted row by row.
  if (calculateTotal === true && !isMailbox) return 'much'
  if (!isMailbox && !conditions.every((name) => INDEXED.includes(name))) return 'much'
  const isNear = typeof position !== 'number' || (position >= 0 && position <= NEAR_POSITION)
  const isWalk = collapseThreads === true || (anchor ?? null) !== null || sinceQueryState !== undefined
  return isNear && !isWalk && (isMailbox || conditions.length === 0) ? 'little' : 'some'
}

function isByDate(sort: Json | undefined): boolean {
  if (!Array.isArray(sort) || sort.length === 0) return true
  const [first] = sort
  return sort.length === 1 && isObject(first) && first['property'] === 'receivedAt'
}
