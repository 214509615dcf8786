/** Idempotency-Key on every POST (api/decisions.md D2). The core keeps the answers. */
import { createHash } from 'node:crypto'
import type { Idempotency, IdempotencySlot, StoredAnswer } from '../../jmap/idempotency.ts'
import { parseIJson } from '../../jmap/protocol/i-json.ts'
import { isObject } from '../../jmap/protocol/json-object.ts'
import { IDEMPOTENCY_KEY_MAX_CHARS } from '../../server/base/limits.ts'
import type { Logger } from '../../server/base/logger.ts'
import type { Principal } from '../../server/base/principal.ts'
import type { Outcome } from '../endpoint.ts'
import { invalid, Problem } from '../errors/api-error.ts'
import { toProblem } from '../errors/to-problem.ts'
import { toText } from '../pipeline/respond.ts'
import { KeyedRun } from './keyed-run.ts'

/**
 * The key that a request carries in its header or in the member of its body that stands for it; undefined: none.
 * @throws Problem validation_error when both are there and differ
 */
export function keyOf(header: string | undefined, member: string | undefined, body: Uint8Array): string | undefined {
  if (member === undefined) return header
  const json = parseIJson(body)
  const written = 'value' in json && isObject(json.value) ? json.value[member] : undefined
  // What is no text is refused with the rest of the body.
  if (typeof written !== 'string') return header
  if (header === undefined || header === written) return written
  throw invalid(member, 'not_allowed', `${member} and the header Idempotency-Key differ.`)
}

/** @throws Problem invalid_idempotency_key. @param target path and query as requested, without the /api prefix. */
export function slotOf(
  key: string,
  principal: Principal,
  method: string,
  target: string,
  body: Uint8Array,
): IdempotencySlot {
  if (key.length > IDEMPOTENCY_KEY_MAX_CHARS || !/^[\x20-\x7e]+$/.test(key)) {
    throw new Problem('invalid_idempotency_key')
  }
  const path = target.split('?', 1)[0]!
  const name = hash(method, path, key)
  return { organization: principal.organization, name, fingerprint: hash(target, body, reachOf(principal)) }
}

/** Answers may hold secrets that are told once: who may not do all that the first asker might is not told what he was. */
function reachOf({ mailboxes, scopes, credential }: Principal): string {
  return mailboxes === 'all' ? JSON.stringify(scopes?.toSorted() ?? null) : credential
}

/** D2: what is repeated to the same request. What may end otherwise the next time is not. */
function isRepeatable(status: number): boolean {
  return status >= 200 && status < 500 && status !== 401 && status !== 403 && status !== 429
}

export type Once = { readonly outcome: Outcome } | { readonly replayed: StoredAnswer }

/**
 * Runs a request that carries a key, or gives the answer that it had before.
 * @param requestId of this request. @throws Problem what `run` throws, and D2's own two
 */
export async function runOnce(
  store: Idempotency,
  logger: Logger,
  slot: IdempotencySlot,
  requestId: string,
  run: (keyed: KeyedRun) => Promise<Outcome>,
): Promise<Once> {
  const begun = await store.begin(slot)
  if (begun.status === 'mismatch') throw reusedKeyProblem()
  if (begun.status === 'running') throw new Problem('idempotency_in_progress')
  if (begun.status === 'done') return { replayed: begun.answer }
  const keyed = new KeyedRun(slot, begun)
  // What was done is done: an answer that cannot be kept is still given, and told to the log.
  const keep = async (kept: Promise<void>) => {
    await kept.catch((error: unknown) => logger.error({ err: error }, 'an idempotent answer was not kept'))
  }
  const finish = (status: number, body: unknown) =>
    keep(store.finish(slot, begun.lease, { status, body: toText(body), requestId }))
  const outcome = await run(keyed).catch(async (error: unknown) => {
    const problem = toProblem(error)
    if (keyed.isAnew && isRepeatable(problem.status)) await finish(problem.status, problem.toBody(requestId))
    // After a failure nobody knows what was done; else the request was refused as a whole.
    else await keep(store.abandon(slot, begun.lease, problem.status >= 500 || !keyed.isAnew))
    throw error
  })
  if ('file' in outcome) await keep(store.abandon(slot, begun.lease, false))
  else await finish(outcome.status, outcome.body)
  return { outcome }
}

function reusedKeyProblem(): Problem {
  const message = 'This Idempotency-Key was used with another request.'
  const details = [{ field: 'Idempotency-Key', code: 'not_allowed', message }]
  return new Problem('idempotency_key_reused', { message, details })
}

function hash(...parts: readonly (string | Uint8Array)[]): string {
  const digest = createHash('sha256')
  for (const part of parts) digest.update(String(part.length)).update('\n').update(part)
  return digest.digest('base64url')
}
