/** RFC 5173, 5260, 7352: tests of bodies, dates and duplicates. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of variables in Sieve
import t from 'tap'
import { compileScript, runTracked, SieveMessage } from '../../../jmap/sieve/index.ts'
import { SIEVE_NESTED_MAX_BYTES } from '../../../server/base/sieve-limits.ts'
import { matchWhole } from '../../support/match-whole.ts'
import { holds, MAILBOXES, MESSAGE, NOW, refusal, run } from './scripts.ts'

const MULTIPART = `From: a@example.org
Content-Type: multipart/mixed; boundary=outer

This is a message in MIME format.
--outer
Content-Type: multipart/alternative; boundary=inner

This is nested MIME.
--inner
Content-Type: text/plain; charset=utf-8
Content-Transfer-Encoding: quoted-printable

Gr=C3=BC=C3=9Fe
--inner
Content-Type: text/html

<p>Bonjour &amp; <b>merci</b></p>
--inner--
After the inner one.
--outer
Content-Type: message/rfc822

From: b@example.org
Subject: within

Please say hello
--outer
Content-Type: application/octet-stream
Content-Transfer-Encoding: base64

SGlkZGVu
--outer--
After the outer one.
`

t.test('a body is matched decoded and without markup by default, undecoded with :raw (RFC 5173 5)', async (t) => {
  const body = (test: string) => holds('body', `body ${test}`, { text: MULTIPART })
  for (const text of ['Grüße', 'Bonjour & merci', 'please say HELLO']) t.ok(body(`:contains "${text}"`), text)
  for (const text of ['<p>', '--outer', 'MIME format', 'Hidden', 'Subject: within'])
    t.notOk(body(`:contains "${text}"`), text)
  for (const text of ['Gr=C3=BC', '<p>', '--inner', 'SGlkZGVu']) t.ok(body(`:raw :contains "${text}"`), text)
  t.notOk(body(':raw :contains "Grüße"'))
  t.notOk(body(':raw :contains "From: a@"'), 'the header is no part of it')
  t.ok(holds('body', 'body :raw :is text:\nHello Grace,\nthe report is attached.\n.\n'), 'lines end with CRLF')
})

t.test(':content matches parts of a type one by one, also in nested messages (RFC 5173 5.2)', async (t) => {
  const body = (types: string, key: string, kind = ':contains') =>
    holds('body', `body ${kind} :content ${types} "${key}"`, { text: MULTIPART })
  t.ok(body('"text/plain"', 'Grüße', ':is'))
  t.ok(body('["text/html", "image"]', '<p>Bonjour &amp; '))
  t.ok(body('"text"', 'please say'))
  t.ok(body('"TEXT/Plain"', 'please say'))
  t.ok(body('"application/octet-stream"', 'Hidden', ':is'))
  t.ok(body('""', 'Hidden', ':is'))
  t.ok(body('"message/rfc822"', 'Subject: within'))
  t.notOk(body('"message/rfc822"', 'Please say'))
  t.ok(body('"multipart"', 'This is a message in MIME format.'))
  t.ok(body('"multipart/alternative"', 'After the inner one.'))
  t.ok(body('"multipart"', 'After the outer one.'))
  t.notOk(body('"multipart"', '--'), 'delimiters are no content')
  t.notOk(body('"multipart"', 'Grüße'))
  for (const type of ['/plain', 'text/', 'text/plain/x', 'tex']) t.notOk(body(`"${type}"`, ''), type)
  t.match(refusal('require "body"; if body :raw :text "x" {}'), /does not go with/)
})

t.test('of messages inside as much is read as tests of bodies cost, and of the message itself any part', async (t) => {
  const finds = (before: number, wrap: (text: string) => string) => {
    const file = `Content-Type: image/png\n\n${'x'.repeat(before)}\n`
    const parts = `Content-Type: multipart/mixed; boundary=b\n\n--b\n${file}--b\n\nneedle\n--b--\n`
    return holds('body', 'body :contains "needle"', { text: wrap(parts) })
  }
  const inside = (text: string) => `From: a@example.org\nContent-Type: message/rfc822\n\n${text}`
  t.ok(finds(SIEVE_NESTED_MAX_BYTES / 2, inside), 'control')
  t.notOk(finds(SIEVE_NESTED_MAX_BYTES, inside))
  t.notOk(
    finds(SIEVE_NESTED_MAX_BYTES / 2, (text) => inside(inside(text))),
    'each level is parsed again',
  )
  t.ok(finds(SIEVE_NESTED_MAX_BYTES, (text) => text))
})

t.test('a message without an empty line has no body, not even an empty one (RFC 5173 4)', async (t) => {
  t.notOk(holds('body', 'body :raw :contains ""', { text: 'Subject: x\n' }))
  t.ok(holds('body', 'body :raw :is ""', { text: 'Subject: x\n\n' }))
})

t.test('parts of a date are returned in the requested zone (RFC 5260 4.1, 4.2)', async (t) => {
  const date = (part: string, value: string, zone = '') => holds('date', `date ${zone} "date" "${part}" "${value}"`)
  const utc = { year: '2026', month: '01', day: '01', date: '2026-01-01', julian: '61041', hour: '04', minute: '30' }
  const more = { second: '00', time: '04:30:00', iso8601: '2026-01-01T04:30:00Z', zone: '+0000', weekday: '4' }
  for (const [part, value] of Object.entries({ ...utc, ...more, std11: 'Thu, 1 Jan 2026 04:30:00 +0000' }))
    t.ok(date(part, value), part)
  t.ok(date('iso8601', '2025-12-31T23:30:00-05:00', ':originalzone'))
  t.ok(date('julian', '61040', ':originalzone'))
  t.ok(date('weekday', '3', ':originalzone'))
  t.ok(date('zone', '-0500', ':originalzone'))
  t.ok(date('TIME', '06:00:00', ':zone "+0130"'))
  t.notOk(date('hour', '23'))
})

t.test(
  'a date is the whole field or its end; the first field of the name counts, or the one of :index (RFC 5260 4, 6)',
  async (t) => {
    const received = (more: string, minute: string) =>
      holds('date index', `date ${more} "received" "minute" "${minute}"`)
    t.ok(received('', '31'))
    t.ok(received(':index 2', '30'))
    t.ok(received(':last :index 1', '30'))
    t.notOk(received(':index 3', '30'))
    t.notOk(holds('date', 'date :matches "subject" "year" "*"'), 'no date')
    t.notOk(holds('date', 'date :matches "date" "year" "*"', { text: 'Date: Thu, 31 Feb 2026 00:00:00 +0000\n\nx\n' }))
    t.ok(holds('date relational', 'date :count "eq" "date" "year" "1"'))
    t.ok(holds('date relational', 'date :count "eq" "x-missing" "year" "0"'))
  },
)

t.test('header and address tests select one field by number, of all named fields (RFC 5260 6)', async (t) => {
  t.ok(holds('index', 'header :index 2 :contains ["subject", "received"] "from a"'))
  t.ok(holds('index', 'header :index 1 :last :contains ["subject", "received"] "from c"'))
  t.notOk(holds('index', 'header :index 1 :contains ["subject", "received"] "from a"'))
  t.ok(holds('index', 'address :index 2 :domain ["from", "to"] "example.test"'))
  t.match(refusal('require "index"; if header :last "a" "b" {}'), /:last needs :index/)
  t.match(refusal('require "index"; if header :index 0 "a" "b" {}'), /counts from 1/)
})

t.test('currentdate is the time at which the script runs (RFC 5260 5)', async (t) => {
  t.ok(holds('date', 'currentdate "iso8601" "2026-01-15T10:20:30Z"'))
  t.ok(holds('date', 'currentdate :zone "-1100" "date" "2026-01-14"'))
  t.ok(
    holds(
      'date relational',
      'allof (currentdate :value "ge" "date" "2026-01-15", currentdate :value "lt" "hour" "11")',
    ),
  )
  t.notOk(holds('date', 'currentdate "year" "2025"'))
  t.match(refusal('require "date"; if currentdate "century" "21" {}'), /no part of a date named "century"/)
  t.match(refusal('require "date"; if currentdate :zone "CET" "hour" "21" {}'), /:zone is written as/)
  t.match(refusal('require "date"; if date :zone "+0000" :originalzone "date" "hour" "21" {}'), /does not go with/)
})

/** Runs a script as delivery does: keys are looked up on demand. */
async function tracked(script: string, known: readonly string[] = [], text = MESSAGE) {
  const result = compileScript(`require ["duplicate", "variables"]; ${script}`)
  if ('error' in result) throw new Error(result.error.message)
  const lookUps: (readonly string[])[] = []
  const environment = {
    message: new SieveMessage(Buffer.from(text)),
    envelope: { from: '', to: '' },
    now: NOW,
    mailboxes: MAILBOXES,
    spam: null,
    settings: { mayRedirect: false },
  }
  const outcome = await runTracked(result.script, environment, async (keys) => {
    lookUps.push(keys)
    return new Set(keys.filter((key) => known.includes(key)))
  })
  return { ...outcome, lookUps, isDuplicate: outcome.actions.length === 0 }
}

t.test('a message is a duplicate when its key is tracked, and is tracked from then on (RFC 7352 3)', async (t) => {
  const script = 'if duplicate { discard; }'
  const first = await tracked(script)
  t.notOk(first.isDuplicate)
  t.match(first.track, [{ seconds: 604_800 }])
  const again = await tracked(script, [first.track[0]!.key])
  t.ok(again.isDuplicate)
  t.same(again.track, [], 'its time does not begin anew')
  t.match((await tracked('if duplicate :last :seconds 60 { discard; }', [first.track[0]!.key])).track, [
    { seconds: 60 },
  ])
  t.notOk((await tracked(script, [], 'Subject: x\n\nx\n')).isDuplicate, 'without a Message-ID')
  t.same((await tracked(script, [], 'Subject: x\n\nx\n')).track, [])
})

t.test('another handle, header or text gives another key (RFC 7352 3.1, 3.2)', async (t) => {
  const key = async (tags: string, text?: string) =>
    (await tracked(`if duplicate ${tags} { discard; }`, [], text)).track[0]?.key
  const plain = await key('')
  t.equal(await key(':header "message-id"'), plain)
  t.equal(await key(':uniqueid "<one@example.org>"'), plain)
  t.not(await key(':handle "h"'), plain)
  t.not(await key(':uniqueid "<ONE@example.org>"'), plain)
  t.equal(await key(':header "x-missing"'), undefined)
  t.equal(await key(':seconds 0'), undefined)
  t.match(refusal('require "duplicate"; if duplicate :header "a" :uniqueid "b" {}'), /does not go with/)
})

t.test(
  'each key is looked up once, also those that depend on another result; a failing run tracks none (RFC 7352 3)',
  async (t) => {
    const script =
      'if duplicate :uniqueid "a" { if duplicate :uniqueid "b" { discard; } } if duplicate :uniqueid "a" {}'
    const [a] = (await tracked('if duplicate :uniqueid "a" {}')).track
    const both = await tracked(script, [a!.key])
    t.equal(both.lookUps.length, 2)
    t.notOk(both.isDuplicate)
    t.equal(both.track.length, 1)
    const failing = await tracked('if duplicate {} redirect "${none}";')
    matchWhole(t, failing, { error: /redirect needs an address/, track: [] })
    const many = Array.from({ length: 17 }, (_, i) => `if duplicate :uniqueid "${i}" {}`).join('\n')
    t.match((await tracked(many)).error, /more than 16 different/)
    t.equal(run('require "duplicate"; if duplicate {}', { isDuplicate: () => null }).unknown.length, 1)
  },
)
