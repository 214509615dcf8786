/**
 * The public booking pages in Chromium: a booking is made, moved and cancelled, with JavaScript on and off, at phone and desktop width, in
 * light and dark, by the keyboard alone; axe-core looks at every page; every request goes to this server. Exits 1 when something is not
 * as it should be. Chromium is Debian's; playwright-core and axe-core are no dependencies:
 * `npm install --prefix /tmp/playwright playwright-core axe-core`.
 *
 *     node scripts/interop/booking.ts [--modules /tmp/playwright/node_modules] [--chromium /usr/bin/chromium] [--shots FOLDER]
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { startBooking } from '../../spec/server/pages/booking-world.ts'
import { noise, png } from '../../spec/support/png.ts'

const { values } = parseArgs({
  options: {
    modules: { type: 'string', default: '/tmp/playwright/node_modules' },
    chromium: { type: 'string', default: '/usr/bin/chromium' },
    shots: { type: 'string' },
  },
})

/** What is used of playwright-core. */
interface Page {
  goto(url: string): Promise<unknown>
  url(): string
  title(): Promise<string>
  evaluate(expression: string): Promise<unknown>
  click(selector: string): Promise<void>
  fill(selector: string, text: string): Promise<void>
  selectOption(selector: string, value: string): Promise<unknown>
  waitForSelector(selector: string, options?: { timeout?: number; state?: 'attached' }): Promise<unknown>
  waitForFunction(expression: string): Promise<unknown>
  textContent(selector: string): Promise<string | null>
  screenshot(options: { path: string; fullPage: boolean }): Promise<unknown>
  route(url: string, handle: (route: Route) => unknown): Promise<void>
  on(event: 'request', listener: (request: { url(): string }) => void): void
  on(event: 'pageerror' | 'console', listener: (what: unknown) => void): void
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> }
  close(): Promise<void>
}
interface Route {
  abort(): Promise<void>
  fulfill(answer: { contentType: string; body: string }): Promise<void>
}
interface Context {
  newPage(): Promise<Page>
  close(): Promise<void>
}
interface Browser {
  newContext(options: object): Promise<Context>
  close(): Promise<void>
}
interface Driver {
  readonly chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> }
}

const require = createRequire(pathToFileURL(join(values.modules, 'x.js')))
const { chromium } = (await import(pathToFileURL(require.resolve('playwright-core')).href)).default as Driver
const axe = readFileSync(join(values.modules, 'axe-core/axe.min.js'), 'utf8')

const ends: (() => unknown)[] = []
const scope = { teardown: (end: () => unknown) => void ends.unshift(end) } as never
let failures = 0

function show(what: string, isRight: boolean): void {
  console.log(`${isRight ? 'ok    ' : 'NOT OK'} ${what}`)
  if (!isRight) failures++
}

const image = png({ width: 480, height: 120, paint: noise() })
const world = await startBooking(scope, 'sqlite', 0, undefined, { fetchImage: async () => ({ bytes: image }) })
const { accountId } = world.organization
const shown = { logoUrl: 'https://www.example.org/logo.png', accentColor: '#ffcc00' }
await world.request([['Organization/set', { accountId, update: { [accountId]: shown } }]])
if (values.shots) mkdirSync(values.shots, { recursive: true })
const browser = await chromium.launch({ executablePath: values.chromium, args: ['--no-sandbox'] })
ends.unshift(() => browser.close())

const VIEWS = [
  { name: 'phone light, with JavaScript', width: 360, colorScheme: 'light', javaScriptEnabled: true },
  { name: 'phone dark, without', width: 360, colorScheme: 'dark', javaScriptEnabled: false },
  { name: 'desktop light, without', width: 1280, colorScheme: 'light', javaScriptEnabled: false },
  { name: 'desktop dark, with JavaScript', width: 1280, colorScheme: 'dark', javaScriptEnabled: true },
] as const
type View = (typeof VIEWS)[number]

for (const [i, view] of VIEWS.entries()) await visit(view, `2026-01-${String(12 + i).padStart(2, '0')}`)
await byKeyboard('2026-01-19')
await inGerman()
for (const end of ends) await end()
process.exit(failures === 0 ? 0 : 1)

/** A browser with one page, and what it requested from others. */
async function open(options: object): Promise<{ page: Page; context: Context; foreign: string[]; errors: string[] }> {
  const context = await browser.newContext({ timezoneId: 'America/New_York', locale: 'en-US', ...options })
  const page = await context.newPage()
  const foreign: string[] = []
  const errors: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(world.url) && !request.url().startsWith('data:')) foreign.push(request.url())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (line) => {
    const message = line as { type(): string; text(): string }
    // A refusal (409, 422) is an answer, which the browser also reports.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) errors.push(message.text())
  })
  return { page, context, foreign, errors }
}

async function look(page: Page, name: string, step: string, view: View): Promise<void> {
  if (values.shots)
    await page.screenshot({ path: join(values.shots, `${name.replaceAll(/\W+/g, '-')}-${step}.png`), fullPage: true })
  const overflow = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth')
  show(`${name}: ${step} fits the width`, overflow === false)
  const found = view.javaScriptEnabled ? await violations(page) : await violationsWithoutScript(page, view)
  for (const fault of found) console.log(`       ${fault}`)
  show(`${name}: axe-core finds nothing at ${step}`, found.length === 0)
}

/** The driver's scripts run although the page's policy allows none but its own. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 120)).slice(0, 3).join(' | ')))`,
  )) as string[]
}

/** axe-core needs timers, which a page without JavaScript has not. It looks at the same document in a page whose own script is not loaded. */
async function violationsWithoutScript(page: Page, { width, colorScheme }: View): Promise<string[]> {
  const html = (await page.evaluate("'<!doctype html>' + document.documentElement.outerHTML")) as string
  const url = page.url()
  const copy = await open({ viewport: { width, height: 800 }, colorScheme })
  await copy.page.route('**/booking.js', (route) => route.abort())
  await copy.page.route(url, (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body: html }))
  await copy.page.goto(url)
  const found = await violations(copy.page)
  await copy.context.close()
  return found
}

async function visit(view: View, date: string): Promise<void> {
  const { name, width, colorScheme, javaScriptEnabled } = view
  const path = await world.page({
    name: `Intro ${width} ${colorScheme}`,
    description: 'Half an hour to get to know each other.',
  })
  const { page, context, foreign, errors } = await open({
    viewport: { width, height: 800 },
    colorScheme,
    javaScriptEnabled,
  })
  await page.goto(world.url + path)
  if (javaScriptEnabled) {
    await page.waitForFunction("new URL(location.href).searchParams.get('timezone') === 'America/New_York'")
    show(`${name}: the time zone of the browser is found`, true)
  } else {
    await page.selectOption('#timezone', 'America/New_York')
    await page.click('form.zone button')
  }
  await look(page, name, 'choose', view)
  const logo = await page.evaluate("document.querySelector('.organization img').naturalWidth")
  show(`${name}: the logo is shown (${logo} pixels wide)`, Number(logo) > 0)
  // With JavaScript, the page in the zone of the browser is another one, which replaces the first.
  const [plain, sent] = (await page.evaluate(
    "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce(([plain, sent], { initiatorType, decodedBodySize, transferSize }) => [plain + (initiatorType === 'fetch' ? 0 : decodedBodySize), sent + transferSize], [0, 0])",
  )) as [number, number]
  show(`${name}: ${plain} octets with everything, uncompressed`, plain > 10_000 && plain < 50_000)
  show(`${name}: ${sent} octets on the wire, until it is in the zone of the browser`, sent < 50_000)
  await page.click(`a[href*="date=${date}"]`)
  await page.waitForSelector(`a[aria-current=date][href*="date=${date}"]`)
  const first = await page.textContent('.slots li a')
  show(`${name}: times are shown in the zone of the visitor (${first})`, first === '4:00 AM')
  await page.click('input[name=hours][value="24"]')
  if (!javaScriptEnabled) await page.click('form.zone button')
  await page.waitForFunction("document.querySelector('.slots li a').textContent === '04:00'").catch(() => {})
  show(`${name}: 24 hours`, (await page.textContent('.slots li a')) === '04:00')
  if (!(await page.evaluate(`!!document.querySelector('a[aria-current=date][href*="date=${date}"]')`)))
    await page.click(`a[href*="date=${date}"]`)
  await page.waitForSelector('.slots li a')
  await page.click('.slots li a')
  await page.waitForSelector('#email')
  await look(page, name, 'details', view)
  await page.fill('#name', 'Jane Doe')
  await page.fill('#email', 'jane@example')
  await page.fill('#guests', 'nobody')
  await page.click('form[data-once] button')
  await page.waitForSelector('.faults')
  await look(page, name, 'faults', view)
  show(`${name}: what was typed stays`, (await page.evaluate("document.querySelector('#name').value")) === 'Jane Doe')
  await page.fill('#email', 'jane@example.org')
  await page.fill('#guests', '')
  await page.click('form[data-once] button')
  await page.waitForSelector('.booking')
  show(`${name}: booked`, /confirmed/.test((await page.textContent('#booking')) ?? ''))
  await look(page, name, 'booked', view)
  await page.click('a[href*="move=1"]')
  await page.waitForSelector('.slots li a')
  await page.click('.slots li:last-child a')
  await page.waitForSelector('#move')
  await look(page, name, 'move', view)
  await page.click('form[data-once] button')
  await page.waitForSelector('.booking')
  show(`${name}: moved`, /moved/.test((await page.textContent('#booking')) ?? ''))
  await page.click('summary')
  await page.fill('#reason', 'Ill')
  await page.click('button.danger')
  await page.waitForSelector('.message')
  show(`${name}: cancelled`, /cancelled/.test((await page.textContent('h1')) ?? ''))
  await look(page, name, 'cancelled', view)
  const events = (await world.events()).filter(({ status }) => status !== 'cancelled')
  show(`${name}: nothing is left in the calendar`, events.length === 0)
  show(`${name}: no request to another host (${foreign.join(' ')})`, foreign.length === 0)
  show(`${name}: no error in the page (${errors.join(' ')})`, errors.length === 0)
  await context.close()
}

/** From the first Tab to the confirmation without a pointer. */
async function byKeyboard(date: string): Promise<void> {
  const path = await world.page({ name: 'Keyboard', timezone: 'America/New_York' })
  const { page, context } = await open({ viewport: { width: 1280, height: 800 } })
  await page.goto(world.url + path)
  await page.waitForFunction("!document.querySelector('[data-detect-zone]')")
  const tabTo = async (expression: string) => {
    for (let presses = 0; presses < 80; presses++) {
      if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(expression)})`)) return true
      await page.keyboard.press('Tab')
    }
    return false
  }
  show('keyboard: a day is reached', await tabTo(`a[href*="date=${date}"]`))
  const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')
  show('keyboard: the focus is seen', outline === 'solid')
  await page.keyboard.press('Enter')
  await page.waitForSelector(`a[aria-current=date][href*="date=${date}"]`)
  show('keyboard: a time is reached from there', await tabTo('.slots li a'))
  await page.keyboard.press('Enter')
  await page.waitForSelector('#details')
  await page.waitForFunction("document.activeElement.id === 'details'")
  show('keyboard: the focus goes to the form', await tabTo('#name'))
  await page.keyboard.type('Jane')
  await page.keyboard.press('Tab')
  await page.keyboard.type('jane@example.org')
  show('keyboard: the button is reached', await tabTo('form[data-once] button'))
  await page.keyboard.press('Enter')
  await page.waitForSelector('.booking')
  show('keyboard: booked', /confirmed/.test((await page.textContent('#booking')) ?? ''))
  await context.close()
}

async function inGerman(): Promise<void> {
  const path = await world.page({ name: 'Kennenlernen', timezone: 'Europe/Berlin' })
  const { page, context } = await open({
    viewport: { width: 360, height: 800 },
    locale: 'de-DE',
    timezoneId: 'Europe/Berlin',
  })
  await page.goto(world.url + path)
  show('German: the words', /Zeitzone/.test((await page.textContent('label[for=timezone]')) ?? ''))
  show('German: 24 hours', /^\d\d:\d\d$/.test((await page.textContent('.slots li a')) ?? ''))
  await look(page, 'German', 'choose', { ...VIEWS[0] })
  await context.close()
}
