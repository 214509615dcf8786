/** RFC 7352: the duplicate test. */
import { hash } from 'node:crypto'
import {
  SIEVE_DUPLICATE_KEYS_PER_RUN,
  SIEVE_DUPLICATE_SECONDS_DEFAULT,
  SIEVE_DUPLICATE_SECONDS_MAX,
} from '../../../server/base/sieve-limits.ts'
import type { TestDefinition } from '../definition.ts'
import { type Run, SieveRunError } from '../run.ts'

export const duplicateTest: TestDefinition = {
  name: 'duplicate',
  requires: ['duplicate'],
  tags: {
    handle: { value: 'string' },
    header: { value: 'string', group: 'id' },
    uniqueid: { value: 'string', group: 'id' },
    seconds: { value: 'number' },
    last: {},
  },
  compile(bound) {
    const handle = bound.text('handle')
    const header = bound.text('header')
    const uniqueId = bound.text('uniqueid')
    const seconds = Math.min(bound.number('seconds') ?? SIEVE_DUPLICATE_SECONDS_DEFAULT, SIEVE_DUPLICATE_SECONDS_MAX)
    const isExtended = bound.has('last')
    const { line } = bound
    return (run) => {
      // RFC 7352 3.1: the first field of the name; without one the test is false and nothing is tracked.
      const id = uniqueId ? uniqueId.read(run) : run.environment.message.texts(header?.read(run) ?? 'message-id')[0]
      if (id === undefined) return false
      const key = hash('sha256', JSON.stringify([handle?.read(run) ?? '', id]), 'base64url')
      const isKnown = isDuplicate(run, key, line)
      // RFC 7352 3.3: only :last extends the time of a tracked key.
      if (seconds > 0 && (!isKnown || isExtended)) run.tracked.set(key, Math.max(seconds, run.tracked.get(key) ?? 0))
      return isKnown
    }
  },
}

/** A key that is not looked up yet counts as new, and the run must be repeated. */
function isDuplicate(run: Run, key: string, line: number): boolean {
  run.asked.add(key)
  if (run.asked.size > SIEVE_DUPLICATE_KEYS_PER_RUN)
    throw new SieveRunError(line, `more than ${SIEVE_DUPLICATE_KEYS_PER_RUN} different duplicate tests were made`)
  const answer = run.environment.isDuplicate(key)
  if (answer === null) run.unknown.add(key)
  return answer ?? false
}
