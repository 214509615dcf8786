import { DateTime } from 'luxon'
import t from 'tap'
import { Work } from '../../../../jmap/calendars/recurrence/work.ts'
import { isTimeZone, zoneOffsets } from '../../../../jmap/calendars/recurrence/zone-offsets.ts'

const HOUR = 3_600
/** Of all kinds: two transitions a year, none, four, half an hour, a skipped day, a summer of a week, south of the equator, mean time before 1900. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Africa/Casablanca',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'America/Boa_Vista',
  'Etc/UTC',
]

function free(): Work {
  return new Work(Number.MAX_SAFE_INTEGER)
}

t.test('offsets and local times agree with luxon, around every transition of its years', async (t) => {
  for (const name of ZONES) {
    const zone = zoneOffsets(name)
    for (const year of [1, 1890, 1945, 1997, 2000, 2011, 2026, 2037, 2100, 2500, 9998]) {
      const base = DateTime.fromObject({ year }, { zone: 'utc' }).toSeconds()
      let wrong = 0
      for (let at = base; at < base + 366 * 24 * HOUR; at += 20 * HOUR) {
        const there = DateTime.fromSeconds(at, { zone: name })
        if (zone.offsetAt(at, free()) !== Math.round(there.offset * 60)) wrong++
        // A local time that luxon does not move exists.
        const local = there.setZone('utc', { keepLocalTime: true }).toSeconds()
        const utc = zone.toUtc(local, free())
        if (utc + zone.offsetAt(utc, free()) !== local || utc > at) wrong++
      }
      t.equal(wrong, 0, `${name} in ${year}`)
    }
  }
})

t.test(
  'a local time that occurs twice is the first one; in a gap the offset before it applies (RFC 5545 3.3.5)',
  async (t) => {
    function utc(zone: string, local: string): string {
      return new Date(zoneOffsets(zone).toUtc(Date.parse(`${local}Z`) / 1_000, free()) * 1_000)
        .toISOString()
        .slice(0, 16)
    }
    t.equal(utc('America/New_York', '2007-11-04T01:30:00'), '2007-11-04T05:30')
    t.equal(utc('America/New_York', '2007-03-11T02:30:00'), '2007-03-11T07:30')
    t.equal(utc('America/New_York', '2007-03-11T03:00:00'), '2007-03-11T07:00')
    t.equal(utc('Australia/Melbourne', '2020-10-04T02:30:00'), '2020-10-03T16:30')
    t.equal(utc('America/Los_Angeles', '2020-11-01T01:30:00'), '2020-11-01T08:30')
    t.equal(utc('Pacific/Apia', '2011-12-30T12:00:00'), '2011-12-30T22:00', 'a day that Samoa left out')
  },
)

t.test('the changes of years are all found, a summer of a week too', async (t) => {
  const changes = zoneOffsets('America/Boa_Vista').changes(1999, 2001, free())
  t.same(
    changes.map(({ at, from, to }) => [new Date(at * 1_000).toISOString().slice(0, 16), from / HOUR, to / HOUR]),
    [
      ['1999-10-03T04:00', -4, -3],
      ['2000-02-27T03:00', -3, -4],
      ['2000-10-08T04:00', -4, -3],
      ['2000-10-15T03:00', -3, -4],
    ],
  )
  t.same(zoneOffsets('Asia/Kolkata').changes(1999, 2001, free()), [], 'a zone without changes')
})

t.test('names that are none of the IANA database are no time zones', async (t) => {
  t.ok(isTimeZone('Europe/Berlin'))
  for (const name of ['', 'Nowhere/City', '+02:00', 'Customized Time Zone', 'W. Europe Standard Time'])
    t.notOk(isTimeZone(name), name)
})
