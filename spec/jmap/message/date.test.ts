import t from 'tap'
import { formatDate, formatJmapDate, parseDate } from '../../../jmap/message/date.ts'

function read(value: string): string | null {
  const date = parseDate(value)
  return date && formatJmapDate(date)
}

for (const [what, value, expected] of [
  ['RFC 5322 3.3', 'Fri, 21 Nov 1997 09:55:06 -0600', '1997-11-21T09:55:06-06:00'],
  ['no day name and no seconds', '1 Feb 2020 9:05 +0100', '2020-02-01T09:05:00+01:00'],
  ['RFC 5322 4.3: a two-digit year before 50', '21 Nov 49 09:55:06 GMT', '2049-11-21T09:55:06Z'],
  ['RFC 5322 4.3: a two-digit year from 50', '21 Nov 97 09:55:06 GMT', '1997-11-21T09:55:06Z'],
  ['RFC 5322 4.3: a three-digit year', '21 Nov 100 09:55:06 GMT', '2000-11-21T09:55:06Z'],
  ['RFC 5322 4.3: a named zone', '21 Nov 1997 09:55:06 EST', '1997-11-21T09:55:06-05:00'],
  ['RFC 5322 4.3: an unknown zone counts as UTC', '21 Nov 1997 09:55:06 XYZ', '1997-11-21T09:55:06Z'],
  ['comments', 'Fri (x), 21 Nov 1997 (y (z)) 09:55:06 -0600 (CST)', '1997-11-21T09:55:06-06:00'],
  ['folded white space', 'Fri,\r\n 21\tNov 1997 09:55:06 -0600', '1997-11-21T09:55:06-06:00'],
  ['no zone', '21 Nov 1997 09:55:06', '1997-11-21T09:55:06Z'],
  ['ctime', 'Fri Nov 21 09:55:06 1997', '1997-11-21T09:55:06Z'],
  ['ctime with a zone', 'Fri Nov 21 09:55:06 EST 1997', '1997-11-21T09:55:06-05:00'],
  ['dashes', '21-Nov-1997 09:55:06 +0000', '1997-11-21T09:55:06Z'],
  ['a full month name', 'Friday, 21 November 1997 09:55:06 +0000', '1997-11-21T09:55:06Z'],
  ['ISO 8601', '1997-11-21T09:55:06+02:00', '1997-11-21T09:55:06+02:00'],
  ['ISO 8601 with fraction and Z', '1997-11-21T09:55:06.123Z', '1997-11-21T09:55:06Z'],
  ['GMT with an offset', '21 Nov 1997 09:55:06 GMT+0100', '1997-11-21T09:55:06+01:00'],
  ['half of the day', '21 Nov 1997 09:55:06 PM +0000', '1997-11-21T21:55:06Z'],
  ['RFC 5322 3.3: a leap second', '31 Dec 2016 23:59:60 +0000', '2016-12-31T23:59:59Z'],
  ['an odd offset', '21 Nov 1997 09:55:06 +0545', '1997-11-21T09:55:06+05:45'],
] as const) {
  t.test(`reads ${what}`, async (t) => {
    t.equal(read(value), expected)
  })
}

for (const value of [
  '',
  'yesterday',
  '31 Feb 2020 10:00:00 +0000',
  '1 Jan 2020',
  '0 Jan 2020 10:00:00',
  '1 Jan 2020 25:00:00',
  '1 Jan 2020 10:61:00',
  '1 Jan 2020 10:00:00 +9999',
  '1 Foo 2020 10:00:00',
]) {
  t.test(`"${value}" gives no date`, async (t) => {
    t.equal(parseDate(value), null)
  })
}

t.test('RFC 5322 3.3: an instant is written in the requested zone', async (t) => {
  const ms = Date.UTC(2020, 0, 1, 23, 30, 0)
  t.equal(formatDate(ms), 'Wed, 1 Jan 2020 23:30:00 +0000')
  t.equal(formatDate(ms, 60), 'Thu, 2 Jan 2020 00:30:00 +0100')
  t.equal(formatDate(ms, -570), 'Wed, 1 Jan 2020 14:00:00 -0930')
})
