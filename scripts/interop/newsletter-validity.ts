/**
 * The HTML of newsletters, read by a validator: each type of block and all of them, left to right and right to left, as a mail, as Outlook reads
 * it, and as a page of the archive. What it may find is listed below with the reason. Exits 1 for anything else. html-validate is no dependency:
 *
 *     npm install --prefix /tmp/html-validate --ignore-scripts html-validate
 *     node scripts/interop/newsletter-validity.ts [--validator /tmp/html-validate]
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fill } from '../../jmap/newsletters/content/template.ts'
import { forOutlook } from '../../spec/jmap/newsletters/content/mail-html-rules.ts'
import { ALL_BLOCKS, compiled, VALUES } from '../../spec/jmap/newsletters/content/sample-content.ts'

/** What is used of html-validate. */
interface Validator {
  readonly HtmlValidate: new (
    loader: object,
  ) => {
    validateStringSync(html: string): {
      readonly results: readonly {
        readonly messages: readonly { readonly ruleId: string; readonly message: string }[]
      }[]
    }
  }
  readonly StaticConfigLoader: new (config: object) => object
}

const { values } = parseArgs({ options: { validator: { type: 'string', default: '/tmp/html-validate' } } })
const { HtmlValidate, StaticConfigLoader } = createRequire(join(values.validator, 'x.js'))('html-validate') as Validator

const ALLOWED: readonly (readonly [message: RegExp, reason: string])[] = [
  [
    /^Attribute "(?:cellpadding|cellspacing|align|valign|width|bgcolor)" is deprecated on <(?:table|td)> element$/,
    'Outlook for Windows lays tables out by attributes, not by styles',
  ],
  [
    /^<xml> is not a valid element name$/,
    'settings that Outlook alone reads, in its comment: pixels of images are not scaled',
  ],
]

const validator = new HtmlValidate(new StaticConfigLoader({ root: true, extends: ['html-validate:standard'] }))
const found = new Map<string, number>()
let documents = 0
for (const blocks of [...ALL_BLOCKS.map((block) => [block]), ALL_BLOCKS])
  for (const language of ['en', 'fr', 'he']) {
    const { html, archive } = compiled(blocks, { hasArchive: true, language })
    const mail = fill(html, VALUES)
    for (const text of [mail, forOutlook(mail), fill(archive, {})]) {
      documents++
      for (const { messages } of validator.validateStringSync(text).results)
        for (const { ruleId, message } of messages) {
          const key = `${ruleId}: ${message}`
          found.set(key, (found.get(key) ?? 0) + 1)
        }
    }
  }
let faults = 0
for (const [key, count] of found) {
  const reason = ALLOWED.find(([pattern]) => pattern.test(key.slice(key.indexOf(' ') + 1)))?.[1]
  if (reason === undefined) faults++
  console.log(
    `${reason === undefined ? 'NOT OK' : 'known '} ${count} x ${key}${reason === undefined ? '' : ` (${reason})`}`,
  )
}
console.log(`${documents} documents, ${faults} kinds of faults`)
process.exitCode = faults === 0 ? 0 : 1
