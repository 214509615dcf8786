/**
 * What a browser loads by itself, in Chromium: a page of another origin that knows a password fetches the session, and from then on only
 * uses its URLs (decision 0030). Images, a download, native EventSource: push after two hours, after a connection that was cut, after a
 * day, and after a new password. The clock is injected. Exits 1 when something is not as it should be. Chromium is Debian's; the driver is
 * playwright-core, which is no dependency: `npm install --prefix /tmp/playwright playwright-core`.
 *
 *     node scripts/interop/browser.ts [--driver /tmp/playwright/node_modules/playwright-core] [--chromium /usr/bin/chromium]
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { systemClock } from '../../server/base/clock.ts'
import { mail } from '../../spec/jmap/mails.ts'
import { PASSWORD } from '../../spec/support/core.ts'
import { cuttingProxy } from '../../spec/support/cutting-proxy.ts'
import { startHttp } from '../../spec/support/http-server.ts'

const { values } = parseArgs({
  options: {
    driver: { type: 'string', default: '/tmp/playwright/node_modules/playwright-core' },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
  },
})

/** What is used of playwright-core. */
interface Page {
  goto(url: string): Promise<unknown>
  /** @param expression in the page */
  evaluate(expression: string): Promise<unknown>
  waitForFunction(expression: string, given: null, options: { timeout: number }): Promise<unknown>
  waitForEvent(name: 'download'): Promise<{ createReadStream(): Promise<AsyncIterable<Uint8Array>> }>
}
interface Driver {
  readonly chromium: {
    launch(options: { executablePath: string; args: string[] }): Promise<{
      newPage(): Promise<Page>
      close(): Promise<void>
    }>
  }
}

/** The client. Its first function makes the only request with Authorization. */
const CLIENT = `<!doctype html><title>Client</title><script>
  let source, states = 0
  async function fetchSession(url, login) {
    const answer = await fetch(url, { headers: { Authorization: 'Basic ' + btoa(login) } })
    return answer.json()
  }
  function loadImage(url) {
    return new Promise((resolve) => {
      const image = document.createElement('img')
      image.onload = () => resolve(image.naturalWidth === 1)
      image.onerror = () => resolve(false)
      image.src = url
      document.body.append(image)
    })
  }
  function clickDownload(url) {
    const link = document.createElement('a')
    link.href = url
    link.download = ''
    link.click()
  }
  function listen(url) {
    states = 0
    source = new EventSource(url)
    source.addEventListener('state', () => states++)
    return new Promise((resolve) => { source.onopen = () => resolve() })
  }
</script>`

const HOUR_MS = 3_600_000
const PATIENCE_MS = 20_000
const ends: (() => unknown)[] = []
const scope = { teardown: (end: () => unknown) => void ends.unshift(end) } as never
let failures = 0

function show(what: string, isRight: boolean): void {
  console.log(`${isRight ? 'ok    ' : 'NOT OK'} ${what}`)
  if (!isRight) failures++
}

/** The clock of the listener, moved together with that of the core. */
let ahead = 0
const clock = { now: () => systemClock.now() + ahead, after: systemClock.after }
const http = await startHttp(scope, { clock })
const proxy = await cuttingProxy(scope, http.url)
const advance = (ms: number) => {
  ahead += ms
  http.clock.advance(ms)
}

const site = createServer((_request, response) => {
  response.setHeader('Content-Type', 'text/html')
  response.end(CLIENT)
})
site.listen(0, '127.0.0.1')
ends.unshift(() => site.close())

const { chromium } = (await import(pathToFileURL(`${values.driver}/index.mjs`).href)) as Driver
const browser = await chromium.launch({ executablePath: values.chromium, args: ['--no-sandbox'] })
ends.unshift(() => browser.close())
const page = await browser.newPage()
await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`)

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const { alice } = http
const made = await alice.call('Blob/upload', {
  create: { p: { data: [{ 'data:asBase64': PIXEL }], type: 'image/png' } },
})
const blobId = made.created.p.id as string

interface Urls {
  readonly downloadUrl: string
  readonly eventSourceUrl: string
}

const call = (name: string, ...given: string[]) =>
  page.evaluate(`${name}(${given.map((text) => JSON.stringify(text)).join(', ')})`)

const fetchSession = async (password: string) =>
  (await call('fetchSession', `${proxy.url.replace(/\/$/, '')}/jmap/session`, `${alice.address}:${password}`)) as Urls

const fileUrl = ({ downloadUrl }: Urls, name: string) =>
  downloadUrl
    .replace('{accountId}', alice.accountId)
    .replace('{blobId}', blobId)
    .replace('{name}', name)
    .replace('{type}', 'image/png')

// A name of its own: no cache answers for the server.
const loadsImage = (urls: Urls) => call('loadImage', fileUrl(urls, `${Math.random()}.png`)) as Promise<boolean>

const listen = ({ eventSourceUrl }: Urls) =>
  call('listen', eventSourceUrl.replace('{types}', '*').replace('{closeafter}', 'no').replace('{ping}', '0'))

const becomes = (expression: string) =>
  page.waitForFunction(expression, null, { timeout: PATIENCE_MS }).then(
    () => true,
    () => false,
  )

/** Whether a mail that comes now is told. */
async function isTold(deliver: () => Promise<unknown> = () => alice.receive(mail())): Promise<boolean> {
  const before = await page.evaluate('states')
  await deliver()
  return becomes(`states > ${before}`)
}

try {
  const urls = await fetchSession(PASSWORD)
  show('an image of another origin loads', await loadsImage(urls))
  const download = page.waitForEvent('download')
  await call('clickDownload', fileUrl(urls, 'pixel.png'))
  const octets: Uint8Array[] = []
  for await (const chunk of await (await download).createReadStream()) octets.push(chunk)
  show('a download has the octets', Buffer.concat(octets).toString('base64') === PIXEL)

  await listen(urls)
  show('a native EventSource is told of a mail', await isTold())
  advance(2 * HOUR_MS)
  show('two hours later it is told still', await isTold())
  show('the URL of the image is too old by then', !(await loadsImage(urls)))
  show('that of a new session is not', await loadsImage(await fetchSession(PASSWORD)))
  const cutOff = await isTold(async () => {
    proxy.open(false)
    await alice.receive(mail())
    proxy.open(true)
  })
  show('its connection is cut: it reconnects by itself, and is told what it missed', cutOff)
  show('and what comes then', await isTold())

  advance(23 * HOUR_MS)
  show('a day later it is told while its connection lasts', await isTold())
  proxy.open(false)
  proxy.open(true)
  show('it cannot reconnect: EventSource ends', await becomes('source.readyState === EventSource.CLOSED'))
  await listen(await fetchSession(PASSWORD))
  show('with the URL of a new session it is told again', await isTold())

  const { accountId } = http.organization
  await http.request([['MailAccount/set', { accountId, update: { [alice.accountId]: { password: 'Another123' } } }]])
  show('a new password ends it', await becomes('source.readyState === EventSource.CLOSED'))
  await listen(await fetchSession('Another123'))
  show('who knows the new one is told again', await isTold())
} finally {
  for (const end of ends) await end()
}
process.exit(failures === 0 ? 0 : 1)
