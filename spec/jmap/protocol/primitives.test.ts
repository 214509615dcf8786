import fc from 'fast-check'
import t from 'tap'
import {
  formatUTCDate,
  isDate,
  isId,
  isInt,
  isUnsignedInt,
  isUTCDate,
  parseDate,
  parseUTCDate,
} from '../../../jmap/protocol/primitives.ts'
import { holds } from './holds.ts'

t.test('an Id has 1 to 255 characters of the URL-safe alphabet (RFC 8620 1.2)', async (t) => {
  for (const id of ['a', 'A-_9', '0', '-', 'x'.repeat(255), '__proto__']) t.ok(isId(id), id)
  for (const id of ['', 'x'.repeat(256), 'a b', 'a=', 'a\n', 'é', '#a', 'a/b', 1, null]) t.notOk(isId(id), String(id))
})

t.test('an Int is within 2^53-1 on both sides, an UnsignedInt not below 0 (RFC 8620 1.3)', async (t) => {
  for (const value of [0, -1, 2 ** 53 - 1, -(2 ** 53) + 1]) t.ok(isInt(value), String(value))
  for (const value of [2 ** 53, -(2 ** 53), 0.5, Number.NaN, Infinity, '1', null]) t.notOk(isInt(value), String(value))
  t.ok(isUnsignedInt(0))
  t.ok(isUnsignedInt(2 ** 53 - 1))
  t.notOk(isUnsignedInt(-1))
})

t.test('a Date is an RFC 3339 date-time in normal form (RFC 8620 1.4)', async (t) => {
  const good = [
    '2014-10-30T14:12:00+08:00',
    '2014-10-30T06:12:00Z',
    '2014-10-30T06:12:00.5Z',
    '2014-10-30T06:12:00.050-00:00',
    '2024-02-29T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59+23:59',
    '1990-12-31T23:59:60Z',
    '1990-12-31T15:59:60-08:00',
  ]
  for (const text of good) t.ok(isDate(text), text)
})

t.test('text in another form is no Date', async (t) => {
  const bad = [
    '2014-10-30',
    '2014-10-30T14:12:00',
    '2014-10-30T14:12Z',
    '2014-10-30t14:12:00Z',
    '2014-10-30T14:12:00z',
    '2014-10-30 14:12:00Z',
    '2014-10-30T14:12:00.0Z',
    '2014-10-30T14:12:00.000Z',
    '2014-10-30T14:12:00.Z',
    '2014-10-30T24:00:00Z',
    '2014-10-30T14:60:00Z',
    '2014-10-30T14:12:61Z',
    '2014-10-30T14:12:60Z',
    '2014-02-29T00:00:00Z',
    '2014-13-01T00:00:00Z',
    '2014-00-01T00:00:00Z',
    '2014-01-00T00:00:00Z',
    '2014-10-30T14:12:00+24:00',
    '2014-10-30T14:12:00+08:60',
    '2014-10-30T14:12:00+0800',
    '14-10-30T14:12:00Z',
    '2014-10-30T14:12:00Z\n',
    `2014-10-30T14:12:00.${'1'.repeat(1_000_000)}Z`,
    20141030,
    null,
  ]
  for (const text of bad) t.notOk(isDate(text), String(text).slice(0, 40))
})

t.test('a UTCDate ends in Z (RFC 8620 1.4)', async (t) => {
  t.ok(isUTCDate('2014-10-30T06:12:00Z'))
  t.notOk(isUTCDate('2014-10-30T06:12:00+00:00'))
})

t.test('a Date means an instant, whatever its offset', async (t) => {
  const moment = Date.UTC(2014, 9, 30, 6, 12)
  t.equal(parseDate('2014-10-30T14:12:00+08:00'), moment)
  t.equal(parseDate('2014-10-29T22:42:00-07:30'), moment)
  t.equal(parseUTCDate('2014-10-30T06:12:00.2509Z'), moment + 250)
  t.equal(parseDate('0099-01-01T00:00:00Z'), Date.parse('0099-01-01T00:00:00.000Z'))
})

t.test('every instant of the years 0 to 9999 is restored from its UTCDate', async (t) => {
  const years = { min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') }
  holds(
    t,
    fc.property(fc.date({ ...years, noInvalidDate: true }), (date) => {
      const text = formatUTCDate(date.getTime())
      return isUTCDate(text) && parseUTCDate(text) === date.getTime()
    }),
  )
})

t.test('a fraction of zero is not written, and years stay within four digits', async (t) => {
  t.equal(formatUTCDate(0), '1970-01-01T00:00:00Z')
  t.equal(formatUTCDate(1), '1970-01-01T00:00:00.001Z')
  t.equal(formatUTCDate(8.64e15), '9999-12-31T23:59:59.999Z')
  t.equal(formatUTCDate(-8.64e15), '0000-01-01T00:00:00Z')
})
