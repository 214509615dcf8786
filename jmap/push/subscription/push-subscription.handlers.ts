/**
 * Handlers of PushSubscription: RFC 8620 7.2, and 8.6 against abuse. A subscription belongs to its credential: other credentials of the
 * account cannot read it, and it ends with the credential (deliveries.ts).
 */

import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { JsonObject } from '../../../server/base/json.ts'
import {
  PUSH_SUBSCRIPTION_LIFETIME_MS,
  PUSH_SUBSCRIPTIONS_MAX,
  PUSH_SUBSCRIPTIONS_PER_HOUR,
  PUSH_VERIFY_MS,
} from '../../../server/base/push-limits.ts'
import {
  erasePushSubscription,
  findPushSubscription,
  insertPushSubscription,
  listPushSubscriptions,
  updatePushSubscription,
} from '../../../storage/repos/push-subscriptions.ts'
import type { PushSubscriptionTable } from '../../../storage/schema/push-subscription.ts'
import { ApiKey } from '../../directory/api-key.type.ts'
import { invalidProperties, type SetError, setError } from '../../protocol/errors.ts'
import { formatUTCDate, parseUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext, Services } from '../../type/context.ts'
import type { CreateOf, ObjectOf } from '../../type/derived.ts'
import type { Handlers, ReadContext, UpdateChange, UpdateOutcome, WriteContext } from '../../type/handlers.ts'
import { pick } from '../../type/methods/get.ts'
import { findStored } from '../../type/object-store.ts'
import { pushKeysFault } from '../encryption.ts'
import { writePushState } from '../push-state.ts'
import { positionOf } from '../state-snapshot.ts'
import { CreationCounter } from './creation-counter.ts'
import { PushSubscription } from './push-subscription.type.ts'
import { sealPushKeys } from './sealed-keys.ts'

/** One counter for each core. */
const counters = new WeakMap<Services, CreationCounter>()

type Input = CreateOf<typeof PushSubscription>
type Write = WriteContext<typeof PushSubscription>

export const pushSubscriptionHandlers: Handlers<typeof PushSubscription, undefined> = {
  async all(read, limit) {
    return (await ownRows(read)).map(({ id }) => id).slice(0, limit)
  },

  async load(read, { numbers, properties }) {
    const rows = (await ownRows(read)).filter(({ id }) => numbers.includes(id))
    return new Map(rows.map((row) => [row.id, pick(describe(read.method, row), properties)]))
  },

  async create(write, input) {
    const { method, unit } = write
    const { principal } = method.request
    const own = await ownRows(write)
    const { url, keys, types } = input
    if (url === undefined) return { error: invalidProperties(['url'], 'url is missing.') }
    const error = inputFault(input, url, unit.now) ?? countFault(method, own.length, unit.now)
    if (error) return { error }
    const expires = bounded(timeOf(input.expires), unit.now, await credentialEnd(write))
    const place = { account: unit.account, id: unit.nextObject(), organization: principal.organization }
    const row: PushSubscriptionTable = {
      ...place,
      credential: principal.credential,
      stamp: principal.stamp ?? null,
      device: input.deviceClientId,
      url,
      keys: keys ? sealPushKeys(method.services.keyring, place, keys) : null,
      // RFC 8620 7.2.2: 192 random bits cannot be guessed.
      code: randomBytes(24).toString('base64url'),
      stage: 'new',
      types: types === null ? null : JSON.stringify(types),
      expires_at: expires,
      // Changes from here on are pushed, including those before the client sends the code.
      delivered: writePushState(await positionOf(write.reader, principal)),
      due_at: unit.now,
      next_at: 0,
      pause: 0,
      attempts: 0,
      lease: null,
      lease_until: 0,
      created_at: unit.now,
    }
    await insertPushSubscription(unit, row)
    unit.advanceState(PushSubscription.name)
    return { created: { number: row.id, serverSet: createdProperties(input, row) } }
  },

  updateReads: ['deviceClientId', 'verificationCode', 'expires', 'types'],

  async update(write, number, change) {
    const row = await findPushSubscription(write.unit, write.unit.account, number)
    return row ? updateRow(write, row, change) : { error: setError('notFound') }
  },

  async destroy(write, number) {
    const row = (await ownRows(write)).find(({ id }) => id === number)
    if (!row) return setError('notFound')
    await erasePushSubscription(write.unit, row)
    write.unit.advanceState(PushSubscription.name)
    return null
  },
}

/** RFC 8620 7.2.1: only subscriptions of the same credentials. After a password change the credentials differ. */
async function ownRows({ method, reader }: ReadContext): Promise<PushSubscriptionTable[]> {
  const { credential, stamp } = method.request.principal
  const rows = await listPushSubscriptions(reader, method.account.number)
  return rows.filter((row) => row.credential === credential && row.stamp === (stamp ?? null))
}

function describe(method: MethodContext, row: PushSubscriptionTable): ObjectOf<typeof PushSubscription> {
  return {
    id: method.id(PushSubscription, row.id),
    deviceClientId: row.device,
    // RFC 8620 7.2: a client that has not sent the code must not read it here.
    verificationCode: row.stage === 'verified' ? row.code : null,
    expires: row.expires_at === null ? null : formatUTCDate(row.expires_at),
    types: row.types === null ? null : PushSubscription.properties.types.fromText(row.types),
  }
}

function inputFault({ keys, verificationCode, expires: end }: Input, url: string, now: number): SetError | null {
  // RFC 8620 7.2: the URL begins with https://. Internal addresses are refused when the URL is used (server/egress).
  const parsed = url.startsWith('https://') ? URL.parse(url) : null
  if (parsed?.username !== '' || parsed.password !== '')
    return invalidProperties(['url'], 'url must be an absolute https address without a user name.')
  if (verificationCode !== null)
    return invalidProperties(['verificationCode'], 'The code is made by the server and sent to url.')
  const fault = keys ? pushKeysFault(keys) : null
  if (fault) return invalidProperties(['keys'], `${fault}.`)
  const expires = timeOf(end)
  return expires !== null && expires <= now ? invalidProperties(['expires'], 'expires has passed.') : null
}

/** RFC 8620 8.6: limits the number of subscriptions and how fast they are created. */
function countFault({ services, request }: MethodContext, count: number, now: number): SetError | null {
  const counter = counters.get(services) ?? new CreationCounter(PUSH_SUBSCRIPTIONS_PER_HOUR)
  counters.set(services, counter)
  if (count >= PUSH_SUBSCRIPTIONS_MAX)
    return setError('overQuota', `A client has at most ${PUSH_SUBSCRIPTIONS_MAX} push subscriptions.`)
  return counter.take(request.principal.credential, now)
    ? null
    : setError('rateLimit', `At most ${PUSH_SUBSCRIPTIONS_PER_HOUR} push subscriptions are made within an hour.`)
}

/** RFC 8620 7.2: if the credential expires, that alone bounds its subscriptions. Otherwise the server sets a lifetime. */
function bounded(wanted: number | null, now: number, credentialEnd: number | null): number | null {
  if (credentialEnd !== null) return wanted
  const longest = now + PUSH_SUBSCRIPTION_LIFETIME_MS
  return Math.min(wanted ?? longest, longest)
}

async function credentialEnd({ method, reader }: Write): Promise<number | null> {
  const { principal } = method.request
  const key = method.services.ids.decode(ApiKey, principal.credential)
  const found = key && (await findStored(reader, key.account, ApiKey, key.object))
  return timeOf(found?.data.expiresAt)
}

/** RFC 8620 5.3: what the client did not send, or the server changed. */
function createdProperties({ keys, types }: Input, row: PushSubscriptionTable): JsonObject {
  const expires = row.expires_at === null ? null : formatUTCDate(row.expires_at)
  return {
    ...(keys === undefined && { keys: null }),
    ...(types === null && { types: null }),
    verificationCode: null,
    expires,
  }
}

async function updateRow(
  write: Write,
  row: PushSubscriptionTable,
  { next, changed }: UpdateChange<typeof PushSubscription, undefined>,
): Promise<UpdateOutcome> {
  const { unit } = write
  const set: { -readonly [K in keyof PushSubscriptionTable]?: PushSubscriptionTable[K] } = {}
  if (changed.includes('verificationCode')) {
    // RFC 8620 7.2.2
    if (!isSame(String(next.verificationCode), row.code))
      return { error: invalidProperties(['verificationCode'], 'This is not the code that was sent.') }
    set.stage = 'verified'
  }
  if (changed.includes('expires')) set.expires_at = bounded(timeOf(next.expires), unit.now, await credentialEnd(write))
  if (changed.includes('types')) set.types = next.types === null ? null : JSON.stringify(next.types)
  if (changed.length === 0) return { updated: null }
  // The lease stays: the push under way began before this change.
  await updatePushSubscription(unit, row, { ...set, due_at: Math.max(unit.now, row.next_at) })
  unit.advanceState(PushSubscription.name)
  const expires = set.expires_at === undefined ? undefined : set.expires_at
  const told = typeof expires === 'number' ? formatUTCDate(expires) : null
  return { updated: expires !== undefined && told !== next.expires ? { expires: told } : null }
}

function isSame(given: string, code: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(code)]
  return a.length === b.length && timingSafeEqual(a, b)
}

function timeOf(date: string | null | undefined): number | null {
  return typeof date === 'string' ? parseUTCDate(date) : null
}

/** Epoch ms until which a subscription waits for its verification. */
export function verificationEnd({ created_at }: PushSubscriptionTable): number {
  return created_at + PUSH_VERIFY_MS
}
