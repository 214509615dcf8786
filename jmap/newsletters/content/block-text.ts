/** The text part of blocks. */
import type { Block, Column } from './block.ts'
import { inline, proseLines } from './block-html.ts'
import { joinTemplates, type Template, templateOf } from './template.ts'

type Piece = Template | string

/** @param custom text of the custom blocks, by index */
export function textOfBlocks(blocks: readonly Block[], custom: ReadonlyMap<number, Template>): Template {
  const texts = blocks
    .map((block, at) => joinTemplates(blockText(block, custom.get(at))))
    .filter((text) => text.length > 0)
  return joinTemplates(texts.flatMap((text, index) => (index > 0 ? ['\n\n', text] : [text])))
}

function blockText(block: Block, custom: Template | undefined): Piece[] {
  switch (block.type) {
    case 'heading':
      return [(block.level ?? 2) === 1 ? '# ' : '## ', words(block.text)]
    case 'paragraph':
      return prose(block.body)
    case 'list':
      return lines(block.items.map((item, index) => [block.ordered ? `${index + 1}. ` : '- ', ...prose(item, '\n  ')]))
    case 'callout':
      return lines([...(block.title ? [[words(block.title)]] : []), prose(block.body)])
    case 'button':
      return link(block.label, block.url)
    case 'image':
      return lines([
        ...(block.alt.trim() === '' ? [] : [['[', words(block.alt), ']']]),
        ...(block.caption ? [block.caption_url ? link(block.caption, block.caption_url) : [words(block.caption)]] : []),
        ...(block.link_url ? [[words(block.link_url)]] : []),
      ])
    case 'video':
      return link(block.label, block.video_url)
    case 'columns':
      return [...columnText(block.left), '\n\n', ...columnText(block.right)]
    case 'link_list':
      return lines([
        ...(block.title ? [[words(block.title)]] : []),
        ...block.items.map(({ label, url, description }) => [
          '- ',
          ...link(label, url),
          ...(description ? ['\n  ', ...prose(description, '\n  ')] : []),
        ]),
      ])
    case 'quote':
      return ['> ', ...prose(block.body, '\n> '), ...(block.cite ? ['\n> -- ', words(block.cite)] : [])]
    case 'divider':
      return ['----']
    case 'spacer':
      return []
    case 'code':
      return [templateOf([block.code], 'text')]
    case 'custom_html':
      return [custom ?? []]
  }
}

function words(text: string): Template {
  return inline(text, 'text')
}

function prose(text: string, between = '\n\n'): Piece[] {
  return proseLines(text).flatMap((line, index) => (index > 0 ? [between, words(line)] : [words(line)]))
}

function lines(parts: readonly (readonly Piece[])[]): Piece[] {
  return parts.flatMap((part, index) => (index > 0 ? ['\n', ...part] : part))
}

function link(label: string, url: string): Piece[] {
  return [words(label), ': ', words(url)]
}

function columnText({ title, body, image_alt, cta_label, cta_url }: Column): Piece[] {
  return lines([
    ...(image_alt ? [['[', words(image_alt), ']']] : []),
    ...(title ? [['### ', words(title)]] : []),
    prose(body),
    ...(cta_label && cta_url ? [link(cta_label, cta_url)] : []),
  ])
}
