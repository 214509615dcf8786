/**
 * Double booking: rounds of 100 bookings of one slot at once, each from another client, and of 10 slots at once, over HTTP, on both
 * engines. Each round must give one 201 and 99 times 409, and 10 times 201. Prints the rounds that did not; exits 1 if there are any.
 *
 *     server/node scripts/booking-race.ts [--rounds 50]
 */
import { parseArgs } from 'node:util'
import { startBooking } from '../spec/server/pages/booking-world.ts'
import { stopOwnPostgres } from '../spec/support/postgres.ts'
import { wholeNumber } from './whole-number.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } })
const rounds = wholeNumber(values, 'rounds')
const DAY_MS = 86_400_000
const FIRST = Date.parse('2026-01-05T00:00:00Z')
let failures = 0

for (const engine of ['sqlite', 'postgres'] as const) {
  const ends: (() => unknown)[] = []
  const scope = { teardown: (end: () => unknown) => void ends.unshift(end) } as never
  const { page, book, events } = await startBooking(scope, engine)
  const path = await page({ name: 'Race', maxAdvanceDays: 730, availabilityDays: [0, 1, 2, 3, 4, 5, 6] })
  const started = Date.now()
  for (let round = 0; round < rounds; round++) {
    const time = (minutes: number) => new Date(FIRST + round * DAY_MS + (540 + minutes) * 60_000).toISOString()
    const email = (i: number) => ({ email: `client${i}@example.org` })
    const same = await Promise.all(Array.from({ length: 100 }, (_, i) => book(path, time(0), email(i))))
    const different = await Promise.all(Array.from({ length: 10 }, (_, i) => book(path, time(30 + i * 30), email(i))))
    const counted = (list: readonly { status: number }[], status: number) =>
      list.filter((one) => one.status === status).length
    const found = [counted(same, 201), counted(same, 409), counted(different, 201)]
    if (found.join() === '1,99,10') continue
    failures++
    console.log(`${engine}, round ${round}: ${found[0]} x 201, ${found[1]} x 409 of one slot; ${found[2]} x 201 of ten`)
  }
  const stored = (await events()).length
  if (stored !== rounds * 11) failures++
  console.log(
    `${engine}: ${rounds} rounds, ${stored} events, ${Math.round((Date.now() - started) / rounds)} ms a round`,
  )
  for (const end of ends) await end()
}
await stopOwnPostgres()
process.exit(failures === 0 ? 0 : 1)
