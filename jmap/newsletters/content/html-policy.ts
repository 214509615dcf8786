/** What custom HTML may have: elements, attributes and styles that mail clients show and that neither run nor load anything but images. */

/** Refused, not cleaned (decision D31): whoever writes these expects them to work, and no mail client runs them. */
export const REFUSED_ELEMENTS: ReadonlySet<string> = new Set(['script', 'iframe', 'video', 'form'])

/** Their content is not text of the newsletter. */
export const DROPPED_WITH_CONTENT = [
  'script',
  'style',
  'textarea',
  'option',
  'noscript',
  'template',
  'title',
  'svg',
  'math',
  'object',
  'audio',
  'video',
  'iframe',
  'noembed',
  'noframes',
  'xmp',
  'plaintext',
  'select',
]

/** Removed without a warning: they are around the content, not in it. */
export const FRAME_ELEMENTS: ReadonlySet<string> = new Set(['html', 'head', 'body', 'meta', 'title'])

export const ELEMENTS = [
  ...[
    'a',
    'abbr',
    'b',
    'bdi',
    'bdo',
    'big',
    'blockquote',
    'br',
    'caption',
    'center',
    'cite',
    'code',
    'col',
    'colgroup',
  ],
  ...['dd', 'del', 'div', 'dl', 'dt', 'em', 'font', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'img', 'ins', 'li'],
  ...['ol', 'p', 'pre', 's', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'table', 'tbody', 'td', 'tfoot', 'th'],
  ...['thead', 'tr', 'tt', 'u', 'ul', 'wbr'],
]

/** Parts of tables: outside of a table of their own they would end that of the newsletter. */
export const TABLE_PARTS: ReadonlySet<string> = new Set([
  ...['caption', 'col', 'colgroup', 'tbody', 'td', 'tfoot', 'th', 'thead', 'tr'],
])

export const EMPTY_ELEMENTS = ['br', 'col', 'hr', 'img', 'wbr']

const CELL = ['colspan', 'rowspan', 'scope', 'abbr', 'nowrap']

/** Neither `id` nor `class`: they would meet the styles of the newsletter and names in pages around it. */
export const ATTRIBUTES: { readonly [element: string]: readonly string[] } = {
  '*': [
    'align',
    'valign',
    'bgcolor',
    'dir',
    'height',
    'lang',
    'role',
    'style',
    'title',
    'width',
    'aria-hidden',
    'aria-label',
  ],
  a: ['href'],
  img: ['src', 'alt', 'border', 'hspace', 'vspace'],
  table: ['border', 'cellpadding', 'cellspacing', 'summary'],
  td: CELL,
  th: CELL,
  col: ['span'],
  colgroup: ['span'],
  ol: ['start', 'type', 'reversed'],
  ul: ['type'],
  li: ['value', 'type'],
  font: ['color', 'face', 'size'],
  hr: ['color', 'noshade', 'size'],
  br: ['clear'],
}

/** Words, numbers, colours, lists of fonts; functions only of colours. No `url()`, no escapes, no comments. */
const SAFE_VALUE = /^(?!.*(?:url|image|image-set|element|expression|var|env|attr|calc)\s*\()[\w\s.,%#"'()!+-]*$/i

const FREE_STYLES = [
  ...[
    'background-color',
    'border',
    'border-collapse',
    'border-color',
    'border-radius',
    'border-spacing',
    'border-style',
  ],
  ...['border-width', 'border-top', 'border-right', 'border-bottom', 'border-left', 'color', 'direction', 'font'],
  ...[
    'font-family',
    'font-size',
    'font-style',
    'font-variant',
    'font-weight',
    'height',
    'letter-spacing',
    'line-height',
  ],
  ...[
    'list-style-type',
    'margin',
    'margin-top',
    'margin-right',
    'margin-bottom',
    'margin-left',
    'max-height',
    'max-width',
  ],
  ...['min-height', 'min-width', 'mso-line-height-rule', 'mso-padding-alt', 'mso-table-lspace', 'mso-table-rspace'],
  ...['overflow-wrap', 'padding', 'padding-top', 'padding-right', 'padding-bottom', 'padding-left', 'table-layout'],
  ...[
    'text-align',
    'text-decoration',
    'text-indent',
    'text-transform',
    'unicode-bidi',
    'vertical-align',
    'white-space',
  ],
  ...['width', 'word-break', 'word-spacing', 'word-wrap', '-ms-text-size-adjust', '-webkit-text-size-adjust'],
]

/** Neither `position` nor `float` nor `flex`: mail clients remove them, and they could lay content over the footer. */
export const STYLES: { readonly [property: string]: readonly RegExp[] } = {
  ...Object.fromEntries(FREE_STYLES.map((property) => [property, [SAFE_VALUE]])),
  background: [SAFE_VALUE],
  display: [/^(?:block|inline|inline-block|none|table|table-cell|table-row|list-item)$/i],
}
