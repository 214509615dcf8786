/** Newsletters for tests: one block of each type, and content made of some. */
import type { Block, BlockOf, BlockType } from '../../../../jmap/newsletters/content/block.ts'
import {
  type CompiledNewsletter,
  compileNewsletter,
  type NewsletterContent,
} from '../../../../jmap/newsletters/content/newsletter-content.ts'

export const IMAGE = 'https://media.example.com/pictures/garden.png'

export const SAMPLES: { readonly [type in BlockType]: BlockOf<type> } = {
  heading: { type: 'heading', text: 'News of {{city|your town}}', level: 1 },
  paragraph: { type: 'paragraph', body: 'Hello {{first_name|there}},\nthis is what happened <this> week & last.' },
  list: { type: 'list', ordered: true, items: ['Sow the peas', 'Water them\nin the evening'] },
  callout: { type: 'callout', title: 'Frost ahead', body: 'Cover the young plants.', variant: 'warning' },
  button: {
    type: 'button',
    label: 'Read more',
    url: 'https://www.example.com/more?from={{email_address}}',
    align: 'center',
  },
  image: {
    type: 'image',
    url: IMAGE,
    alt: 'A garden in spring',
    link_url: 'https://www.example.com/garden',
    caption: 'Photo: Ada',
    caption_url: 'https://www.example.com/ada',
  },
  video: {
    type: 'video',
    video_url: 'https://www.example.com/video',
    thumbnail_url: 'https://media.example.com/pictures/video.png',
    label: 'How to graft a tree',
  },
  columns: {
    type: 'columns',
    ratio: '33-67',
    left: { title: 'Left', body: 'A narrow text.', image_url: IMAGE, image_alt: 'A garden in spring' },
    right: {
      title: 'Right',
      body: 'A wide text.\nOf two paragraphs.',
      cta_label: 'Order',
      cta_url: 'https://www.example.com/order',
    },
  },
  link_list: {
    type: 'link_list',
    title: 'Elsewhere',
    items: [
      { label: 'Seeds', url: 'https://www.example.com/seeds', description: 'All about seeds.' },
      { label: 'Write to us', url: 'mailto:garden@example.com' },
    ],
  },
  quote: { type: 'quote', body: 'A garden is never finished.', cite: 'Karel' },
  divider: { type: 'divider' },
  spacer: { type: 'spacer', height: 40 },
  code: { type: 'code', code: 'const {{x}} = 1 < 2\n  && true' },
  custom_html: {
    type: 'custom_html',
    html: '<table role="presentation" width="100%" border="0" cellpadding="0" cellspacing="0"><tr><td style="padding:8px;color:#333">Hi <b>{{first_name|friend}}</b>, <a href="https://www.example.com/custom?m={{email_address}}" title="For {{first_name}}">open</a> <a href="{{unsubscribe_url}}">leave</a></td></tr></table>',
  },
}

export const ALL_BLOCKS: readonly Block[] = Object.values(SAMPLES)

export const SENDER = { legalName: 'Garden & Sons Ltd', postalAddress: '1 Long Lane\n12345 Town' }

export function contentOf(blocks: readonly Block[], more: Partial<NewsletterContent> = {}): NewsletterContent {
  return {
    subject: 'News for {{first_name|you}}',
    previewText: 'What happened this week',
    blocks,
    ownText: null,
    hasArchive: false,
    language: 'en',
    accent: null,
    sender: SENDER,
    ...more,
  }
}

export function compiled(blocks: readonly Block[], more: Partial<NewsletterContent> = {}): CompiledNewsletter {
  const result = compileNewsletter(contentOf(blocks, more))
  if ('faults' in result) throw new Error(JSON.stringify(result.faults))
  return result
}

export const VALUES = {
  first_name: 'Ada',
  email_address: 'ada@example.org',
  display_name: 'Ada Lovelace',
  unsubscribe_url: 'https://mail.example.com/u/abc',
  archive_url: 'https://mail.example.com/n/abc',
}
