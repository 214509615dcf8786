/**
 * Promise N1 in Chromium: hostile HTML (a corpus of JSON files with `payload`, and mutations of it) in newsletters. Three passes: as it
 * is without any wall (the control: it must run), sanitised without Content-Security-Policy, and as it is with the policy of pages that
 * show newsletters. Counts scripts that run and requests for anything but declared images. Exits 1 when a promise does not hold.
 * Chromium is Debian's; see support/chromium.ts for the driver. Takes some minutes.
 *
 *     node scripts/interop/newsletter-html.ts --corpus DIR --corpus DIR [--mutations 10000] [--seed 14] [--driver DIR] [--chromium FILE]
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readSanitised } from '../../jmap/newsletters/content/html-tokens.ts'
import { NEWSLETTER_PAGE_POLICY } from '../../jmap/newsletters/content/page-policy.ts'
import { sanitiseHtml } from '../../jmap/newsletters/content/sanitise-html.ts'
import { BROWSER_OPTIONS, type BrowserContext, launch, type Page } from './support/chromium.ts'
import { mutations } from './support/html-mutations.ts'

const { values } = parseArgs({
  options: {
    ...BROWSER_OPTIONS,
    corpus: { type: 'string', multiple: true, default: [] },
    mutations: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '14' },
  },
})

/** Documents in one page, each in a frame. */
const FRAMES = 100
/** Fewer where scripts run, since one may replace the page; and of the mutations some. */
const CONTROL_FRAMES = 10
const CONTROL_MUTATIONS = 500
/** Time for events that follow the load, such as the failure of an image. */
const SETTLE_MS = 60
const MARK = 'newsletter-html-ran'

interface Pass {
  readonly name: string
  readonly policy: string | null
  /** Whether the page may look into its frames, to send events to their elements. */
  readonly sendsEvents: boolean
  document(payload: string): string
  /** URLs of images that the document may load; null: any image. */
  declared(payload: string): ReadonlySet<string> | null
}

const pageOf = (body: string) => `<!doctype html><html><head><meta charset="utf-8"></head><body>${body}</body></html>`

const PASSES: { readonly [name: string]: Pass } = {
  control: {
    name: 'control: as it is, without any wall',
    policy: null,
    sendsEvents: true,
    document: pageOf,
    declared: () => null,
  },
  sanitised: {
    name: 'sanitised, without a policy',
    policy: null,
    sendsEvents: true,
    document: (payload) => pageOf(sanitiseHtml(payload).html),
    declared: (payload) => imagesIn(sanitiseHtml(payload).html),
  },
  policy: {
    name: 'as it is, with the policy',
    // Frames of this page stand for pages of their own.
    policy: NEWSLETTER_PAGE_POLICY.replace(/frame-ancestors [^;]*; /, ''),
    sendsEvents: false,
    document: pageOf,
    declared: () => null,
  },
}

function imagesIn(html: string): ReadonlySet<string> {
  const tokens = readSanitised(html)
  if (!tokens) throw new Error(`the sanitiser wrote what cannot be read: ${html.slice(0, 200)}`)
  const sources = tokens.flatMap((token) =>
    token.kind === 'open'
      ? token.attributes.filter(({ name }) => name === 'src').map(({ value }) => URL.parse(value)?.href ?? value)
      : [],
  )
  return new Set(sources)
}

function payloadsIn(folder: string): string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'))
  return files.flatMap((name) => {
    const content = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { payload: string } | { payload: string }[]
    return [content].flat().map(({ payload }) => payload)
  })
}

/**
 * Runs in every frame before its own scripts: whatever a payload calls is told by the console, with the path of the document. A frame within
 * it of no origin is told by the time of its start.
 */
const HOOK = `for (const name of ['alert', 'confirm', 'prompt', 'print', 'open', 'fetch'])
  try { window[name] = function () {
    let path = 'frame ' + performance.timeOrigin
    for (let at = window; ; at = at.parent) {
      try { if (at.location.pathname.startsWith('/document/')) path = at.location.pathname } catch {}
      if (at === at.parent) break
    }
    console.log('${MARK} ' + path)
  } } catch {}`

/** Sends the events that payloads wait for, and follows links and buttons that would run. */
const PROVOKE = `for (const frame of document.querySelectorAll('iframe')) try {
  const runs = (url) => /^[\\u0000-\\u0020]*j\\s*a\\s*v\\s*a\\s*s\\s*c\\s*r\\s*i\\s*p\\s*t\\s*:/i.test(String(url?.baseVal ?? url ?? ''))
  for (const element of frame.contentDocument.querySelectorAll('*')) try {
    for (const type of ['mouseover', 'mouseenter', 'mousemove', 'mousedown', 'focus', 'focusin', 'error', 'load', 'toggle', 'begin', 'animationstart', 'input', 'change', 'blur', 'scroll', 'resize', 'pointerdown', 'keydown', 'copy', 'cut', 'paste', 'drag', 'dragend', 'submit', 'reset', 'select', 'contextmenu', 'hashchange', 'pageshow', 'message', 'online', 'afterprint', 'beforeprint'])
      element.dispatchEvent(new frame.contentWindow.Event(type, { bubbles: type !== 'load', cancelable: true }))
    const target = element.closest('a, area, form, button, input')
    const urls = target ? [target.href, target.action, target.formAction, target.form?.action, ...['href', 'xlink:href', 'action', 'formaction'].map((name) => target.getAttribute(name))] : []
    if (urls.some(runs)) console.log('${MARK} ' + frame.contentWindow.location.pathname)
    else if (!target) element.dispatchEvent(new frame.contentWindow.MouseEvent('click', { bubbles: true, cancelable: true }))
  } catch {}
} catch {}`

interface Outcome {
  /** Paths of the documents in which a script ran. */
  readonly ran: Set<string>
  readonly requests: string[]
}

class Lab {
  readonly #context: BrowserContext
  #documents: readonly string[] = []
  #declared: readonly (ReadonlySet<string> | null)[] = []
  #policy: string | null = null
  #outcome: Outcome = { ran: new Set(), requests: [] }

  constructor(context: BrowserContext) {
    this.#context = context
  }

  async prepare(): Promise<void> {
    await this.#context.addInitScript(HOOK)
    await this.#context.route('**/*', async (route) => {
      const request = route.request()
      const url = new URL(request.url())
      const known = /^http:\/\/lab\.test\/document\/(\d+)$/.exec(url.href)
      if (url.href === 'http://lab.test/') return route.fulfill({ contentType: 'text/html', body: this.#outer() })
      if (known) return this.#answer(route, Number(known[1]))
      // Chromium asks for it by itself.
      if (url.pathname !== '/favicon.ico' && !this.#isDeclared(url.href, request.resourceType()))
        this.#outcome.requests.push(`${request.resourceType()} ${url.href.slice(0, 200)}`)
      return route.abort()
    })
  }

  #isDeclared(url: string, type: string): boolean {
    if (type !== 'image') return false
    return this.#declared.some((set) => set === null || set.has(url))
  }

  #answer(route: Parameters<Parameters<BrowserContext['route']>[1]>[0], index: number): Promise<void> {
    const headers = { ...(this.#policy !== null && { 'Content-Security-Policy': this.#policy }) }
    return route.fulfill({ contentType: 'text/html; charset=utf-8', headers, body: this.#documents[index] ?? '' })
  }

  /** Frames of the same origin, so that the page can look into them. */
  #outer(): string {
    const frames = this.#documents.map((_, index) => `<iframe src="http://lab.test/document/${index}"></iframe>`)
    return `<!doctype html><body>${frames.join('')}</body>`
  }

  async run(pass: Pass, payloads: readonly string[]): Promise<Outcome> {
    this.#outcome = { ran: new Set(), requests: [] }
    this.#documents = payloads.map((payload) => pass.document(payload))
    this.#declared = payloads.map((payload) => pass.declared(payload))
    this.#policy = pass.policy
    const page = await this.#context.newPage()
    this.#listen(page)
    await page.goto('http://lab.test/', { waitUntil: 'load', timeout: 30_000 }).catch(() => {})
    await page.waitForTimeout(SETTLE_MS)
    if (pass.sendsEvents) await page.evaluate(PROVOKE).catch(() => {})
    await page.waitForTimeout(SETTLE_MS)
    await page.close()
    return this.#outcome
  }

  #listen(page: Page): void {
    page.on('console', (message) => {
      // What Chromium says when a sandboxed frame that may run scripts calls alert().
      const text = message.text()
      if (text.startsWith(MARK)) this.#outcome.ran.add(text.slice(MARK.length + 1))
      else if (text.includes("Ignored call to 'alert()'")) this.#outcome.ran.add('a sandboxed frame')
    })
    page.on('dialog', (dialog) => {
      this.#outcome.ran.add('a dialog')
      void dialog.dismiss().catch(() => {})
    })
  }
}

async function runPass(lab: Lab, pass: Pass, payloads: readonly string[], frames: number) {
  let ran = 0
  const hits: string[] = []
  const requests: string[] = []
  const began = Date.now()
  for (let at = 0; at < payloads.length; at += frames) {
    const batch = payloads.slice(at, at + frames)
    const outcome = await lab.run(pass, batch)
    ran += outcome.ran.size
    for (const path of outcome.ran)
      hits.push(`${path}: ${JSON.stringify(batch[Number(path.split('/').at(-1))]?.slice(0, 200))}`)
    requests.push(...outcome.requests)
  }
  console.log(
    `${pass.name}: ${payloads.length} documents, ${ran} executions, ${requests.length} requests beyond declared images, ${Math.round((Date.now() - began) / 1_000)} s`,
  )
  for (const line of [...hits, ...new Set(requests)].slice(0, pass === PASSES['control'] ? 0 : 20))
    console.log(`  ${line}`)
  return { ran, requests: requests.length }
}

const payloads = values.corpus.flatMap(payloadsIn)
if (payloads.length === 0) throw new Error('name at least one --corpus')
const mutated = mutations(payloads, Number(values.mutations), Number(values.seed))
const browser = await launch(values.driver, values.chromium)
const lab = new Lab(await browser.newContext())
await lab.prepare()
const began = Date.now()
const control = await runPass(
  lab,
  PASSES['control']!,
  [...payloads, ...mutated.slice(0, CONTROL_MUTATIONS)],
  CONTROL_FRAMES,
)
const sanitised = await runPass(lab, PASSES['sanitised']!, [...payloads, ...mutated], FRAMES)
const policy = await runPass(lab, PASSES['policy']!, [...payloads, ...mutated], FRAMES)
await browser.close()
console.log(`${Math.round((Date.now() - began) / 1000)} s`)
const holds = control.ran >= 50 && [sanitised, policy].every(({ ran, requests }) => ran === 0 && requests === 0)
console.log(holds ? 'N1 holds' : 'N1 DOES NOT HOLD')
process.exitCode = holds ? 0 : 1
