// Decision D18, RFC 8058: the links of newsletters, on both engines
import { createHmac } from 'node:crypto'
import t from 'tap'
import { Audience } from '../../../jmap/newsletters/audience/audience.type.ts'
import { makeRecipientToken, unsubscribeUrl } from '../../../jmap/newsletters/links/recipient-links.ts'
import { Newsletter } from '../../../jmap/newsletters/newsletter/newsletter.type.ts'
import type { Core } from '../../../jmap/services.ts'
import { FORGED_LINKS_PER_MINUTE, RECIPIENT_LINK_VISITS_PER_MINUTE } from '../../../server/base/audience-limits.ts'
import { Keyring } from '../../../server/base/keyring.ts'
import { audiencesOf } from '../../jmap/newsletters/world.ts'
import { forEachEngine } from '../../support/engines.ts'
import { startHttp } from '../../support/http-server.ts'

const BLOCKS = [{ type: 'paragraph', body: 'Hi' }]

await forEachEngine(t, async (t, engine) => {
  const keyring = new Keyring([new Uint8Array(32).fill(7)])
  let lookUps = 0
  const around = (core: Core): Core => {
    const find: typeof core.recipientLinks.find = (token) => {
      lookUps++
      return core.recipientLinks.find(token)
    }
    return { ...core, recipientLinks: { ...core.recipientLinks, find } }
  }
  const http = await startHttp(t, { engine, keyring, around })
  const { url, core, organization, clock } = http
  const { call, add, audience, find, statuses } = audiencesOf(http)
  const { id: newsletterId } = (await call('Newsletter/set', { create: { n: { blocks: BLOCKS } } })).created.n
  const numberOf = (kind: typeof Audience | typeof Newsletter, id: string) => core.ids.decode(kind, id)!.object
  const linkOf = (audienceId: string, address: string) =>
    unsubscribeUrl(keyring, '', {
      account: organization.account,
      newsletter: numberOf(Newsletter, newsletterId),
      audience: numberOf(Audience, audienceId),
      address,
    })
  const visit = async (path: string, form?: Record<string, string> | FormData) => {
    const body = form && (form instanceof FormData ? form : new URLSearchParams(form))
    const answer = await fetch(url + path, { method: body ? 'POST' : 'GET', ...(body && { body }) })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  const choose = (link: string, choice: string) => visit(`${link}/preferences`, { choice })
  const checked = ({ text }: { text: string }) => / value="(\w+)" required checked/.exec(text)?.[1]
  const optOuts = async (email: string) => (await call('OptOut/query', { filter: { email } })).ids.length
  /** Two audiences with the address in both, and its link in the first. */
  const member = async (address: string) => {
    const [first, second] = [await audience('Weekly <news>'), await audience('Offers')]
    for (const one of [first, second]) await add(one, [address])
    const both = async () => [(await statuses(first))[address], (await statuses(second))[address]]
    return { first, second, both, link: linkOf(first, address) }
  }

  t.test('a GET shows a form and changes nothing; the one-click POST opts out at once', async (t) => {
    const { first, link, both } = await member('one@example.org')
    for (const path of [link, `${link}/preferences`]) {
      const { status, text, headers } = await visit(path)
      t.equal(status, 200)
      t.match(text, /<form method="post"/)
      t.notMatch(text, /one@example\.org|<script/, 'a forwarded mail shows no address')
      const policy = headers.get('content-security-policy')
      t.match(policy, /^default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'/)
      t.match([headers.get('cache-control'), headers.get('referrer-policy')], ['no-store', 'no-referrer'])
    }
    t.same([await both(), await optOuts('one@example.org')], [['subscribed', 'subscribed'], 0])
    // RFC 8058 3.1: either form of a body.
    const body = new FormData()
    body.set('List-Unsubscribe', 'One-Click')
    t.match(await visit(link, body), { status: 200, text: /You are unsubscribed/ })
    t.same([await both(), await optOuts('one@example.org')], [['unsubscribed', 'unsubscribed'], 1])
    const { newState } = await call('Subscriber/set', {})
    t.match(await visit(link, { 'List-Unsubscribe': 'One-Click' }), { status: 200, text: /You are unsubscribed/ })
    t.equal((await call('Subscriber/set', {})).newState, newState, 'again: nothing is written')
    t.same(await add(first, ['one@example.org']), ['skipped_not_mailable'])
    t.match((await call('OptOut/get', { ids: null })).list[0], { source: 'recipient' })
  })

  t.test('one-click acts whatever the body is, and no other method or query does', async (t) => {
    const multipart = '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n'
    const bodies: [type: string | null, body: string | Uint8Array][] = [
      ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
      ['APPLICATION/X-WWW-FORM-URLENCODED; charset="utf-7"', 'List-Unsubscribe=One-Click'],
      ['multipart/form-data; boundary=b', multipart],
      ['multipart/form-data', multipart.replace('--b--', '')],
      ['application/json', '{"List-Unsubscribe":'],
      ['text/plain', 'List-Unsubscribe=One-Click&choice=list'],
      [null, ''],
      ['x', new Uint8Array(300_000)],
    ]
    for (const [index, [type, body]] of bodies.entries()) {
      const { link, both } = await member(`body${index}@example.org`)
      const headers = { 'Content-Type': type ?? '' }
      for (const path of [`${link}?List-Unsubscribe=One-Click`, `${link}/preferences?choice=none`])
        for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE']) await fetch(url + path, { method })
      t.same(await both(), ['subscribed', 'subscribed'], 'control')
      const answer = await fetch(url + link, {
        method: 'POST',
        body,
        ...(type !== null && { headers }),
        redirect: 'manual',
      })
      t.equal(answer.status, 200, String(type))
      t.same(await both(), ['unsubscribed', 'unsubscribed'], String(type))
    }
  })

  t.test('a link changes its own audience and nothing of another, however often it is used', async (t) => {
    const { first, second, link, both } = await member('replay@example.org')
    const other = linkOf(second, 'replay@example.org')
    for (const _ of [1, 2]) await choose(link, 'notThis')
    t.same(await both(), ['unsubscribed', 'subscribed'])
    await choose(other, 'notThis')
    await choose(other, 'list')
    t.same(await both(), ['unsubscribed', 'subscribed'], 'coming back to one is not coming back to the other')
    const neighbour = linkOf(first, 'neighbour@example.org')
    await add(second, ['neighbour@example.org'])
    t.equal((await choose(neighbour, 'list')).status, 200)
    t.equal((await statuses(first))['neighbour@example.org'], undefined, 'nobody is added by a link')
    for (const choice of ['__proto__', 'constructor', 'NONE', 'list\0', ''])
      t.equal((await choose(link, choice)).status, 422, choice)
    const twice = new URLSearchParams([
      ['choice', 'list'],
      ['choice', 'none'],
    ])
    t.equal((await fetch(`${url}${link}/preferences`, { method: 'POST', body: twice })).status, 200)
    t.same(await both(), ['subscribed', 'subscribed'], 'the first value counts')
    const json = { method: 'POST', headers: { 'Content-Type': 'application/json' } }
    for (const body of ['{"choice":["none"]}', '[]', '{"choice":', 'null'])
      t.equal((await fetch(`${url}${link}/preferences`, { ...json, body })).status, 422, body)
    const form = new FormData()
    form.set('choice', 'none')
    t.equal((await fetch(`${url}${link}/preferences`, { method: 'POST', body: form })).status, 415)
    t.same(await both(), ['subscribed', 'subscribed'])
  })

  t.test('leaving one list keeps the others, and deleting and adding does not undo it', async (t) => {
    const { first, link, both } = await member('two@example.org')
    t.equal(checked(await visit(`${link}/preferences`)), 'list')
    const done = await choose(link, 'notThis')
    t.match(done.text, /role="status"/)
    t.match(done.text, 'Not Weekly &lt;news&gt;')
    t.equal(checked(done), 'notThis')
    t.same([await both(), await optOuts('two@example.org')], [['unsubscribed', 'subscribed'], 0])
    await call('Subscriber/set', { destroy: [(await find(first, 'two@example.org')).id] })
    t.same(await add(first, ['two@example.org', 'control@example.org']), ['skipped_not_mailable', 'created'])
    t.equal(checked(await choose(link, 'list')), undefined, 'no member any more')
    t.same(await add(first, ['two@example.org']), ['created'], 'the recipient came back')
  })

  t.test('service mail only, and coming back', async (t) => {
    const { first, link, both } = await member('three@example.org')
    t.equal(checked(await choose(link, 'service')), 'service')
    t.same(await both(), ['transactional_only', 'transactional_only'])
    t.equal(checked(await choose(link, 'list')), 'list')
    t.same(await both(), ['subscribed', 'transactional_only'])
    await choose(link, 'none')
    t.same(await both(), ['unsubscribed', 'unsubscribed'])
    t.notMatch((await choose(link, 'service')).text, / checked/, 'an opt-out ends by coming back only')
    t.equal(await optOuts('three@example.org'), 1)
    t.match((await visit(`${link}/preferences`)).text, 'Get Weekly &lt;news&gt; again')
    t.equal(checked(await choose(link, 'list')), 'list')
    t.same([await both(), await optOuts('three@example.org')], [['subscribed', 'unsubscribed'], 0])
    t.match(await find(first, 'three@example.org'), { status: 'subscribed' })
    t.match(await choose(link, 'everything'), { status: 422, text: /id="fault"/ })
    t.match(await visit(`${link}/preferences`, {}), { status: 422 })
  })

  t.test('a link works after its newsletter, audience and subscriber are gone', async (t) => {
    const { first, second, link, both } = await member('four@example.org')
    const { id } = (await call('Newsletter/set', { create: { n: { blocks: BLOCKS } } })).created.n
    const other = makeRecipientToken(keyring, {
      account: organization.account,
      newsletter: numberOf(Newsletter, id),
      audience: numberOf(Audience, first),
      address: 'four@example.org',
    })
    await call('Newsletter/set', { destroy: [id] })
    await call('Audience/set', { destroy: [first] })
    t.match((await visit(`/unsubscribe/${other}`)).text, /<form method="post"/)
    t.notMatch((await visit(`${link}/preferences`)).text, /Weekly/)
    t.same(await both(), [undefined, 'subscribed'])
    t.match(await visit(`/unsubscribe/${other}`, {}), { status: 200 })
    t.same([await both(), await optOuts('four@example.org')], [[undefined, 'unsubscribed'], 1])
    t.same(await add(second, ['four@example.org']), ['skipped_not_mailable'])
  })

  t.test('a forged link shows the same page whatever it names', async (t) => {
    const { link, both } = await member('five@example.org')
    const [, , account, , name, octets] = /^(\/unsubscribe\/)(\w+)\.(v1)\.(\w+)\.([\w-]+)$/.exec(link)!
    const flipped = octets!.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
    const forged = [
      `/unsubscribe/${account}.v1.${name}.${flipped}`,
      `/unsubscribe/zzz.v1.${name}.${octets}`,
      `/unsubscribe/${account}.v1.00000000.${octets}`,
      `/unsubscribe/${createHmac('sha256', 'x').update('five@example.org').digest('hex')}`,
      '/unsubscribe/',
      `/unsubscribe/${'a'.repeat(2_000)}`,
    ]
    const texts = new Set<string>()
    for (const path of forged) {
      const shown = await visit(path)
      t.equal(shown.status, 404)
      texts.add(shown.text)
      t.equal((await visit(path, { 'List-Unsubscribe': 'One-Click' })).status, 404)
    }
    t.equal(texts.size, 1)
    t.equal((await fetch(url + link, { method: 'PUT' })).status, 405)
    t.same(await both(), ['subscribed', 'subscribed'])
  })

  t.test(
    'a client that tries forged links is stopped, and others unsubscribe meanwhile from the same address',
    async (t) => {
      clock.advance(60_000)
      const { link, both } = await member('six@example.org')
      const seen = new Set<number>()
      for (let i = 0; i <= FORGED_LINKS_PER_MINUTE; i++) seen.add((await visit(`/unsubscribe/x${i}`)).status)
      t.same([...seen], [404, 429])
      t.equal((await visit(link, {})).status, 200)
      t.same(await both(), ['unsubscribed', 'unsubscribed'])
      for (let i = 1; i < RECIPIENT_LINK_VISITS_PER_MINUTE; i++) await visit(link)
      const token = link.split('/').at(-1)!
      const variants = [`${token}.`, `${token}.x`, `0${token}`, token.replace(/.$/, '$&A'), `${token}-`]
      clock.advance(60_000)
      for (const variant of variants) t.equal((await visit(`/unsubscribe/${variant}`)).status, 404, 'one form only')
      for (let i = 0; i < RECIPIENT_LINK_VISITS_PER_MINUTE; i++) await visit(link)
      const before = lookUps
      t.match(await visit(link), { status: 429, headers: { get: Function } })
      t.equal(lookUps, before, 'the store is not read')
    },
  )

  t.test('the page is in the language that its reader prefers, and the link of a test does nothing', async (t) => {
    clock.advance(60_000)
    const { link } = await member('seven@example.org')
    for (const [language, words] of [
      ['de', /<html lang="de">[\s\S]*abbestellen/],
      ['fr', /<html lang="fr">[\s\S]*Se désabonner de/],
    ] as const) {
      const answer = await fetch(url + link, { headers: { 'Accept-Language': language } })
      t.equal(answer.headers.get('content-language'), language)
      t.match(await answer.text(), words)
    }
    for (const form of [undefined, { 'List-Unsubscribe': 'One-Click' }])
      t.match(await visit('/unsubscribe/test', form), { status: 200, text: /the link of a test/ })
  })
})
