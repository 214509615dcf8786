/**
 * The pages that readers of newsletters see (sign-up, unsubscribing, choices, archive, media) in Chromium without JavaScript, on a phone and a
 * desktop, in light and dark; axe-core looks at every page; every request goes to this server. Exits 1 when something is not as it should be.
 * Chromium is Debian's; see support/chromium.ts for the driver, beside which axe-core is installed.
 *
 *     node scripts/interop/newsletter-pages.ts [--driver DIR] [--chromium FILE] [--shots FOLDER]
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Audience } from '../../jmap/newsletters/audience/audience.type.ts'
import { unsubscribeUrl } from '../../jmap/newsletters/links/recipient-links.ts'
import { Newsletter } from '../../jmap/newsletters/newsletter/newsletter.type.ts'
import { settingsOf } from '../../jmap/newsletters/newsletter/stored-newsletter.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { Keyring } from '../../server/base/keyring.ts'
import { SYSTEM } from '../../server/base/principal.ts'
import { ALL_BLOCKS } from '../../spec/jmap/newsletters/content/sample-content.ts'
import { audiencesOf } from '../../spec/jmap/newsletters/world.ts'
import { startHttp } from '../../spec/support/http-server.ts'
import { noise, png } from '../../spec/support/png.ts'
import { findNewsletter, updateNewsletter } from '../../storage/repos/newsletters.ts'
import { BROWSER_OPTIONS, launch } from './support/chromium.ts'

const { values } = parseArgs({ options: { ...BROWSER_OPTIONS, shots: { type: 'string' } } })
if (values.shots) mkdirSync(values.shots, { recursive: true })
const axe = readFileSync(join(values.driver, '../axe-core/axe.min.js'), 'utf8')

const ends: (() => unknown)[] = []
const scope = { teardown: (end: () => unknown) => void ends.unshift(end) } as never
let failures = 0

function show(what: string, isRight: boolean): void {
  console.log(`${isRight ? 'ok    ' : 'NOT OK'} ${what}`)
  if (!isRight) failures++
}

const keyring = new Keyring([new Uint8Array(32).fill(1)])
const logo = png({ width: 240, height: 60, paint: noise() })
const http = await startHttp(scope, { keyring, fetchImage: async () => ({ bytes: logo }) })
const { core, organization, store, url } = http
const { call, add, audience } = audiencesOf(http)
const { accountId, account } = organization
const look = { name: 'Gärtnerei Sommer & Söhne', logoUrl: 'https://www.example.org/logo.png', accentColor: '#2f8132' }
await call('Organization/set', { update: { [accountId]: look } })
const { slug } = (await call('Organization/get', { ids: null })).list[0]
const list = await audience('Weekly news from the garden')
await call('Audience/set', { update: { [list]: { signupPage: true, description: 'What grows, every Friday.' } } })
const numberOf = (kind: typeof Audience | typeof Newsletter, id: string) => core.ids.decode(kind, id)!.object

const picture = png({ width: 600, height: 200, paint: noise() })
const uploaded = await core.upload(SYSTEM, accountId, 'image/png', picture)
const made = await call('NewsletterAsset/set', { create: { a: { filename: 'a.png', blobIds: [uploaded!.blobId] } } })
const { path: media } = made.created.a

async function archived(subject: string): Promise<string> {
  const own = { type: 'image', url: url + media, alt: 'Noise' }
  // The columns have titles of the third level.
  const second = { type: 'heading', text: 'This week', level: 2 }
  const blocks = [...ALL_BLOCKS.slice(0, 1), second, ...ALL_BLOCKS.slice(1)].map((block) =>
    block.type === 'image' ? own : { ...block },
  ) as JsonObject[]
  const record = { subject, previewText: 'Peas, beans and what to do with them.', blocks, archiveVisibility: 'public' }
  const { id } = (await call('Newsletter/set', { create: { n: record } })).created.n
  await store.write([account], async (work) => {
    const unit = work.account(account)
    const settings = settingsOf((await findNewsletter(unit, account, numberOf(Newsletter, id)))!)
    const set = {
      status: 'sent' as const,
      settings: JSON.stringify({ ...settings, startedAt: '2026-05-01T08:00:00Z' }),
    }
    await updateNewsletter(unit, numberOf(Newsletter, id), set)
  })
  newsletter = numberOf(Newsletter, id)
  return (await call('Newsletter/get', { ids: [id] })).list[0].archivePath
}
let newsletter = 0
await archived('April in the garden')
const page = await archived('May in the garden')

const browser = await launch(values.driver, values.chromium)
ends.unshift(() => browser.close())
const VIEWS = [
  { name: 'phone-light', width: 360, colorScheme: 'light' },
  { name: 'phone-dark', width: 360, colorScheme: 'dark' },
  { name: 'desktop-light', width: 1280, colorScheme: 'light' },
  { name: 'desktop-dark', width: 1280, colorScheme: 'dark' },
] as const

for (const { name, width, colorScheme } of VIEWS) {
  const view = { viewport: { width, height: 800 }, colorScheme, javaScriptEnabled: false }
  const context = await browser.newContext(view)
  const tab = await context.newPage()
  const foreign: string[] = []
  tab.on('request', (request) => {
    if (!request.url().startsWith(url)) foreign.push(request.url())
  })
  const address = `${name}@example.org`
  await add(list, [address])
  const link = unsubscribeUrl(keyring, url, { account, newsletter, audience: numberOf(Audience, list), address })

  /** A picture, the width, and axe-core on a copy of the document: it needs timers, which a page without JavaScript has not. */
  const judge = async (step: string) => {
    if (values.shots) await tab.screenshot({ path: join(values.shots, `${name}-${step}.png`), fullPage: true })
    const fits = await tab.evaluate('document.documentElement.scrollWidth <= document.documentElement.clientWidth')
    show(`${name}: ${step} fits the width`, fits === true)
    const html = String(await tab.evaluate("'<!doctype html>' + document.documentElement.outerHTML"))
    const copy = await browser.newContext({ ...view, javaScriptEnabled: true, bypassCSP: true })
    const twin = await copy.newPage()
    await twin.route(tab.url(), (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body: html }))
    await twin.goto(tab.url())
    await twin.evaluate(axe)
    const found = (await twin.evaluate(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).slice(0, 3).join(' | ')))`,
    )) as string[]
    for (const fault of found) console.log(`       ${fault}`)
    show(`${name}: axe-core finds nothing at ${step}`, found.length === 0)
    await copy.close()
  }
  const heading = () => tab.evaluate("document.querySelector('h1').textContent")

  await tab.goto(`${url}/subscribe/${list}`)
  await judge('sign-up')
  await tab.goto(link)
  await judge('unsubscribe')
  await tab.click('a[href$="/preferences"]')
  await judge('choices')
  await tab.click('label[for=notThis]')
  await tab.click('form button')
  show(`${name}: a choice is kept`, (await tab.evaluate("document.querySelector('#notThis').checked")) === true)
  await judge('saved')
  await tab.goto(link)
  await tab.click('form button')
  show(`${name}: unsubscribed`, (await heading()) === 'You are unsubscribed')
  await judge('done')
  await tab.click('a[href$="/preferences"]')
  await judge('come-back')
  await tab.goto(`${url}/unsubscribe/forged`)
  await judge('forged')
  await tab.goto(`${url}/archive/${slug}`)
  await judge('archive-index')
  show(`${name}: no request to another host (${foreign.join(' ')})`, foreign.length === 0)
  await tab.click('.archive li:first-child a')
  show(`${name}: the newsletter opens from the index`, tab.url() === url + page)
  await judge('archive-page')
  const seen = await tab.evaluate(`[...document.images].find(({ src }) => src.includes('/media/')).naturalWidth`)
  show(`${name}: a picture of the server is shown (${seen} pixels)`, seen === 600)
  await tab.goto(url + media)
  show(`${name}: it opens by itself`, (await tab.evaluate('document.images[0].naturalWidth')) === 600)
  await context.close()
}
for (const end of ends) await end()
process.exit(failures === 0 ? 0 : 1)
