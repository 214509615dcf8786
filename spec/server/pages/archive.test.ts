// Decision D19, promise N1: the public archive of newsletters, on both engines
import { get, type IncomingMessage } from 'node:http'
import t from 'tap'
import { Newsletter } from '../../../jmap/newsletters/newsletter/newsletter.type.ts'
import { settingsOf } from '../../../jmap/newsletters/newsletter/stored-newsletter.ts'
import { ARCHIVE_INDEX_MAX, ARCHIVE_KEEP_MS, ARCHIVE_LOOKS_PER_MINUTE } from '../../../server/base/newsletter-limits.ts'
import { findNewsletter, updateNewsletter } from '../../../storage/repos/newsletters.ts'
import { audiencesOf } from '../../jmap/newsletters/world.ts'
import type { Result } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { startHttp, type TestHttpOptions } from '../../support/http-server.ts'

async function startArchive(t: Parameters<typeof startHttp>[0], options: TestHttpOptions = {}) {
  const http = await startHttp(t, options)
  const { store, core, organization, clock, url } = http
  const { call } = audiencesOf(http)
  const slug = (await call('Organization/get', { ids: null })).list[0].slug as string
  /** A newsletter whose sending has begun. @returns its path in the archive */
  const sent = async (
    record: object,
    startedAt: string | null = '2026-05-01T08:00:00Z',
    state: 'sent' | 'cancelled' = 'sent',
  ) => {
    const blocks = [{ type: 'paragraph', body: 'Hello {{first_name|you}}, {{email_address}}' }]
    const create = { n: { blocks, ...record } }
    const { id } = (await call('Newsletter/set', { create })).created.n as { id: string }
    await store.write([organization.account], async (work) => {
      const unit = work.account(organization.account)
      const number = core.ids.decode(Newsletter, id)!.object
      const settings = { ...settingsOf((await findNewsletter(unit, unit.account, number))!), startedAt }
      const status = startedAt === null ? 'draft' : state
      await updateNewsletter(unit, number, { status, settings: JSON.stringify(settings) })
    })
    return { id, path: (await call('Newsletter/get', { ids: [id] })).list[0].archivePath as string }
  }
  const visit = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(url + path, { headers, redirect: 'manual' })
    return { status: answer.status, headers: answer.headers, text: await answer.text() }
  }
  return { ...http, call, slug, sent, visit, clock }
}

await forEachEngine(t, async (t, engine) => {
  const { sent, visit, slug, call, clock, organization, core, request, url } = await startArchive(t, { engine })

  t.test(
    'a sent newsletter has a sandboxed page without data of subscribers; a private one and a draft have none',
    async (t) => {
      const { path } = await sent({ subject: 'May for {{first_name|you}}', archiveVisibility: 'unlisted' })
      const { status, text, headers } = await visit(path)
      t.equal(status, 200)
      t.match(text, /Hello you, [^@{]*</)
      t.notMatch(text, /\{\{|Unsubscribe/)
      t.match(text, /<div[^>]* role="main"/)
      t.notMatch(text, /role="article"|roledescription/)
      t.match(headers.get('content-security-policy'), /^default-src 'none';.*sandbox/)
      t.match(headers.get('x-robots-tag'), 'noindex')
      t.notMatch(headers.get('cache-control'), /no-store/)
      t.equal((await sent({ subject: 'Secret' })).path, null)
      t.equal((await sent({ subject: 'Later', archiveVisibility: 'public' }, null)).path, null)
      for (const forged of [
        path.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')),
        '/archive/1.2.3',
        '/archive/no-such-9',
        '/archive/',
      ])
        t.equal((await visit(forged)).status, 404)
    },
  )

  t.test('the index and the feeds list public newsletters alone, newest first', async (t) => {
    const first = await sent({ subject: 'First <b>', previewText: 'One & \u0001 two', archiveVisibility: 'public' })
    const second = await sent({ subject: 'Zweiter', language: 'de', archiveVisibility: 'public' })
    const index = await visit(`/archive/${slug}`)
    t.equal(index.status, 200)
    t.match(index.text, /Zweiter[\s\S]*First &lt;b&gt;[\s\S]*One &amp;/)
    t.notMatch(index.text, /May for|Secret|Later|noindex/)
    t.match(index.headers.get('content-security-policy'), /^default-src 'none'; style-src 'self'/)
    const rss = await visit(`/archive/${slug}/feed.xml`)
    t.match(rss.headers.get('content-type'), 'application/rss+xml')
    t.match(rss.text, /<title>Zweiter<\/title>[\s\S]*<title>First &lt;b&gt;<\/title>/)
    t.notMatch(rss.text, /[\u0000-\u0008]|Secret/)
    const feed = JSON.parse((await visit(`/archive/${slug}/feed.json`)).text)
    t.match(
      feed.items.map(({ url }: Result) => new URL(url).pathname),
      [second.path, first.path],
    )
    t.match(feed.items[0], { date_published: '2026-05-01T08:00:00Z', language: 'de' })
    t.match(await visit(`/archive/${slug}`, { 'Accept-Language': 'de' }), { text: /<html lang="de">/ })
    t.equal((await visit(`/archive/${slug}?before=nonsense`)).status, 404)
  })

  t.test('a newsletter leaves the archive after it was sent, and comes back to the same URL', async (t) => {
    const { id, path } = await sent({ subject: 'Mistaken', archiveVisibility: 'unlisted' })
    const places = [`/archive/${slug}`, `/archive/${slug}/feed.xml`, `/archive/${slug}/feed.json`]
    const show = async (archiveVisibility: string) => {
      const { updated } = await call('Newsletter/set', { update: { [id]: { archiveVisibility } } })
      t.equal(updated[id].archivePath, archiveVisibility === 'private' ? null : path)
      clock.advance(ARCHIVE_KEEP_MS)
      const listed = await Promise.all(places.map(async (place) => (await visit(place)).text.includes('Mistaken')))
      return { listed, page: await visit(path) }
    }
    const shown = await visit(path)
    const [, seconds] = /^public, max-age=(\d+)$/.exec(shown.headers.get('cache-control')!) ?? []
    t.ok(Number(seconds) * 1_000 + ARCHIVE_KEEP_MS <= 120_000, 'caches keep nothing for longer than two minutes')
    t.match(await show('public'), { listed: [true, true, true], page: { status: 200 } }, 'control')
    const gone = await show('private')
    t.match(gone, { listed: [false, false, false], page: { status: 404 } })
    t.equal(gone.page.headers.get('cache-control'), 'no-store')
    t.equal((await visit(path, { 'If-None-Match': '*', 'If-Modified-Since': new Date(0).toUTCString() })).status, 404)
    const unlisted = await show('unlisted')
    t.match(unlisted, { listed: [false, false, false], page: { status: 200 } })
    t.equal(unlisted.page.headers.get('x-robots-tag'), 'noindex')
    t.match(await show('public'), { listed: [true, true, true], page: { status: 200 } })
  })

  t.test('hostile titles, previews and names are text everywhere', async (t) => {
    const name = `]]><script>alert(1)</script>&amp;"'`
    await call('Organization/set', { update: { [organization.accountId]: { name } } })
    const subject = `${name} {{a|"><img src=x onerror=alert(2)>}}{{b}}`
    const previewText = `${name}\u0000\u000b\u001b\ufffe {{c|</p><script>}}`
    const { path } = await sent({ subject, previewText, archiveVisibility: 'public' })
    clock.advance(ARCHIVE_KEEP_MS)
    const rss = (await visit(`/archive/${slug}/feed.xml`)).text
    t.same(rss.match(/<(?!\/?(?:rss|channel|title|link|description|item|guid|pubDate|atom:link)[ >/])[^?]/g), null)
    t.match(rss, ']]&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;&quot;')
    t.notMatch(rss, /]]>|[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe]/)
    const feed = JSON.parse((await visit(`/archive/${slug}/feed.json`)).text)
    t.equal(feed.items[0].title, `${name} "><img src=x onerror=alert(2)>`, 'JSON has text as it is')
    for (const page of [`/archive/${slug}`, path]) {
      const { text } = await visit(page)
      t.notMatch(text, /<script|<img src=x|\u0000/i, page)
      t.match(text, '&lt;script&gt;', `control: ${page}`)
    }
    await call('Organization/set', { update: { [organization.accountId]: { name: 'Garden' } } })
  })

  t.test('links and pages of other organizations cannot be guessed', async (t) => {
    const { path } = await sent({ subject: 'Ours', archiveVisibility: 'public' })
    const [, account, newsletter, mac] = /^\/archive\/(\w+)\.(\w+)\.([\w-]+)$/.exec(path)!
    const other = await core.createOrganization('Others')
    const theirs = (await request([['Organization/get', { accountId: other.accountId, ids: null }]]))[0]![1] as Result
    const number = (Number.parseInt(account!, 36) + 1).toString(36)
    const tokens = [
      `${number}.${newsletter}.${mac}`,
      `${account}.${(Number.parseInt(newsletter!, 36) - 1).toString(36)}.${mac}`,
      `${account}.0${newsletter}.${mac}`,
      `0${account}.${newsletter}.${mac}`,
      `${account}.${newsletter}.${mac!.slice(1)}A`,
      `${account}.${newsletter}.${'A'.repeat(27)}`,
      `${account}.${newsletter}`,
    ]
    for (const token of tokens) t.equal((await visit(`/archive/${token}`)).status, 404, token)
    t.equal((await visit(path)).status, 200, 'control')
    const foreign = theirs.list[0].slug as string
    t.notMatch((await visit(`/archive/${foreign}`)).text, /Ours/)
    const { id } = await sent({ subject: 'Private' })
    t.equal((await visit(`/archive/${foreign}?before=${id}`)).status, 404, 'a place in the archive of another')
    t.equal((await visit(`/archive/${slug}?before=${id}`)).status, 200, 'control')
    const head = await fetch(url + path, { method: 'HEAD' })
    t.same([head.status, await head.text()], [200, ''])
    for (const method of ['POST', 'PUT', 'DELETE'])
      t.equal((await fetch(url + path, { method })).status, 405, `${method} acts on nothing`)
  })

  t.test('the page ends with its newsletter', async (t) => {
    const { id, path } = await sent({ subject: 'Short', archiveVisibility: 'public' }, undefined, 'cancelled')
    t.equal((await visit(path)).status, 200, 'control')
    t.same((await call('Newsletter/set', { destroy: [id] })).destroyed, [id])
    clock.advance(ARCHIVE_KEEP_MS)
    t.equal((await visit(path)).status, 404)
  })
})

t.test('pages of the index', async (t) => {
  const { sent, visit, slug, clock } = await startArchive(t)
  for (let i = 0; i <= ARCHIVE_INDEX_MAX; i++) await sent({ subject: `Issue ${i}.`, archiveVisibility: 'public' })
  const first = await visit(`/archive/${slug}`)
  t.equal(first.text.match(/Issue \d+\./g)?.length, ARCHIVE_INDEX_MAX)
  const [, next] = /href="(\/archive\/[^"]+\?before=[^"]+)"/.exec(first.text)!
  t.same((await visit(next!)).text.match(/Issue \d+\./g), ['Issue 0.'])
  for (let i = 2; i < ARCHIVE_LOOKS_PER_MINUTE; i++) await visit('/archive/x-1')
  t.equal((await visit(`/archive/${slug}`)).status, 429)
  clock.advance(ARCHIVE_KEEP_MS)
  t.equal((await visit(`/archive/${slug}`)).status, 200, 'control')
})

t.test('on a host of its own there is the archive and nothing else, and the others lead there', async (t) => {
  const { url, slug } = await startArchive(t, { archiveUrl: 'http://news.example.test' })
  const { port } = new URL(url)
  const at = (path: string, host: string) =>
    new Promise<IncomingMessage>((resolve) => {
      get({ port, host: '127.0.0.1', path, headers: { Host: host } }, (answer) => resolve(answer.resume()))
    })
  const own = async (path: string) => (await at(path, 'news.example.test')).statusCode
  t.same([await own(`/archive/${slug}`), await own('/healthz')], [200, 200])
  for (const other of ['/', '/docs', '/v1/status', '/jmap/api', '/subscribe/x', '/unsubscribe/x'])
    t.equal(await own(other), 404, other)
  t.match((await at('/docs', 'news.example.test')).headers['x-request-id'], /^req_/, 'a refusal is in the log too')
  t.equal((await at('/v1/status', '127.0.0.1')).statusCode, 200, 'control')
  const { statusCode, headers } = await at(`/archive/${slug}`, '127.0.0.1')
  t.same([statusCode, headers.location], [308, `http://news.example.test/archive/${slug}`])
})
