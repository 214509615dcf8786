/** The secret part of a feed's URL. It names the feed, so that finding it needs no index of secrets. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const SECRET_BYTES = 32
const TOKEN = /^([0-9a-z]{1,10})-([0-9a-z]{1,10})-([A-Za-z0-9_-]{43})$/

/** Where feeds are, below the URL of the server. */
export const FEED_FOLDER = '/calendar/feeds/'

export interface FeedToken {
  readonly account: number
  /** Number of the CalendarFeed. */
  readonly feed: number
  readonly secret: string
}

export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** A secret of 256 random bits needs no slow hash. */
export function secretHash(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

export function feedPath({ account, feed, secret }: FeedToken): string {
  return `${FEED_FOLDER}${account.toString(36)}-${feed.toString(36)}-${secret}.ics`
}

/** null: it has not the form of a token. @param token the last part of the path, with or without `.ics` */
export function readFeedToken(token: string): FeedToken | null {
  const [, account, feed, secret] = TOKEN.exec(token.replace(/\.ics$/, '')) ?? []
  if (account === undefined || feed === undefined || secret === undefined) return null
  return { account: Number.parseInt(account, 36), feed: Number.parseInt(feed, 36), secret }
}

export function isSecretOf(hash: string, secret: string): boolean {
  const [known, given] = [Buffer.from(hash), Buffer.from(secretHash(secret))]
  return known.length === given.length && timingSafeEqual(known, given)
}
