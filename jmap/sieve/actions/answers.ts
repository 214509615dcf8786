/** Actions that answer the sender: reject and ereject (RFC 5429), vacation (RFC 5230, 6131); and error (RFC 5463 5). */
import { hash } from 'node:crypto'
import {
  SIEVE_REASON_MAX_CHARS,
  SIEVE_VACATION_DAYS_DEFAULT,
  SIEVE_VACATION_DAYS_MAX,
  SIEVE_VACATION_SECONDS_MIN,
} from '../../../server/base/sieve-limits.ts'
import { parseAddresses } from '../../message/addresses.ts'
import type { Bound } from '../bound.ts'
import type { ActionDefinition } from '../definition.ts'
import { SieveRunError } from '../run.ts'

const DAY_SECONDS = 86_400

function rejectAction(name: 'reject' | 'ereject'): ActionDefinition {
  return {
    name,
    requires: [name],
    positional: ['string'],
    compile(bound) {
      const reason = bound.textAt(0)
      return (run) => {
        // RFC 5429 2.4, RFC 5230 4.7: reject cannot be combined with actions that deliver or answer.
        const other = run.actions.find(({ kind }) => kind !== 'rule')
        if (other) throw new SieveRunError(bound.line, `${name} does not go with ${other.kind}`)
        run.keepCancelled = true
        const text = reason.read(run).slice(0, SIEVE_REASON_MAX_CHARS)
        run.act({ kind: 'reject', ereject: name === 'ereject', reason: text }, bound.line)
        run.note(bound.line, `Rejected: ${text}`)
      }
    },
  }
}

/** RFC 5230 4.1, RFC 6131 2: seconds in which a sender gets at most one answer. */
function periodOf(bound: Bound): number {
  const seconds = bound.number('seconds')
  const max = SIEVE_VACATION_DAYS_MAX * DAY_SECONDS
  if (seconds !== null) return Math.min(Math.max(seconds, SIEVE_VACATION_SECONDS_MIN), max)
  return Math.min(Math.max(bound.number('days') ?? SIEVE_VACATION_DAYS_DEFAULT, 1) * DAY_SECONDS, max)
}

/** RFC 5230 4.2: identifies a response by the text of the script, before variables are expanded. Parameters are separated unambiguously. */
function responseId(bound: Bound): string {
  const parts = [bound.source('subject'), bound.source('from'), String(bound.has('mime')), bound.source(0)]
  return hash('sha256', JSON.stringify(parts), 'base64url')
}

const vacation: ActionDefinition = {
  name: 'vacation',
  requires: ['vacation', 'vacation-seconds'],
  tags: {
    days: { value: 'number', group: 'period' },
    seconds: { value: 'number', group: 'period', requires: 'vacation-seconds' },
    subject: { value: 'string' },
    from: { value: 'string' },
    addresses: { value: 'strings' },
    mime: {},
    handle: { value: 'string' },
  },
  positional: ['string'],
  compile(bound) {
    const [subject, from, handle] = [bound.text('subject'), bound.text('from'), bound.text('handle')]
    const addresses = bound.texts('addresses')
    const reason = bound.textAt(0)
    const mime = bound.has('mime')
    const seconds = periodOf(bound)
    const synthesized = responseId(bound)
    if (from?.constant != null && !parseAddresses(from.constant).some(({ email }) => email.includes('@')))
      throw bound.error(':from is no address')
    return (run) => {
      run.forbidWithReject('vacation', bound.line)
      // RFC 5230 4.7: at most one vacation per run.
      if (run.actions.some(({ kind }) => kind === 'vacation'))
        throw new SieveRunError(bound.line, 'vacation was done twice')
      const text = reason.read(run).slice(0, SIEVE_REASON_MAX_CHARS)
      run.act(
        {
          kind: 'vacation',
          handle: handle?.read(run) ?? synthesized,
          seconds,
          subject: subject?.read(run) ?? null,
          from: from?.read(run) ?? null,
          addresses: addresses?.read(run) ?? [],
          reason: text,
          mime,
        },
        bound.line,
      )
      run.note(bound.line, 'An answer by vacation is asked for.')
    }
  },
}

const error: ActionDefinition = {
  name: 'error',
  requires: ['ihave'],
  positional: ['string'],
  compile(bound) {
    const message = bound.textAt(0)
    return (run) => {
      throw new SieveRunError(bound.line, message.read(run).slice(0, 500))
    }
  },
}

export const answerActions: readonly ActionDefinition[] = [
  rejectAction('reject'),
  rejectAction('ereject'),
  vacation,
  error,
]
