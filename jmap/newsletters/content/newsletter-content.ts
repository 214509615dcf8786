/** Newsletter content to the templates of its messages and of its archive page. Pure, and heavy: it runs off the thread of the sockets. */
import {
  GMAIL_CLIPS_AFTER_BYTES,
  HTML_MAX_TAGS,
  MERGE_FIELDS_MAX,
  NEWSLETTER_HTML_MAX_BYTES,
} from '../../../server/base/newsletter-limits.ts'
import type { Block } from './block.ts'
import { inline } from './block-html.ts'
import { textOfBlocks } from './block-text.ts'
import { type CustomHtml, readCustomHtml } from './custom-html.ts'
import { documentOf } from './document.ts'
import { type ContentWarning, type Fault, fault } from './fault.ts'
import { footerHtml, footerText, type Sender } from './footer.ts'
import { parseMerge, SYSTEM_FIELDS, showField, TOO_MANY_FIELDS } from './merge.ts'
import { renderMjml } from './mjml.ts'
import { Slots } from './slots.ts'
import { fill, joinTemplates, showTemplate, type Template, templateOf } from './template.ts'
import { DEFAULT_ACCENT, directionOf, type Theme } from './theme.ts'
import { insecureImages, type UrlBreakdown, urlBreakdown } from './url-breakdown.ts'

/** What a newsletter is made from. Blocks and texts were checked (check-blocks.ts). */
export interface NewsletterContent {
  readonly subject: string
  readonly previewText: string | null
  readonly blocks: readonly Block[]
  /** The text part, if the author wrote it. */
  readonly ownText: string | null
  readonly hasArchive: boolean
  /** BCP 47: letters, digits and hyphens. */
  readonly language: string
  readonly accent: string | null
  /** null: the content alone, without a footer. */
  readonly sender: Sender | null
}

export interface CompiledNewsletter {
  readonly subject: Template
  readonly html: Template
  readonly text: Template
  /** For everybody: without links that are of one recipient. */
  readonly archive: Template
  /** Names of the fields of subscribers that it uses and that have no fallback somewhere. */
  readonly fieldsWithoutFallback: readonly string[]
  readonly warnings: readonly ContentWarning[]
  readonly urls: UrlBreakdown
}

export function compileNewsletter(
  content: NewsletterContent,
): CompiledNewsletter | { readonly faults: readonly Fault[] } {
  const { blocks, ownText, hasArchive, sender } = content
  const read = readCustomBlocks(blocks)
  if ('faults' in read) return read
  const { custom } = read
  const theme: Theme = {
    language: content.language,
    direction: directionOf(content.language),
    accent: content.accent ?? DEFAULT_ACCENT,
  }
  const footer = { hasArchive, isArchive: false, language: content.language }
  const html = renderDocument(content, custom, sender && footerHtml(sender, footer), theme)
  const archive = sender
    ? renderDocument(content, custom, footerHtml(sender, { ...footer, isArchive: true }), theme)
    : html
  const body =
    ownText === null
      ? textOfBlocks(
          blocks,
          mapOf(custom, ({ text }) => text),
        )
      : inline(ownText, 'text')
  const text = joinTemplates([body, sender ? footerText(sender, footer) : []])
  const subject = headerOf(content.subject)
  // When content is stored, alone. What comes around it later has few, and must not make it wrong.
  const excess = sender === null ? excessOf(html, text) : null
  if (excess !== null) return { faults: [fault('blocks', 'too_long', excess)] }
  const fieldsWithoutFallback = missingFallbacks([subject, html, text])
  const urls = urlBreakdown(blocks, custom, ownText)
  const warnings = warningsOf(content, custom, { html, fieldsWithoutFallback, urls })
  return { subject, html, text, archive, fieldsWithoutFallback, warnings, urls }
}

/** What there is too much of, in words; null: nothing. */
function excessOf(html: Template, text: Template): string | null {
  if (Math.max(holesOf(html), holesOf(text)) > MERGE_FIELDS_MAX) return TOO_MANY_FIELDS
  const size = sizeOf(html)
  return size > NEWSLETTER_HTML_MAX_BYTES
    ? `The HTML of a newsletter has at most ${NEWSLETTER_HTML_MAX_BYTES} bytes, and this has ${size}: each line is a paragraph.`
    : null
}

function holesOf(template: Template): number {
  return template.filter((part) => typeof part !== 'string').length
}

/** Octets, with merge fields as they are written. */
function sizeOf(template: Template): number {
  return Buffer.byteLength(showTemplate(template, showField))
}

type CustomBlocks = ReadonlyMap<number, CustomHtml>

function readCustomBlocks(blocks: readonly Block[]): { readonly custom: CustomBlocks } | { readonly faults: Fault[] } {
  const custom = new Map<number, CustomHtml>()
  const faults: Fault[] = []
  // Before any of it is parsed: parsers take time that grows with the square of open elements.
  if (tagsOf(blocks) > HTML_MAX_TAGS) {
    const words = `The custom HTML of a newsletter has at most ${HTML_MAX_TAGS} tags.`
    return {
      faults: [fault(`blocks/${blocks.findIndex(({ type }) => type === 'custom_html')}/html`, 'too_long', words)],
    }
  }
  for (const [at, block] of blocks.entries()) {
    if (block.type !== 'custom_html') continue
    const read = readCustomHtml(block.html)
    if ('refused' in read) faults.push(...read.refused.map((words) => fault(`blocks/${at}/html`, 'not_allowed', words)))
    else custom.set(at, read)
  }
  return faults.length > 0 ? { faults } : { custom }
}

function tagsOf(blocks: readonly Block[]): number {
  let count = 0
  for (const block of blocks) if (block.type === 'custom_html') count += block.html.split('<').length - 1
  return count
}

function mapOf<T>(custom: CustomBlocks, use: (one: CustomHtml) => T): ReadonlyMap<number, T> {
  return new Map([...custom].map(([at, one]) => [at, use(one)]))
}

function renderDocument(
  content: NewsletterContent,
  custom: CustomBlocks,
  footer: Template | null,
  theme: Theme,
): Template {
  const slots = new Slots()
  const markup = documentOf(
    {
      // The title is an attribute too.
      title: inline(content.subject, 'attribute'),
      previewText: content.previewText ? inline(content.previewText, 'attribute') : null,
      blocks: content.blocks,
      custom: mapOf(custom, ({ html }) => html),
      footer,
    },
    theme,
    slots,
  )
  return slots.fillIn(renderMjml(markup))
}

/** For everybody: merge fields show their fallbacks. */
export function fillSubject(subject: string): string {
  return fill(headerOf(subject), {})
}

/** One line: a field of a header ends with its line. */
function headerOf(subject: string): Template {
  const merge = parseMerge(subject.replaceAll(/[\s\u2028\u2029]+/g, ' ').trim())
  return templateOf('parts' in merge ? merge.parts : [subject], 'header')
}

function missingFallbacks(templates: readonly Template[]): string[] {
  const own = new Set<string>(SYSTEM_FIELDS)
  const names = templates.flat().flatMap((part) => {
    return typeof part === 'string' || part.fallback !== null || own.has(part.name) ? [] : [part.name]
  })
  return [...new Set(names)]
}

function warningsOf(
  { blocks }: NewsletterContent,
  custom: CustomBlocks,
  { html, fieldsWithoutFallback, urls }: Pick<CompiledNewsletter, 'html' | 'fieldsWithoutFallback' | 'urls'>,
): ContentWarning[] {
  const warnings: ContentWarning[] = []
  const warn = (code: ContentWarning['code'], message: string, blockIndex: number | null = null) =>
    warnings.push({ code, message, blockIndex })
  for (const [at, { removed, withoutAlt }] of custom) {
    for (const what of removed) warn('html_cleaned', `Removed: ${what}.`, at)
    if (withoutAlt > 0)
      warn('missing_alt', `${withoutAlt} images have no alt text. Readers without images miss them.`, at)
  }
  for (const name of fieldsWithoutFallback) {
    const words = `{{${name}}} has no fallback: subscribers without this field read nothing there. Write {{${name}|a word}}.`
    warn('merge_field_without_fallback', words)
  }
  const size = sizeOf(html)
  if (size > GMAIL_CLIPS_AFTER_BYTES) {
    const kilobytes = Math.ceil(size / 1024)
    warn(
      'gmail_clipping',
      `The HTML has ${kilobytes} KB. Gmail shows 102 KB and hides the rest, with the link to unsubscribe.`,
    )
  }
  if (urls.offendingUrls.length > 0)
    warn('too_many_urls', `There are ${urls.uniqueUrlCount} different URLs; ${urls.maxUniqueUrls} are allowed.`)
  const [insecure] = insecureImages(blocks, custom)
  if (insecure !== undefined)
    warn('insecure_image', `${insecure.slice(0, 200)} is not loaded by https. Many mail clients do not show it.`)
  return warnings
}
