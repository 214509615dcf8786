/** MJML to HTML by mrml: tables that Outlook lays out, columns that stack on phones, styles inline. */
import { createRequire } from 'node:module'
import { onDemand } from '../../../server/base/on-demand.ts'

/** What is used of mrml. */
interface Mrml {
  readonly Engine: new () => { toHtml(markup: string): Rendered }
}
type Rendered =
  | { readonly type: 'success'; readonly content: string }
  | { readonly type: 'error'; readonly message: string }

const engine = onDemand(() => {
  const { Engine } = createRequire(import.meta.url)('mrml') as Mrml
  return new Engine()
})

/** @throws Error for markup that is none, which this program never writes */
export function renderMjml(markup: string): string {
  const result = engine().toHtml(markup)
  if (result.type === 'error') throw new Error(`MJML was not rendered: ${result.message}`)
  // Of images, whose style has the same: as an attribute it is not valid HTML.
  return result.content.replaceAll(' height="auto"', '')
}
