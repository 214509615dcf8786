/** Parses a message of a source outside of any unit of work. */
import { freeWhole } from '../../server/base/free-memory.ts'
import { MAX_KEYWORDS_PER_EMAIL } from '../../server/base/limits.ts'
import { emailWithOctets, type PreparedEmail } from '../mail/email/store-email.ts'
import { headerFault } from '../message/header-size.ts'
import { isKeyword, normaliseKeywords } from '../message/keywords.ts'
import { newestReceived } from '../message/received-date.ts'
import type { Services } from '../type/context.ts'
import { type Identity, identityOf } from './identity.ts'
import type { MessageItem, Place } from './items.ts'

export interface PreparedMessage {
  readonly kind: 'message'
  readonly position: string
  readonly places: readonly Place[]
  readonly keywords: readonly string[]
  /** Epoch ms; null: the message has no date that can be read. */
  readonly receivedAt: number | null
  /** It has the octets with which it was exported. */
  readonly isExact: boolean
  readonly email: PreparedEmail
  readonly identity: Identity
}

export interface CountedItem {
  readonly kind: 'skipped' | 'unreadable'
  readonly position: string
  readonly places: readonly Place[]
  readonly reason: string
  readonly detail: string
}

export async function prepareMessage(services: Services, item: MessageItem): Promise<PreparedMessage | CountedItem> {
  const { places, position } = item
  const fault = headerFault(item.raw)
  if (fault !== null) return { kind: 'unreadable', position, places, reason: 'malformed', detail: fault }
  const { email, bytes } = await emailWithOctets(services, item.raw)
  const given = isDate(item.receivedAt) ? item.receivedAt : null
  const receivedAt = given ?? dateOf(bytes, email, item.fallbackDate)
  const identity = identityOf(bytes, email.parsed, email.blob.hash)
  freeWhole(bytes)
  const isExact = item.isExact ?? false
  return { kind: 'message', position, places, keywords: keywordsOf(item), isExact, receivedAt, email, identity }
}

function keywordsOf({ keywords, places }: MessageItem): string[] {
  const isIn = (role: Place['role']) => places.some((place) => place.role === role)
  const more = [...(isIn('drafts') ? ['$draft'] : []), ...(isIn('important') ? ['$important'] : [])]
  return normaliseKeywords([...keywords, ...more].filter(isKeyword)).slice(0, MAX_KEYWORDS_PER_EMAIL)
}

/** Decision D33: the newest Received that parses, else Date, else what the source knows. */
function dateOf(raw: Uint8Array, { parsed }: PreparedEmail, fallback: number | null): number | null {
  return [newestReceived(raw, parsed.headers), parsed.sentAt?.ms ?? null, fallback].find(isDate) ?? null
}

const LATEST = Date.UTC(9999, 11, 31)

function isDate(ms: number | null): ms is number {
  return ms !== null && ms >= 0 && ms < LATEST
}
