import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { SCOPES } from '../../../jmap/directory/scopes.ts'
import { ENDPOINTS } from '../../../rest/endpoints.ts'
import { API_ERRORS } from '../../../rest/errors/api-error.ts'
import { changelogFeed, changelogHtml, readChangelog } from '../../../server/pages/docs/changelog.ts'
import { TITLES } from '../../../server/pages/docs/pages.ts'
import { startHttp } from '../../support/http-server.ts'

const PATHS = Object.keys(TITLES).map((name) => (name === '' ? '/docs' : `/docs/${name}`))

t.test('the docs', async (t) => {
  const server = await startHttp(t)
  const get = (path: string, init: RequestInit = {}) => fetch(server.url + path, init)
  const page = async (path: string) => (await get(path)).text()

  t.test('each page is public, and loads nothing from other servers', async (t) => {
    for (const path of PATHS) {
      const response = await get(path)
      t.equal(response.status, 200, path)
      t.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
      const policy = response.headers.get('content-security-policy')!
      t.match(policy, /^default-src 'none'; script-src 'self'; /)
      t.notMatch(policy, /https?:|\*|unsafe-/)
      const text = await response.text()
      t.notMatch(text, /\{\{/, `${path} is filled in`)
      t.notMatch(text, /<script>|<style>|\son\w+=|style=/, `${path} has nothing inline`)
      t.notMatch(
        text,
        /Bearer \$(?!API_KEY\b|\{process\.env\.API_KEY\})/,
        `${path} calls the key as the quick start does`,
      )
    }
  })

  t.test('every link and file of a page is served here', async (t) => {
    const links = new Set<string>()
    for (const path of PATHS)
      for (const [, to] of (await page(path)).matchAll(/\b(?:href|src)="([^"]*)"/g)) if (to !== 'data:,') links.add(to!)
    t.ok(links.has('/docs/assets/swagger-ui-bundle.js'))
    for (const link of links) {
      t.ok(link.startsWith('/'), link)
      const response = await get(link)
      t.equal(response.status, 200, link)
      await response.body?.cancel()
    }
  })

  t.test('the first page leads to all others', async (t) => {
    const [, cards = ''] = /<ul class="cards">(.*?)<\/ul>/s.exec(await page('/docs')) ?? []
    for (const path of PATHS) if (path !== '/docs') t.ok(cards.includes(`href="${path}"`), path)
    t.equal((await get('/favicon.ico')).status, 204, 'pages without an icon are asked for this one')
  })

  t.test('style sheets contain their pictures, and load nothing', async (t) => {
    const sheets = [...(await page('/docs/reference')).matchAll(/<link rel="stylesheet" href="([^"]*)"/g)]
    t.ok(sheets.length > 1)
    const text = (await Promise.all(sheets.map(([, sheet]) => page(sheet!)))).join('\n')
    const asked = [...text.matchAll(/@import\s+["']?[^;]{0,40}|url\(["']?([^"')]{0,40})/g)].map(
      ([, url = '@import']) => url,
    )
    t.ok(asked.length > 0)
    t.same(
      asked.filter((url) => !url.startsWith('data:')),
      [],
    )
  })

  t.test('files are compressed for clients that support it, and not sent again while unchanged', async (t) => {
    const path = '/docs/assets/swagger-ui.css'
    const plain = await get(path, { headers: { 'Accept-Encoding': 'identity' } })
    const zipped = await get(path, { headers: { 'Accept-Encoding': 'gzip' } })
    t.ok(Number(zipped.headers.get('content-length')) * 3 < Number(plain.headers.get('content-length')))
    t.equal(await zipped.text(), await plain.text())
    const again = await get(path, { headers: { 'If-None-Match': plain.headers.get('etag')! } })
    t.equal(again.status, 304)
  })

  t.test('other paths and methods are refused', async (t) => {
    for (const path of ['/docs/nothing', '/docs/overview', '/docs/..%2fpages.ts', '/docs/assets/', '/docs/constructor'])
      t.equal((await get(path)).status, 404, path)
    t.equal((await get('/docs', { method: 'POST' })).status, 405)
    const head = await get('/docs', { method: 'HEAD' })
    t.equal(head.status, 200)
    t.equal(await head.text(), '')
  })

  t.test('the tables have every error, scope and event of the program', async (t) => {
    const cells = async (path: string) =>
      [...(await page(path)).matchAll(/<code>([\w.:]+)<\/code>/g)].map(([, word]) => word)
    const inPage = async (path: string, words: readonly string[]) =>
      t.same(
        words.filter(
          (
            (found) => (word: string) =>
              !found.includes(word)
          )(await cells(path)),
        ),
        [],
        path,
      )
    await inPage('/docs/errors', Object.keys(API_ERRORS))
    await inPage('/docs/authentication', Object.keys(SCOPES))
    await inPage('/docs/webhooks', ['message.received', 'mailbox.rule_matched', 'org.reputation_recovered'])
  })

  t.test('every heading has an anchor, and the list of pages names the present one with its sections', async (t) => {
    for (const path of PATHS) {
      const text = await page(path)
      const headings = [...text.matchAll(/<h2(?: id="([^"]*)")?>/g)].map(([, id]) => id)
      t.equal(new Set(headings).size, headings.length, `${path}: ids are unique`)
      for (const id of headings) t.ok(id && text.includes(`href="${path}#${id}"`), `${path}#${id}`)
      t.match(text, /<details><summary><b>Posthouse API<\/b> <span>› [^<]+<\/span><\/summary>/, 'on a phone')
      t.equal(text.match(/aria-current="page"/g)?.length, 2, 'beside the page, and on a phone')
    }
  })

  t.test('the search knows every page, section and operation, and leads there', async (t) => {
    const entries = (await (await get('/docs/search.json')).json()) as { page: string; title: string; href: string }[]
    for (const path of PATHS.filter((one) => one !== '/docs/reference'))
      t.ok(
        entries.some(({ href }) => href === path),
        path,
      )
    for (const { operationId } of ENDPOINTS)
      t.ok(
        entries.some(({ href }) => href.endsWith(`/${operationId}`)),
        operationId,
      )
    for (const { href } of entries.filter(({ page }) => page !== 'Reference')) {
      const [path = '', id] = href.split('#')
      if (id) t.ok((await page(path)).includes(`<h2 id="${id}">`), href)
    }
    t.notMatch(JSON.stringify(entries), /<\/?(?:code|li|ul|pre)\b/, 'plain text')
  })

  t.test('the icon is a picture of its own', async (t) => {
    const icon = await get('/docs/assets/favicon.svg')
    t.equal(icon.headers.get('content-type'), 'image/svg+xml')
    t.match(await icon.text(), /^<svg /)
  })
})

const EXAMPLES: readonly (readonly [kind: string, program: string, args: readonly string[], between: string])[] = [
  ['run', 'sh', ['-c'], '\necho\n'],
  ['run-node', process.execPath, ['--input-type=module', '-e'], '\n'],
  ['run-python', 'python3', ['-c'], '\n'],
]

for (const [kind, program, args, between] of EXAMPLES)
  t.test(`the examples of the quick start work as printed: ${kind}`, async (t) => {
    const server = await startHttp(t)
    const { key } = await server.key({ scopes: Object.keys(SCOPES) })
    const text = await (await fetch(`${server.url}/docs/quick-start`)).text()
    const blocks = [...text.matchAll(/<pre class="([\w-]+)"[^>]*>([^<]*)<\/pre>/g)].filter(([, name]) => name === kind)
    t.equal(blocks.length, 5)
    const parts = blocks.map(([, , part]) =>
      part!.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
    )
    const env = { ...process.env, NODE_OPTIONS: '', API_KEY: key }
    const { stdout } = await promisify(execFile)(program, [...args, parts.join(between)], { env })
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    t.match(answers, [
      { status: 'operational' },
      { data: [{ object: 'domain' }] },
      { object: 'mailbox', display_name: 'Support' },
      { object: 'message', subject: 'Hello', to_addresses: [{ address: 'jane@example.org' }] },
      { object: 'message', id: answers[3].id },
    ])
  })

t.test('the changelog is a page and a feed', async (t) => {
  const entries = readChangelog(
    '# Title\n\nWords.\n\n## 2026-02-01\n\n- One `thing`,\n  and more.\n- A < B\n\n## 2026-01-01\n\n- First\n',
  )
  t.same(entries, [
    { date: '2026-02-01', changes: ['One `thing`, and more.', 'A < B'] },
    { date: '2026-01-01', changes: ['First'] },
  ])
  t.match(changelogHtml(entries), '<li>One <code>thing</code>, and more.</li>\n<li>A &lt; B</li>')
  const feed = changelogFeed(entries, 'https://mail.example.com')
  t.match(feed, '<id>https://mail.example.com/docs/changelog#2026-02-01</id>')
  t.equal(feed.match(/<entry>/g)?.length, 2)
  t.match(feed, '&lt;li&gt;A &amp;lt; B&lt;/li&gt;')
})
