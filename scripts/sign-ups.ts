/**
 * 10,000 sign-ups of one address on one list and 10,000 of another address on a hundred lists, many at once, through the core (promise N4).
 * Exits 1 if an address gets more than one confirmation for a list, or more than five in all, within a day.
 *
 *     server/node scripts/sign-ups.ts [--engine sqlite|postgres] [--count 10000]
 */
import { parseArgs } from 'node:util'
import { SIGN_UP_MAIL_EVERY_MS, SIGN_UP_MAILS_PER_ADDRESS } from '../server/base/audience-limits.ts'
import { outgoing } from '../spec/jmap/delivery/support.ts'
import { audiencesOf } from '../spec/jmap/newsletters/world.ts'
import { startCore } from '../spec/support/core.ts'
import { stopOwnPostgres } from '../spec/support/postgres.ts'

const { values } = parseArgs({
  options: { engine: { type: 'string', default: 'sqlite' }, count: { type: 'string', default: '10000' } },
})
const COUNT = Number(values.count)
const AT_ONCE = 50
const LISTS = 100

const ends: (() => unknown)[] = []
const scope = { teardown: (end: () => unknown) => void ends.unshift(end) } as never
const started = await startCore(scope, values.engine === 'postgres' ? 'postgres' : 'sqlite')
const { core, clock } = started
const { call, audience } = audiencesOf(started)
await started.mailbox('owner')
const lists: string[] = []
for (let i = 0; i < LISTS; i++) {
  const id = await audience(`List ${i}`)
  await call('Audience/set', { update: { [id]: { signupPage: true } } })
  lists.push(id)
}

/** @returns how many mails were sent */
async function signUps(email: string, listOf: (i: number) => string): Promise<number> {
  const began = performance.now()
  const spent = process.cpuUsage()
  const request = { email, displayName: null, language: 'en', baseUrl: 'https://mail.example.test' }
  for (let i = 0; i < COUNT; i += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, COUNT - i) }, (_, j) =>
      core.signUps.request(listOf(i + j), request),
    )
    for (const outcome of await Promise.all(some)) if (outcome !== 'accepted') throw new Error(outcome)
  }
  const { user, system } = process.cpuUsage(spent)
  const mails = (await outgoing(started)).length
  const each = ((user + system) / 1_000 / COUNT).toFixed(2)
  console.log(
    `${COUNT} sign-ups: ${mails} mails, ${each} ms of CPU each, ${Math.round(performance.now() - began)} ms in all`,
  )
  return mails
}

const one = await signUps('one@example.org', () => lists[0]!)
const many = await signUps('many@example.org', (i) => lists[i % LISTS]!)
clock.advance(SIGN_UP_MAIL_EVERY_MS)
const nextDay = await signUps('many@example.org', (i) => lists[i % LISTS]!)
for (const end of ends) await end()
await stopOwnPostgres()
const isRight = one === 1 && many === SIGN_UP_MAILS_PER_ADDRESS && nextDay === SIGN_UP_MAILS_PER_ADDRESS
console.log(isRight ? 'as promised' : 'NOT as promised')
process.exit(isRight ? 0 : 1)
