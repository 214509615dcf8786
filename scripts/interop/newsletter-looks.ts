/**
 * Pictures of newsletters in Chromium, to be looked at: each type of block and one newsletter with all, on a desktop and on a phone, light
 * and dark, with images and without, and right to left. A sheet shows all types of a view side by side. Chromium is Debian's; see
 * support/chromium.ts for the driver.
 *
 *     node scripts/interop/newsletter-looks.ts --out DIR [--driver DIR] [--chromium FILE]
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Block } from '../../jmap/newsletters/content/block.ts'
import { fill } from '../../jmap/newsletters/content/template.ts'
import { ALL_BLOCKS, compiled, VALUES } from '../../spec/jmap/newsletters/content/sample-content.ts'
import { BROWSER_OPTIONS, launch } from './support/chromium.ts'

const { values } = parseArgs({ options: { ...BROWSER_OPTIONS, out: { type: 'string' } } })
if (!values.out) throw new Error('--out names a folder')
mkdirSync(values.out, { recursive: true })

const WIDTHS = { desktop: 800, phone: 375 }
const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="800" height="450"><rect width="800" height="450" fill="#4a8f5c"/><circle cx="600" cy="130" r="70" fill="#ffd54a"/></svg>'

const TEXTS: readonly [name: string, blocks: readonly Block[], language: string][] = [
  ...ALL_BLOCKS.map((block): [string, readonly Block[], string] => [block.type, [block], 'en']),
  ['all', ALL_BLOCKS, 'en'],
  ['all-rtl', ALL_BLOCKS, 'he'],
]

/** Pictures of blocks, without the page around them, in three columns. */
function sheetOf(out: string, view: string): string {
  const shots = ALL_BLOCKS.map(({ type }) => {
    const picture = readFileSync(join(out, `${type}-${view}.png`)).toString('base64')
    return `<figure><figcaption>${type}</figcaption><img src="data:image/png;base64,${picture}"></figure>`
  })
  const style =
    'body{columns:3;margin:8px;font:14px sans-serif}figure{margin:0 0 12px;break-inside:avoid}img{width:100%}'
  return `<!doctype html><style>${style}</style>${shots.join('')}`
}

const browser = await launch(values.driver, values.chromium)
for (const [device, width] of Object.entries(WIDTHS))
  for (const colorScheme of ['light', 'dark'] as const)
    for (const images of ['on', 'off'] as const) {
      const context = await browser.newContext({ viewport: { width, height: 300 }, colorScheme })
      await context.route('**/*', (route) =>
        images === 'on' && route.request().resourceType() === 'image'
          ? route.fulfill({ contentType: 'image/svg+xml', body: PICTURE })
          : route.abort(),
      )
      const page = await context.newPage()
      for (const [name, blocks, language] of TEXTS) {
        const html = fill(compiled(blocks, { language, hasArchive: true }).html, VALUES)
        writeFileSync(join(values.out, `${name}.html`), html)
        await page.setContent(html, { waitUntil: 'load' })
        await page.screenshot({
          path: join(values.out, `${name}-${device}-${colorScheme}-${images}.png`),
          fullPage: true,
        })
      }
      const sheet = await browser.newContext({ viewport: { width: WIDTHS.desktop * 2, height: 300 } })
      const whole = await sheet.newPage()
      const view = `${device}-${colorScheme}-${images}`
      await whole.setContent(sheetOf(values.out, view), { waitUntil: 'load' })
      await whole.screenshot({ path: join(values.out, `sheet-${view}.png`), fullPage: true })
      await Promise.all([context.close(), sheet.close()])
    }
await browser.close()
console.log(`pictures in ${values.out}`)
