/** The MJML of a newsletter, with a slot for each text and URL. No text of the author or of a recipient passes through the renderer. */
import { SPACER_DEFAULT_HEIGHT } from '../../../server/base/newsletter-limits.ts'
import type { Block, BlockOf, Column, ColumnRatio } from './block.ts'
import { callout, caption, code, heading, href, inline, linkList, list, paragraphs, quote } from './block-html.ts'
import type { Slots } from './slots.ts'
import { escapeHtml, joinTemplates, type Template } from './template.ts'
import { COLOURS, darkStyles, FONT, linkColour, readableOn, SIDE, type Theme, WIDTH } from './theme.ts'

export interface DocumentParts {
  readonly title: Template
  readonly previewText: Template | null
  readonly blocks: readonly Block[]
  /** HTML of the custom blocks, by index. */
  readonly custom: ReadonlyMap<number, Template>
  /** Below the card; null: none. */
  readonly footer: Template | null
}

const SIDES = `8px ${SIDE}px`

export function documentOf(parts: DocumentParts, theme: Theme, slots: Slots): string {
  const { blocks, custom, footer, previewText } = parts
  const align = theme.direction === 'rtl' ? 'right' : 'left'
  const preview = previewText ? `<mj-preview>${slots.add(previewText)}</mj-preview>` : ''
  const attributes =
    `<mj-all font-family="${FONT}" />` +
    `<mj-text align="${align}" font-size="16px" line-height="24px" color="${COLOURS.text}" padding="${SIDES}" />` +
    `<mj-section padding="0" direction="${theme.direction}" /><mj-column padding="0" direction="${theme.direction}" /><mj-image padding="${SIDES}" align="${align}" fluid-on-mobile="true" />` +
    `<mj-divider padding="16px ${SIDE}px" border-width="1px" border-style="solid" border-color="${COLOURS.line}" />` +
    `<mj-button padding="12px ${SIDE}px" inner-padding="12px 24px" border-radius="6px" font-size="16px" font-weight="bold"` +
    ` background-color="${theme.accent}" color="${readableOn(theme.accent)}" />`
  const head =
    `<mj-head><mj-title>${slots.add(parts.title)}</mj-title>${preview}` +
    '<mj-raw><meta name="color-scheme" content="light dark" /><meta name="supported-color-schemes" content="light dark" /></mj-raw>' +
    `<mj-attributes>${attributes}</mj-attributes><mj-style>${darkStyles()}</mj-style></mj-head>`
  const body = rowsOf(blocks).map((row, index, rows) => {
    const padding = `${edge(row[0], index === 0)} 0 ${edge(row.at(-1), index === rows.length - 1)} 0`
    const [first] = row
    const content =
      first?.block.type === 'columns'
        ? columns(first.block, theme, slots)
        : `<mj-column>${row.map(({ block, at }) => blockMarkup(block, custom.get(at), theme, slots)).join('')}</mj-column>`
    return `<mj-section css-class="nl-card" background-color="${COLOURS.card}" padding="${padding}">${content}</mj-section>`
  })
  const end = footer
    ? `<mj-section padding="16px 0 32px"><mj-column><mj-text css-class="nl-quiet" align="center" font-size="13px" line-height="20px" color="${COLOURS.quiet}">${slots.add(footer)}</mj-text></mj-column></mj-section>`
    : ''
  // A language tag may look like a mark, so it has a slot too.
  const language = slots.add([escapeHtml(theme.language)])
  return `<mjml lang="${language}" dir="${theme.direction}">${head}<mj-body width="${WIDTH}px" background-color="${COLOURS.page}" css-class="nl-page">${body.join('')}${end}</mj-body></mjml>`
}

interface Placed {
  readonly block: Block
  readonly at: number
}

/** Blocks that stand in one section. Columns need a section each; one for every block would double the size of the HTML. */
function rowsOf(blocks: readonly Block[]): Placed[][] {
  const rows: Placed[][] = []
  for (const [at, block] of blocks.entries()) {
    const row = rows.at(-1)
    if (!row || block.type === 'columns' || row[0]?.block.type === 'columns') rows.push([{ block, at }])
    else row.push({ block, at })
  }
  return rows
}

/** Custom HTML goes to the edge of the card: it has margins of its own. */
function edge(placed: Placed | undefined, isEnd: boolean): string {
  return isEnd && placed?.block.type !== 'custom_html' ? '16px' : '0'
}

function textMarkup(content: Template, slots: Slots, more = ''): string {
  return `<mj-text css-class="nl-text"${more}>${slots.add(content)}</mj-text>`
}

function blockMarkup(block: Block, custom: Template | undefined, theme: Theme, slots: Slots): string {
  switch (block.type) {
    case 'heading':
      return textMarkup(heading(block.text, block.level ?? 2), slots)
    case 'paragraph':
      return textMarkup(paragraphs(block.body), slots)
    case 'list':
      return textMarkup(list(block, theme), slots)
    case 'callout':
      return textMarkup(callout(block, theme), slots)
    case 'quote':
      return textMarkup(quote(block, theme), slots)
    case 'code':
      return textMarkup(code(block), slots)
    case 'link_list':
      return textMarkup(linkList(block, theme), slots)
    case 'button':
      return button(block.label, block.url, block.align ?? (theme.direction === 'rtl' ? 'right' : 'left'), slots)
    case 'image':
      return image(block, slots)
    case 'video':
      return video(block, theme, slots)
    case 'divider':
      return '<mj-divider />'
    case 'spacer':
      return `<mj-spacer height="${block.height ?? SPACER_DEFAULT_HEIGHT}px" />`
    case 'custom_html':
      return `<mj-text css-class="nl-custom" padding="0" container-background-color="${COLOURS.card}">${slots.add(custom ?? [])}</mj-text>`
    case 'columns':
      return ''
  }
}

function button(label: string, url: string, align: string, slots: Slots): string {
  return `<mj-button align="${align}" href="${slots.add(href(url))}">${slots.add(inline(label))}</mj-button>`
}

function picture(src: string, alt: string, link: string | null | undefined, slots: Slots, more = ''): string {
  const target = link ? ` href="${slots.add(href(link))}"` : ''
  // The text in place of the image has its font and colour.
  return `<mj-image css-class="nl-text" src="${slots.add(href(src))}" alt="${slots.add(inline(alt, 'attribute'))}"${target} font-size="16px"${more} />`
}

function image({ url, alt, link_url, caption: words, caption_url }: BlockOf<'image'>, slots: Slots): string {
  const below = words
    ? `<mj-text css-class="nl-quiet" font-size="14px" line-height="20px" color="${COLOURS.quiet}" padding="0 ${SIDE}px 8px">${slots.add(caption(words, caption_url))}</mj-text>`
    : ''
  return picture(url, alt, link_url, slots) + below
}

/** No mail client plays a video: a picture that leads to it, and a link for those who see no pictures. */
function video({ video_url, thumbnail_url, label }: BlockOf<'video'>, { accent }: Theme, slots: Slots): string {
  const style = `color:${linkColour(accent)};text-decoration:underline;font-weight:bold`
  const link = joinTemplates([
    '<a href="',
    href(video_url),
    `" style="${style}">&#9654;&#65038; `,
    inline(label),
    '</a>',
  ])
  return picture(thumbnail_url, label, video_url, slots) + textMarkup(link, slots, ` padding="0 ${SIDE}px 8px"`)
}

const SHARES: { readonly [ratio in ColumnRatio]: readonly [string, string] } = {
  '50-50': ['50%', '50%'],
  '33-67': ['33%', '67%'],
  '67-33': ['67%', '33%'],
}

function columns({ ratio, left, right }: BlockOf<'columns'>, theme: Theme, slots: Slots): string {
  const [first, second] = SHARES[ratio ?? '50-50']
  return column(left, first, theme, slots) + column(right, second, theme, slots)
}

function column(content: Column, width: string, theme: Theme, slots: Slots): string {
  const { title, body, image_url, image_alt, cta_label, cta_url } = content
  const align = theme.direction === 'rtl' ? 'right' : 'left'
  return [
    `<mj-column width="${width}" vertical-align="top">`,
    image_url ? picture(image_url, image_alt ?? '', cta_url, slots) : '',
    title ? textMarkup(heading(title, 3), slots) : '',
    textMarkup(paragraphs(body), slots),
    cta_label && cta_url ? button(cta_label, cta_url, align, slots) : '',
    '</mj-column>',
  ].join('')
}
