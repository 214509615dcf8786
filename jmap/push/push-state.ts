/**
 * The token for a client's position in all accounts that it may see: the event id of RFC 8620 7.3, the pushState of RFC 8887 4.3.5.2.
 * It holds the sequence number of each account's newest change, so the server can tell what changed since then, however long the client
 * was away. For many accounts it holds hashes of groups, to stay short; then the server reports slightly more than what changed, never
 * less.
 */
import { createHash } from 'node:crypto'
import { PUSH_STATE_ACCOUNTS, PUSH_STATE_MAX_CHARS } from '../../server/base/push-limits.ts'

/** Account numbers, each with the sequence number of its newest change. */
export type PushPosition = ReadonlyMap<number, number>

/** Account number to the sequence number after which changes are reported. */
export type PushSince = Map<number, number>

/** Nothing is known about what the client has: everything is reported. */
const NOTHING_SEEN = -1

const EXACT = 'a'
const GROUPED = 'g'
const GROUP_BYTES = 4

export function writePushState(position: PushPosition): string {
  return position.size <= PUSH_STATE_ACCOUNTS ? writeExact(position) : writeGroups(position)
}

/**
 * The accounts of `now` that changed since the state was written. A state that this server did not write, or wrote before a backup was
 * restored, reports everything.
 */
export function changedSince(state: string, now: PushPosition): PushSince {
  const text = state.length <= PUSH_STATE_MAX_CHARS ? state : ''
  const bytes = Buffer.from(text.slice(1), 'base64url')
  const seen = text[0] === EXACT ? readExact(bytes) : text[0] === GROUPED ? unchangedGroups(bytes, now) : null
  const changed: PushSince = new Map()
  for (const [account, seq] of now) {
    const before = seen?.get(account) ?? NOTHING_SEEN
    if (before !== seq) changed.set(account, before > seq ? NOTHING_SEEN : before)
  }
  return changed
}

/** Variable-length numbers of seven bits per octet: the step to the next account number, then its newest change. */
function writeExact(position: PushPosition): string {
  const bytes: number[] = []
  let before = 0
  for (const [account, seq] of ascending(position)) {
    pushNumber(bytes, account - before)
    pushNumber(bytes, seq)
    before = account
  }
  return EXACT + Buffer.from(bytes).toString('base64url')
}

function readExact(bytes: Uint8Array): PushPosition | null {
  const seen = new Map<number, number>()
  let account = 0
  for (let at = 0; at < bytes.length; ) {
    const step = readNumber(bytes, at)
    const seq = step && readNumber(bytes, step.end)
    if (!step || !seq) return null
    account += step.value
    seen.set(account, seq.value)
    at = seq.end
  }
  return seen
}

function pushNumber(bytes: number[], value: number): void {
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  bytes.push(rest)
}

function readNumber(bytes: Uint8Array, start: number): { value: number; end: number } | null {
  let value = 0
  let factor = 1
  for (let at = start; at < bytes.length; at++) {
    value += (bytes[at]! & 127) * factor
    if (value > Number.MAX_SAFE_INTEGER) return null
    if (bytes[at]! < 128) return { value, end: at + 1 }
    factor *= 128
  }
  return null
}

function writeGroups(position: PushPosition): string {
  return GROUPED + Buffer.concat(digestGroups(position)).toString('base64url')
}

/** Accounts whose group has not changed. */
function unchangedGroups(bytes: Uint8Array, now: PushPosition): PushPosition | null {
  if (bytes.length !== PUSH_STATE_ACCOUNTS * GROUP_BYTES) return null
  const digests = digestGroups(now)
  const isSame = digests.map((digest, group) =>
    digest.equals(bytes.subarray(group * GROUP_BYTES, (group + 1) * GROUP_BYTES)),
  )
  return new Map([...now].filter(([account]) => isSame[account % PUSH_STATE_ACCOUNTS]))
}

function digestGroups(position: PushPosition): Buffer[] {
  const hashes = Array.from({ length: PUSH_STATE_ACCOUNTS }, () => createHash('sha256'))
  for (const [account, seq] of ascending(position)) hashes[account % PUSH_STATE_ACCOUNTS]!.update(`${account} ${seq}\n`)
  return hashes.map((hash) => hash.digest().subarray(0, GROUP_BYTES))
}

function ascending(position: PushPosition): [number, number][] {
  return [...position].sort(([a], [b]) => a - b)
}
