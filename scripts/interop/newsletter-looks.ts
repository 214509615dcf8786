/**
 * Pictures of newsletters in Chromium, to be looked at: each type of block and one newsletter with all, on a desktop and on a phone, light
 * and dark, with images and without, and right to left. Chromium is Debian's; see support/chromium.ts for the driver.
 *
 *     node scripts/interop/newsletter-looks.ts --out DIR [--driver DIR] [--chromium FILE]
 */
import { mkdirSync, writeFileSync } from 'node:fs'
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
      await context.close()
    }
await browser.close()
console.log(`pictures in ${values.out}`)
