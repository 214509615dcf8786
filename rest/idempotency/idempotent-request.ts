/** Idempotency-Key on every POST (decision D2). The core keeps the answers. */
import { createHash } from 'node:crypto'
import type { IdempotencySlot, StoredAnswer } from '../../jmap/idempotency.ts'
import { parseIJson } from '../../jmap/protocol/i-json.ts'
import { isObject } from '../../jmap/protocol/json-object.ts'
import type { Idempotency } from '../../jmap/services.ts'
import type { Clock } from '../../server/base/clock.ts'
import { errorMessage } from '../../server/base/errors.ts'
import { IDEMPOTENCY_KEY_MAX_CHARS, IDEMPOTENCY_RENEW_MS } from '../../server/base/limits.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { Principal } from '../../server/base/principal.ts'
import { type Outcome, toText } from '../endpoint.ts'
import { ApiError, invalid, toApiError } from '../errors/api-error.ts'
import { KeyedRun } from './keyed-run.ts'

/**
 * The key of a request, from its header or from a member of its body; undefined: none.
 * @throws ApiError validation_error if both are present and differ
 */
export function keyOf(header: string | undefined, member: string | undefined, body: Uint8Array): string | undefined {
  if (member === undefined) return header
  const json = parseIJson(body)
  const written = 'value' in json && isObject(json.value) ? json.value[member] : undefined
  // The validation of the body refuses other types.
  if (typeof written !== 'string') return header
  if (header === undefined || header === written) return written
  throw invalid(member, 'not_allowed', `${member} and the header Idempotency-Key differ.`)
}

/** @throws ApiError invalid_idempotency_key. @param target path and query as requested, without the prefix /api */
export function slotOf(
  key: string,
  principal: Principal,
  method: string,
  target: string,
  body: Uint8Array,
): IdempotencySlot {
  if (key.length > IDEMPOTENCY_KEY_MAX_CHARS || !/^[\x20-\x7e]+$/.test(key))
    throw new ApiError('invalid_idempotency_key')
  const name = hash(method, target.replace(/\?.*$/s, ''), key)
  return { organization: principal.organization, name, fingerprint: hash(target, body, reachOf(principal)) }
}

/** Answers may hold secrets that are shown once. They are replayed only to a key that may do all that the first one might. */
function reachOf({ mailboxes, scopes, credential }: Principal): string {
  return mailboxes === 'all' ? JSON.stringify(scopes?.toSorted() ?? null) : credential
}

/** Decision D2: whether the same request gets this answer again. Other answers may differ the next time. */
function isRepeatable(status: number): boolean {
  return status >= 200 && status < 500 && status !== 401 && status !== 403 && status !== 429
}

export type IdempotentOutcome = { readonly outcome: Outcome } | { readonly replayed: StoredAnswer }

export interface IdempotencyDeps {
  readonly idempotency: Idempotency
  readonly clock: Clock
  readonly logger: Logger
}

/** Runs a request with a key, or returns the answer that it had before. @throws ApiError that of `run`, and two of decision D2 */
export async function runIdempotently(
  deps: IdempotencyDeps,
  slot: IdempotencySlot,
  requestId: string,
  run: (keyed: KeyedRun) => Promise<Outcome>,
): Promise<IdempotentOutcome> {
  const { idempotency: store, logger } = deps
  const begun = await store.begin(slot)
  if (begun.status === 'mismatch') throw keyReusedError()
  if (begun.status === 'running') throw new ApiError('idempotency_in_progress')
  if (begun.status === 'done') return { replayed: begun.answer }
  const keyed = new KeyedRun(slot, begun)
  const release = holdLease(deps, slot, begun.lease)
  // The effects are durable: a response that cannot be stored is still sent, and logged.
  const keep = async (kept: Promise<void>) => {
    await kept.catch((error: unknown) => logger.error({ err: error }, 'an idempotent answer was not stored'))
  }
  const finish = (status: number, body: string) => keep(store.finish(slot, begun.lease, { status, body, requestId }))
  const outcome = await run(keyed).catch(async (thrown: unknown) => {
    release()
    const error = toApiError(thrown)
    if (keyed.isAnew && isRepeatable(error.status)) await finish(error.status, JSON.stringify(error.toBody(requestId)))
    // After a failure some effects may exist, so the next run continues. A refusal changed nothing.
    else await keep(store.abandon(slot, begun.lease, error.status >= 500 || !keyed.isAnew))
    throw thrown
  })
  release()
  if ('file' in outcome) await keep(store.abandon(slot, begun.lease, false))
  else if (outcome.isUnfinished) await keep(store.abandon(slot, begun.lease, true))
  else await finish(outcome.status, toText(outcome.body))
  return { outcome }
}

/** Renews the lease until the returned function is called. A renewal that fails is tried again at the next turn. */
function holdLease({ idempotency, clock, logger }: IdempotencyDeps, slot: IdempotencySlot, lease: string): () => void {
  let isHeld = true
  let cancel = () => {}
  const renewLater = () => {
    cancel = clock.after(IDEMPOTENCY_RENEW_MS, () => void renew())
  }
  const renew = async () => {
    try {
      if (!(await idempotency.extend(slot, lease))) isHeld = false
    } catch (error) {
      logger.error({ error: errorMessage(error) }, 'the lease of a request was not renewed')
    }
    if (isHeld) renewLater()
  }
  renewLater()
  return () => {
    isHeld = false
    cancel()
  }
}

function keyReusedError(): ApiError {
  const message = 'This Idempotency-Key was used with another request.'
  return new ApiError('idempotency_key_reused', {
    message,
    details: [{ field: 'Idempotency-Key', code: 'not_allowed', message }],
  })
}

function hash(...parts: readonly (string | Uint8Array)[]): string {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(String(part.length)).update('\n').update(part)
  return digest.digest('base64url')
}
