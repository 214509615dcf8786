// Decisions D23 and D32: the public pages without JavaScript
import t from 'tap'
import { Failure } from '../../../server/base/errors.ts'
import { LOGO_MAX_HEIGHT, LOGO_MAX_WIDTH } from '../../../server/base/image-limits.ts'
import { accentStyle, contrast } from '../../../server/pages/booking/accent.ts'
import { languageFor } from '../../../server/pages/booking/languages.ts'
import { makeMonth, weeksOf } from '../../../server/pages/booking/months.ts'
import { audiencesOf } from '../../jmap/newsletters/world.ts'
import { noise, png } from '../../support/png.ts'
import { linkOf, MONDAY, type Seen, startBooking } from './booking-world.ts'

const PAGE_MAX_BYTES = 50_000

/** Values of `href` whose text or place matches. */
function hrefs({ text }: Seen, pattern: RegExp): string[] {
  return [...text.matchAll(/href="([^"]+)"/g)]
    .map(([, href]) => href!.replaceAll('&amp;', '&'))
    .filter((href) => pattern.test(href))
}

/** The fields of a page's POST form as a browser would send them. */
function fieldsOf({ text }: Seen): Record<string, string> {
  const form = /<form method="post"[\s\S]*?<\/form>/.exec(text)?.[0] ?? ''
  const fields: Record<string, string> = {}
  for (const [, name, value = ''] of form.matchAll(/<input[^>]* name="(\w+)"(?:[^>]* value="([^"]*)")?/g))
    fields[name!] ??= value
  return fields
}

t.test('public booking pages', async (t) => {
  // As large as a logo gets.
  const image = png({ width: LOGO_MAX_WIDTH, height: LOGO_MAX_HEIGHT, paint: noise() })
  const fetchImage = async () => ({ bytes: image })
  const world = await startBooking(t, 'sqlite', 0, undefined, { fetchImage })
  const { visit, page, book, invitee, events, letters, alice, request, organization } = world

  t.test('a visitor books a time with links and forms alone', async (t) => {
    const path = await page({ name: 'Plain', description: 'Bring <cake> & tea', timezone: 'Europe/Berlin' })
    const first = await visit(`${path}?timezone=UTC&hours=24`)
    t.equal(first.status, 200)
    t.match(first.text, /<h1>Plain<\/h1>[\s\S]*Bring &lt;cake&gt; &amp; tea/)
    const day = hrefs(first, new RegExp(`date=${MONDAY}`))[0]!
    const times = await visit(day)
    const slot = hrefs(times, /start=2026-01-05T10%3A00/)[0]!
    t.match(times.text, />10:00</)
    const form = await visit(slot)
    t.match(form.text, /January 5, 2026/)
    const fields = fieldsOf(form)
    t.match(fields, { start: '2026-01-05T10:00:00.000Z', timezone: 'UTC', website: '', name: '', email: '' })
    const sent = await visit(`${path}/bookings`, { form: { ...fields, name: 'Jane', email: 'jane@example.org' } })
    t.equal(sent.status, 303)
    const confirmation = await visit(sent.headers.get('location')!)
    t.match(confirmation, { status: 200, text: /Your booking is confirmed/ })
    t.match(confirmation.text, /booking\.ics[\s\S]*calendar\.google\.com[\s\S]*outlook\.live\.com/)
    const [file] = hrefs(confirmation, /booking\.ics/)
    const ics = await visit(file!)
    t.match(ics.headers.get('content-type'), 'text/calendar')
    t.match(ics.text, /BEGIN:VEVENT[\s\S]*SUMMARY:Plain/)
    t.notMatch(ics.text, /^METHOD/m)
    await letters()
  })

  t.test('what was typed stays when something is wrong, and when the time is gone', async (t) => {
    const path = await page({ name: 'Kept' })
    const start = `${MONDAY}T13:00:00.000Z`
    const typed = {
      start,
      timezone: 'UTC',
      name: 'J"<x>',
      email: 'nowhere',
      notes: '</textarea><script>',
      guests: 'a@b',
    }
    const wrong = await visit(`${path}/bookings`, { form: typed })
    t.equal(wrong.status, 422)
    t.match(wrong.text, /value="J&quot;&lt;x&gt;"/)
    t.match(wrong.text, /&lt;\/textarea&gt;&lt;script&gt;/)
    t.match(wrong.text, /aria-invalid="true"[^>]*value="nowhere"|value="nowhere"/)
    t.match(wrong.text, /role="alert"[\s\S]*href="#email"/)
    t.notMatch(wrong.text, /<script>/)
    await book(path, start)
    const gone = await visit(`${path}/bookings`, {
      form: { ...typed, email: 'j@example.org', guests: '', name: 'Jane' },
    })
    t.equal(gone.status, 409)
    t.match(gone.text, /value="Jane"[\s\S]*&lt;\/textarea&gt;/)
    t.match(gone.text, /type="radio" name="start" value="2026-01-05T/)
    t.notMatch(gone.text, `value="${start}"`)
    await letters()
  })

  t.test('wrong values are refused by field for programs', async (t) => {
    const path = await page({ name: 'Wrong' })
    const faults = async (more: object) => {
      const { status, body } = await book(path, `${MONDAY}T13:30:00Z`, more)
      t.equal(status, 422)
      t.match(body.error, { type: 'validation_error', request_id: /^req_/ })
      return body.error.details.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`)
    }
    t.same(await faults({ start: 'tomorrow' }), ['start invalid_format'])
    t.same(await faults({ start: undefined, name: ' ', email: '' }), [
      'start required',
      'name required',
      'email required',
    ])
    t.same(await faults({ timezone: 'Mars/Base' }), ['timezone invalid_format'])
    t.same(await faults({ name: 'x'.repeat(101) }), ['name too_long'])
    t.same(await faults({ email: 'a b@example.org' }), ['email invalid_format'])
    t.same(await faults({ notes: 'x'.repeat(2_001) }), ['notes too_long'])
    t.same(await faults({ guests: ['a@example.org', 'b'] }), ['guests invalid_format'])
    t.same(await faults({ guests: Array.from({ length: 11 }, (_, i) => `g${i}@example.org`) }), ['guests too_long'])
    const headers = { 'Content-Type': 'application/json' }
    t.equal((await fetch(`${world.url}${path}/bookings`, { method: 'POST', headers, body: '[]' })).status, 422)
    t.equal(
      (await fetch(`${world.url}${path}/bookings`, { method: 'POST', headers, body: 'x'.repeat(70_000) })).status,
      413,
    )
    t.equal((await fetch(`${world.url}${path}/bookings`, { method: 'POST', body: 'x' })).status, 415)
    t.equal((await visit(`${path}/bookings`)).status, 405)
    t.equal((await visit(path, { form: {} })).status, 405)
  })

  t.test('slots are listed by dates or instants', async (t) => {
    const path = await page({ name: 'Slots', durationMinutes: 60, timezone: 'America/New_York' })
    const tuesday = '2026-01-06'
    const { body } = await visit(`${path}/slots?from=${tuesday}&to=${tuesday}&timezone=Asia/Tokyo`)
    t.match(body, { object: 'booking_slots', timezone: 'Asia/Tokyo', duration_minutes: 60 })
    t.same(body.slots[0], { start: '2026-01-05T15:00:00.000Z', end: '2026-01-05T16:00:00.000Z' }, 'a day in Tokyo')
    const within = await visit(`${path}/slots?from=2026-01-06T14:00:00Z&to=2026-01-06T11:00:00-05:00`)
    t.same(within.body.slots.length, 2)
    t.equal(within.body.timezone, 'America/New_York')
    for (const query of [
      '',
      'from=x&to=2026-01-06',
      'from=2026-01-06&to=2026-01-05',
      'from=2026-01-06&to=2026-04-06',
      'from=2026-01-06&to=2026-01-06&timezone=x',
    ])
      t.equal((await visit(`${path}/slots?${query}`)).status, 422, query)
  })

  t.test('nothing tells what there is: unknown, inactive and deleted pages are the same', async (t) => {
    const path = await page({ name: 'Inactive', active: false })
    const unknown = await visit(path.replace('inactive', 'unknown'))
    for (const other of [path, '/book/nobody-1/x', '/book/organization-of-example-test-999/x', '/book/x']) {
      const seen = await visit(other)
      t.equal(seen.status, 404, other)
      t.equal(seen.text, unknown.text)
    }
    t.equal((await visit(`${path}/slots?from=${MONDAY}&to=${MONDAY}`)).status, 404)
    const refused = await book(path, `${MONDAY}T13:00:00Z`)
    t.match(refused, { status: 404, body: { error: { type: 'not_found' } } })
    const shown = await visit(await page({ name: 'Address' }))
    t.notMatch(shown.text, alice.address)
  })

  t.test('a program that fills in the hidden field books nothing and learns nothing', async (t) => {
    const path = await page({ name: 'Trap', confirmByEmail: true })
    const form = { ...invitee, start: `${MONDAY}T14:00:00Z`, website: 'https://spam.example' }
    const before = (await events()).length
    const trapped = await visit(`${path}/bookings`, { form })
    t.same(await letters(), [])
    const honest = await visit(`${path}/bookings`, { form: { ...form, website: '' } })
    t.equal((await letters()).length, 1, 'control')
    t.same([trapped.status, trapped.text], [honest.status, honest.text])
    t.equal((await events()).length, before)
  })

  t.test('pages load nothing from others, run no text of others, and may be framed by named sites only', async (t) => {
    const path = await page({ name: 'Framed', embedOrigins: ['https://www.example.com', 'https://shop.example.com'] })
    const other = await page({ name: 'Unframed' })
    const policyOf = ({ headers }: Seen) => headers.get('content-security-policy') ?? ''
    const plain = await visit(path)
    t.match(policyOf(plain), "default-src 'none'; script-src 'self'; style-src 'self'")
    t.match(policyOf(plain), "frame-ancestors 'none'")
    t.equal(plain.headers.get('x-frame-options'), 'DENY')
    t.notMatch(policyOf(plain), 'unsafe')
    const embedded = await visit(`${path}?embed=1`)
    t.match(policyOf(embedded), 'frame-ancestors https://www.example.com https://shop.example.com')
    t.equal(embedded.headers.get('x-frame-options'), null)
    t.ok(
      hrefs(embedded, /date=/).every((href) => href.includes('embed=1')),
      'links stay embedded',
    )
    t.match(policyOf(await visit(`${other}?embed=1`)), "frame-ancestors 'none'")
    const link = linkOf(await book(path, `${MONDAY}T14:30:00Z`))
    t.match(policyOf(await visit(link)), "frame-ancestors 'none'")
    t.equal((await visit(link)).headers.get('referrer-policy'), 'no-referrer')
    for (const seen of [plain, embedded, await visit(link)]) {
      t.notMatch(seen.text, /(?:src|action)="(?!\/)|<link[^>]*href="(?!\/)|style="|\son\w+="/)
      t.equal(seen.headers.get('cache-control'), 'no-store')
    }
    await letters()
  })

  t.test('a page weighs less than 50 KB with all that it loads', async (t) => {
    const { accountId } = organization
    const show = (logoUrl: string | null) =>
      request([['Organization/set', { accountId, update: { [accountId]: { logoUrl } } }]])
    await show('https://www.example.org/logo.png')
    const seen = await visit(`${await page({ name: 'Weight', description: 'x'.repeat(2_000) })}?timezone=Asia/Kolkata`)
    let bytes = Buffer.byteLength(seen.text)
    const assets = [...seen.text.matchAll(/(?:src|href)="(\/book\/(?:assets\/|[^"]+\/logo\.)[^"]+)"/g)].map(
      ([, path]) => path!,
    )
    t.equal(assets.length, 3)
    for (const path of assets) {
      const asset = await visit(path)
      t.match(asset, { status: 200 })
      t.match(asset.headers.get('cache-control'), 'immutable')
      bytes += asset.size
    }
    t.ok(bytes < PAGE_MAX_BYTES, `${bytes} octets without compression`)
    t.equal((await visit('/book/assets/x/booking.css')).status, 404)
    await show(null)
  })

  t.test('the logo of the organization comes from this server, as an image and nothing else', async (t) => {
    const { accountId } = organization
    const show = (logoUrl: string | null) =>
      request([['Organization/set', { accountId, update: { [accountId]: { logoUrl } } }]])
    const path = await page({ name: 'Logo' })
    t.notMatch((await visit(path)).text, '<img')
    await show('https://www.example.org/logo.png')
    const [, src] = /<img src="([^"]+)" alt="" width="\d+" height="\d+">/.exec((await visit(path)).text) ?? []
    const logo = await visit(src!)
    t.match(logo, { status: 200 })
    for (const [name, value] of [
      ['content-type', 'image/webp'],
      ['x-content-type-options', 'nosniff'],
      ['content-security-policy', "default-src 'none'; sandbox"],
      ['cache-control', 'public, max-age=31536000, immutable'],
    ] as const)
      t.equal(logo.headers.get(name), value)
    t.match(logo.text, /^RIFF/)
    t.match(await visit(src!, { method: 'HEAD' }), { status: 200, text: '' })
    t.equal((await visit(src!, { method: 'POST' })).status, 405)
    t.equal((await visit(src!.replace(/logo\.\w/, 'logo.x'))).status, 404)
    t.equal((await visit(src!.replace(/-\d+\//, '-999999/'))).status, 404, 'of another organization')
    await show(null)
    t.equal((await visit(src!)).status, 404)
    t.notMatch((await visit(path)).text, '<img')
  })

  t.test('sign-up pages show the logo of the organization too', async (t) => {
    const { accountId } = organization
    const show = (logoUrl: string | null) =>
      request([['Organization/set', { accountId, update: { [accountId]: { logoUrl } } }]])
    const { call, audience } = audiencesOf(world)
    const id = await audience()
    await call('Audience/set', { update: { [id]: { signupPage: true } } })
    const path = `/subscribe/${id}`
    t.notMatch((await visit(path)).text, '<img')
    await show('https://www.example.org/logo.png')
    const seen = await visit(path)
    const [, src] = /<img src="([^"]+)" alt="" width="\d+" height="\d+">/.exec(seen.text) ?? []
    t.match(seen.headers.get('content-security-policy'), /img-src 'self'/)
    t.match(await visit(src!), { status: 200, text: /^RIFF/ })
    t.match((await visit(path, { form: { email: 'nobody' } })).text, src!, 'also beside a fault')
    await show(null)
  })

  t.test('pages have the accent colour of the organization', async (t) => {
    const path = await page({ name: 'Accent' })
    t.notMatch((await visit(path)).text, 'accent-')
    const { accountId } = organization
    const paint = (accentColor: string | null) =>
      request([['Organization/set', { accountId, update: { [accountId]: { accentColor } } }]])
    t.match(await paint('red;}'), [
      ['Organization/set', { notUpdated: { [accountId]: { type: 'invalidProperties' } } }],
    ])
    await paint('#ffcc00')
    const [, href] = /href="(\/book\/assets\/accent-ffcc00\.css)"/.exec((await visit(path)).text) ?? []
    const style = await visit(href!)
    t.match(style, { status: 200, text: /^:root\{--accent:rgb\(\d+ \d+ \d+\)/ })
    t.match(style.headers.get('content-type'), 'text/css')
    t.equal((await visit('/book/assets/accent-xyz.css')).status, 404)
    await paint(null)
    for (const hex of ['ffcc00', '000000', 'ffffff', '1a56b0', '777777', '00ff00']) {
      const colours = [...accentStyle(hex).matchAll(/--(on-)?accent:rgb\((\d+) (\d+) (\d+)\)/g)]
      const [light, onLight, dark, onDark] = colours.map((match) => match.slice(2).map(Number) as never)
      t.ok(contrast(light!, [244, 245, 247]) >= 4.5 && contrast(light!, onLight!) >= 4.5, `${hex} in light`)
      t.ok(contrast(dark!, [29, 33, 38]) >= 4.5 && contrast(dark!, onDark!) >= 4.5, `${hex} in dark`)
    }
  })

  t.test('pages are in English or German, as the visitor likes best', async (t) => {
    const path = await page({ name: 'Sprache' })
    const german = await visit(path, { headers: { 'Accept-Language': 'fr, de-AT;q=0.9, en;q=0.8' } })
    t.match(german.text, /<html lang="de">[\s\S]*Zeitzone/)
    t.equal(german.headers.get('content-language'), 'de')
    t.match(german.headers.get('vary'), 'Accept-Language')
    t.match((await visit(path)).text, /<html lang="en">/)
    const headers = { 'Accept-Language': 'de' }
    const body = { ...invitee, start: `${MONDAY}T15:00:00Z` }
    t.equal((await visit(`${path}/bookings`, { json: body, headers })).status, 201)
    t.match(await letters(), [{ header: /Subject: Gebucht: Sprache, Montag/ }])
    const tags = ['', '*', 'de', 'de-CH, en;q=1', 'en;q=0, de;q=0.1', 'xx', 'de;q=2', `de${'-x'.repeat(5_000)}`]
    t.same(
      tags.map((tag) => languageFor(tag).words.language),
      ['en', 'en', 'de', 'de', 'de', 'en', 'en', 'en'],
    )
    t.equal(languageFor('en-GB').locale, 'en-GB')
  })

  t.test('times are shown in the chosen zone and clock', async (t) => {
    const path = await page({ name: 'Clock', timezone: 'Europe/Berlin' })
    const at = async (query: string) => (await visit(`${path}?date=2026-01-06&${query}`)).text
    t.match(await at('timezone=America/New_York&hours=12'), />3:00 AM</)
    t.match(await at('timezone=America/New_York&hours=24'), />03:00</)
    t.match(await at(''), />9:00 AM</)
    t.match((await visit(`${path}?date=2026-01-06`, { headers: { 'Accept-Language': 'en-GB' } })).text, />09:00</)
    const wrong = await visit(`${path}?date=2026-99-99&month=x&timezone=Mars&hours=7&start=never`)
    t.equal(wrong.status, 200, 'wrong members of the URL are left out')
  })

  t.test('what happened is told at the link', async (t) => {
    const path = await page({ name: 'Told' })
    const link = linkOf(await book(path, '2026-01-07T09:00:00Z'))
    t.match((await visit(`${link}?move=1&timezone=UTC`)).text, /date=2026-01-07/)
    const question = await visit(`${link}?move=1&timezone=UTC&start=2026-01-07T10:00:00.000Z`)
    const moved = await visit(link, { form: fieldsOf(question) })
    t.equal(moved.status, 303)
    t.match((await visit(moved.headers.get('location')!)).text, /has been moved/)
    t.equal((await visit(link, { form: { action: 'explode' } })).status, 422)
    t.equal((await visit(link, { form: { action: 'reschedule', start: 'x', timezone: 'UTC' } })).status, 422)
    t.match(await visit(link, { form: { action: 'cancel', reason: '' } }), { status: 200, text: /is cancelled/ })
    const gone = await visit(link)
    t.match(gone, { status: 410, text: /no longer valid/ })
    await request([['Organization/get', { accountId: organization.accountId, ids: null }]])
  })
})

t.test('a client that books too often is stopped, and so is the use of one address', async (t) => {
  const { page, book, visit, clock } = await startBooking(t, 'sqlite', 10)
  const path = await page({ name: 'Often', durationMinutes: 5 })
  const start = (i: number) => new Date(Date.parse(`${MONDAY}T09:00:00Z`) + i * 300_000).toISOString()
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) statuses.push((await book(path, start(i))).status)
  t.same(statuses, [201, 201, 201, 201, 201, 429], 'five with one address')
  for (let i = 6; i < 12; i++) statuses.push((await book(path, start(i), { email: `j${i}@example.org` })).status)
  t.same(statuses.slice(6), [201, 201, 201, 201, 201, 429], 'ten of one client')
  const refused = await book(path, start(20), { email: 'x@example.org' })
  t.match(refused, { status: 429, body: { error: { type: 'rate_limit_exceeded' } } })
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  t.equal((await visit(path)).status, 200, 'it may still look')
  clock.advance(3_600_000)
  t.equal((await book(path, start(20), { email: 'x@example.org' })).status, 201)
  clock.advance(3_600_000)
  const guests = ['guest@example.org']
  const link = linkOf(await book(path, start(30), { email: 'y@example.org', guests }))
  const moves: number[] = []
  for (let i = 31; i < 36; i++)
    moves.push((await visit(link, { json: { action: 'reschedule', start: start(i), timezone: 'UTC' } })).status)
  t.same(moves, [200, 200, 200, 200, 429], 'a move writes to the same people')
  t.equal((await book(path, start(40), { email: 'z@example.org', guests })).status, 429, 'guests count')
  t.equal((await book(path, start(40), { email: 'z@example.org' })).status, 201, 'control: without the guest')
})

t.test('a person gets a page when the store does not answer, and nothing of the cause', async (t) => {
  let isDown = false
  const { page, book, visit } = await startBooking(t, 'sqlite', 0, (core) => ({
    ...core,
    bookings: {
      ...core.bookings,
      book: (...args) => {
        if (isDown) throw new Failure('storageUnavailable', 'secret cause')
        return core.bookings.book(...args)
      },
    },
  }))
  const path = await page({ name: 'Down' })
  t.equal((await book(path, `${MONDAY}T09:00:00Z`)).status, 201, 'control')
  isDown = true
  const form = { name: 'Jane', email: 'jane@example.org', timezone: 'UTC', start: `${MONDAY}T10:00:00Z` }
  const seen = await visit(`${path}/bookings`, { form })
  t.match(seen, { status: 503, text: /<h1>Something went wrong/ })
  t.ok(Number(seen.headers.get('retry-after')) > 0)
  t.notMatch(seen.text, 'secret')
  t.match(await book(path, `${MONDAY}T10:00:00Z`), {
    status: 503,
    body: { error: { type: 'service_unavailable', request_id: /^req_/ } },
  })
})

t.test('months are laid out in weeks', async (t) => {
  const month = makeMonth('2026-02', [{ start: Date.UTC(2026, 1, 3, 23), end: Date.UTC(2026, 1, 4) }], 'Asia/Tokyo')
  t.equal(month.days.length, 28)
  t.same(
    month.days.filter(({ slots }) => slots.length > 0).map(({ date }) => date),
    ['2026-02-04'],
  )
  t.equal(weeksOf(month, 0).length, 4, 'a Sunday first')
  const weeks = weeksOf(month, 1)
  t.equal(weeks.length, 5)
  t.same(
    weeks[0]?.map((day) => day?.date ?? null),
    [null, null, null, null, null, null, '2026-02-01'],
  )
})
