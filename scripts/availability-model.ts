/**
 * Free slots of 1,000 random calendars against a model that goes minute by minute (spec/jmap/calendars/availability). Prints the first
 * calendar that differs; exits 1 if one does.
 *
 *     server/node scripts/availability-model.ts [--calendars 1000] [--days 10] [--seed 1]
 */
import assert from 'node:assert'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { freeSlots } from '../jmap/calendars/availability/slots.ts'
import { naiveSlots, slotRequests } from '../spec/jmap/calendars/availability/naive-slots.ts'
import { wholeNumber } from './whole-number.ts'

const { values } = parseArgs({
  options: {
    calendars: { type: 'string', default: '1000' },
    days: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
  },
})
let slots = 0
fc.assert(
  fc.property(slotRequests(wholeNumber(values, 'days')), (request) => {
    const found = freeSlots(request)
    slots += found.length
    assert.deepStrictEqual(found, naiveSlots(request))
  }),
  { numRuns: wholeNumber(values, 'calendars'), seed: wholeNumber(values, 'seed') },
)
console.log(`${values.calendars} calendars with ${slots} slots are equal`)
