// Decision D18 and promise N4: sign-ups on public pages, on both engines
import t from 'tap'
import {
  SIGN_UP_KEEP_MS,
  SIGN_UP_MAIL_EVERY_MS,
  SUBSCRIBER_NAME_MAX_CHARS,
} from '../../../server/base/audience-limits.ts'
import { BOOKING_BODY_MAX_BYTES } from '../../../server/base/booking-limits.ts'
import { silentLogger } from '../../../server/base/logger.ts'
import { UNLIMITED_PLAN } from '../../../server/base/sending-limits.ts'
import { outgoing } from '../../jmap/delivery/support.ts'
import { audiencesOf } from '../../jmap/newsletters/world.ts'
import { forEachEngine } from '../../support/engines.ts'
import { startHttp } from '../../support/http-server.ts'

await forEachEngine(t, async (t, engine) => {
  const logged: string[] = []
  const log = (fields: object) => void logged.push(JSON.stringify(fields))
  const http = await startHttp(t, { engine, logger: { ...silentLogger, info: log } })
  const { url, clock, core } = http
  const { call, add, audience, find, statuses, counts } = audiencesOf(http)
  const page = async (): Promise<string> => {
    const id = await audience('Product <b>news</b>')
    await call('Audience/set', { update: { [id]: { signupPage: true } } })
    return id
  }
  const visit = async (path: string, form?: Record<string, string>, headers: Record<string, string> = {}) => {
    const body = form && new URLSearchParams(form)
    const answer = await fetch(url + path, { method: body ? 'POST' : 'GET', headers, ...(body && { body }) })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const signUp = (id: string, email: string, more: Record<string, string> = {}) =>
    visit(`/subscribe/${id}`, { email, ...more })
  /** Mails since the last call: recipient and path of the link. */
  const letters = async () =>
    (await outgoing(http)).map(({ recipients, bytes, mailFrom }) => {
      const source = Buffer.from(bytes).toString().replaceAll(/=\r\n/g, '')
      const [, path = ''] = /http:\/\/[^/]+(\/subscribe\/confirm\/[\w.-]+)/.exec(source) ?? []
      return { to: recipients[0]!.address, path, source, mailFrom }
    })

  t.test('an address becomes a subscriber when its owner confirms by POST, and by nothing else', async (t) => {
    const id = await page()
    const shown = await visit(`/subscribe/${id}`)
    t.equal(shown.status, 200)
    t.match(shown.text, 'Subscribe to Product &lt;b&gt;news&lt;/b&gt;')
    t.notMatch(shown.text, /<script/)
    t.match(shown.headers.get('content-security-policy'), "default-src 'none'")
    const asked = await signUp(id, ' Ada@Example.org ', { name: 'Ada\r\nBcc: b@example.org' })
    t.match([asked.status, asked.text], [200, /check your mail/])
    const [letter, ...more] = await letters()
    t.same(more, [])
    t.match(letter, { to: 'ada@example.org', mailFrom: '', source: /^Subject: Please confirm: Product <b>news<\/b>/m })
    t.notMatch(letter!.source, /Bcc|Ada\b/, 'what a stranger typed is not in the mail')
    t.same([await statuses(id), await counts(id), (await call('Usage/get')).audienceIngest.used], [{}, [0, 0], 0])
    for (const _ of [1, 2]) t.match(await visit(letter!.path), { status: 200, text: /not subscribed yet/ })
    t.same(await statuses(id), {}, 'a GET confirms nothing')
    t.match(await visit(letter!.path, {}), { status: 200, text: /You are subscribed/ })
    t.match(await find(id, 'ada@example.org'), {
      status: 'subscribed',
      displayName: 'Ada Bcc: b@example.org',
      consentSource: 'Sign-up page, confirmed by mail',
    })
    t.same([await counts(id), (await call('Usage/get')).audienceIngest.used], [[1, 1], 1])
    for (const form of [undefined, {}]) t.match(await visit(letter!.path, form), { status: 410 }, 'once')
    t.ok(logged.some((line) => line.includes('/subscribe/confirm/...')))
    t.notOk(
      logged.some((line) => line.includes(letter!.path)),
      'the link is in no log',
    )
    t.match(await visit(letter!.path.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))), { status: 410 }, 'forged')
  })

  t.test('only the recipient ends an opt-out, for that audience', async (t) => {
    const [id, other] = [await page(), await audience()]
    for (const one of [id, other]) await add(one, ['back@example.org'])
    await call('Subscriber/unsubscribe', { subscriberId: (await find(id, 'back@example.org')).id })
    t.same(await add(id, ['back@example.org']), ['skipped_not_mailable'])
    await signUp(id, 'back@example.org')
    const [letter] = await letters()
    await visit(letter!.path, {})
    t.same(
      [await statuses(id), await statuses(other)],
      [{ 'back@example.org': 'subscribed' }, { 'back@example.org': 'unsubscribed' }],
    )
    t.same((await call('OptOut/query', { filter: { email: 'back@example.org' } })).ids, [])
    t.same(await counts(id), [1, 1])
  })

  t.test('an address gets one mail for an audience and five in all within a day', async (t) => {
    const ids = [await page(), await page(), await page(), await page(), await page(), await page(), await page()]
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => signUp(ids[0]!, i % 2 ? 'bombed@example.org' : 'Bombed@EXAMPLE.org')),
    )
    t.equal((await letters()).length, 1)
    await Promise.all(ids.flatMap((id) => [signUp(id, 'bombed@example.org'), signUp(id, 'bombed@example.org')]))
    t.equal((await letters()).length, 4)
    t.equal((await signUp(ids[6]!, 'other@example.org')).status, 200)
    t.equal((await letters()).length, 1, 'control: another address')
    clock.advance(SIGN_UP_MAIL_EVERY_MS - 1)
    await signUp(ids[0]!, 'bombed@example.org')
    t.equal((await letters()).length, 0)
    clock.advance(1)
    for (const id of ids) await signUp(id, 'bombed@example.org')
    t.equal((await letters()).length, 5)
  })

  t.test('the answer does not show whether an address is known, and suppressed ones get no mail', async (t) => {
    const id = await page()
    await add(id, ['member@example.org'])
    await call('Suppression/set', { create: { s: { email: 'gone@example.org' } } })
    const answers = []
    for (const name of ['member', 'gone', 'new']) answers.push((await signUp(id, `${name}@example.org`)).text)
    t.equal(new Set(answers).size, 1)
    t.same(
      (await letters()).map(({ to }) => to),
      ['new@example.org'],
    )
    t.match(await signUp(id, 'bot@example.org', { website: 'x' }), { status: 200, text: answers[0]! })
    t.equal((await letters()).length, 0, 'a program that fills in the trap')
    for (const email of ['nobody', 'info@example.org', ''])
      t.match(await signUp(id, email), { status: 422, text: /aria-invalid/ })
  })

  t.test('a sign-up is over after three days, when the audience is deleted, and it is swept', async (t) => {
    const [id, gone] = [await page(), await page()]
    await signUp(id, 'late@example.org')
    await signUp(gone, 'lost@example.org')
    const sent = await letters()
    await call('Audience/set', { destroy: [gone] })
    t.equal((await visit(`/subscribe/${gone}`)).status, 404)
    const pathOf = (to: string) => sent.find((one) => one.to === to)!.path
    t.equal((await visit(pathOf('lost@example.org'), {})).status, 410)
    clock.advance(SIGN_UP_KEEP_MS - 1)
    t.equal((await visit(pathOf('late@example.org'))).status, 200, 'control')
    clock.advance(1)
    t.equal((await visit(pathOf('late@example.org'), {})).status, 410)
    t.same(await statuses(id), {})
    t.ok((await core.sweep()).signUps > 0)
    t.equal((await core.sweep()).signUps, 0)
  })

  t.test('strange requests sign nobody up, and large ones are refused before they are read', async (t) => {
    const id = await page()
    const path = `${url}/subscribe/${id}`
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE']) await fetch(`${path}?email=q@example.org`, { method })
    const form = 'application/x-www-form-urlencoded'
    const post = async (type: string, body: string) =>
      (await fetch(path, { method: 'POST', headers: { 'Content-Type': type }, body })).status
    const email = 'email=m%40example.org'
    t.equal(await post('multipart/form-data; boundary=b', `--b\r\n${email}`), 415)
    t.equal(await post('text/plain', email), 415)
    t.equal(await post('application/json', '["m@example.org"]'), 422)
    t.equal(await post('application/json', '{"__proto__":{"email":"m@example.org"}}'), 422)
    t.equal(await post('application/json', '{"email":{"toString":"m@example.org"}}'), 422)
    t.equal(await post(form, `${email}&name=${'x'.repeat(SUBSCRIBER_NAME_MAX_CHARS + 1)}`), 422)
    t.equal(await post(form, `email=${'x'.repeat(60_000)}%40example.org`), 422)
    t.equal(await post(form, `email=m%40example.org%2Cn%40example.org`), 422)
    t.equal(await post(form, `email=m%40example.org%0D%0ABcc%3A+n%40example.org`), 422)
    t.equal(await post(form, `${email}&x=${'x'.repeat(BOOKING_BODY_MAX_BYTES)}`), 413)
    t.same(await letters(), [])
    t.equal(await post(form, `${email}&email=other%40example.org&name=a%00%F0%9F%98%80%1B`), 200, 'control')
    const [letter, ...more] = await letters()
    t.same([letter?.to, more], ['m@example.org', []])
    await visit(letter!.path, {})
    t.match(await find(id, 'm@example.org'), { displayName: 'a \u{1f600}' })
  })

  t.test('the page is off unless it is switched on, and other methods are refused', async (t) => {
    const id = await audience()
    for (const path of [`/subscribe/${id}`, '/subscribe/aud_none', '/subscribe/x/y'])
      t.equal((await visit(path)).status, 404, path)
    t.equal((await signUp(id, 'a@example.org')).status, 404)
    const on = await page()
    t.equal((await fetch(`${url}/subscribe/${on}`, { method: 'PUT' })).status, 405)
    t.match(await visit(`/subscribe/${on}`, undefined, { 'Accept-Language': 'de-AT' }), { text: /abonnieren/ })
  })
})

t.test('a client signs up so often an hour', async (t) => {
  const http = await startHttp(t, { signUpsPerHour: 2 })
  const { call, audience } = audiencesOf(http)
  const id = await audience()
  await call('Audience/set', { update: { [id]: { signupPage: true } } })
  const statuses = []
  for (const name of ['a', 'b', 'c']) {
    const body = new URLSearchParams({ email: `${name}@example.org` })
    statuses.push((await fetch(`${http.url}/subscribe/${id}`, { method: 'POST', body })).status)
  }
  t.same(statuses, [200, 200, 429])
})

t.test('an organization that can add nobody sends no mails to strangers', async (t) => {
  const http = await startHttp(t, { limits: { plan: { ...UNLIMITED_PLAN, audienceIngest: 1 } } })
  const { call, audience, add } = audiencesOf(http)
  const id = await audience()
  await call('Audience/set', { update: { [id]: { signupPage: true } } })
  const signUp = async (email: string) => {
    const answer = await fetch(`${http.url}/subscribe/${id}`, { method: 'POST', body: new URLSearchParams({ email }) })
    return [answer.status, (await outgoing(http)).length]
  }
  t.same(await signUp('a@example.org'), [200, 1], 'control')
  await add(id, ['one@example.org'])
  t.same(await signUp('b@example.org'), [503, 0])
  t.same(await signUp('one@example.org'), [503, 0], 'the answer shows nobody who is known')
})
