/** Symbols of HTML. One pass over the tags; this is not a parser. */
import type { ParsedMessage } from '../../message/structure.ts'
import type { Content } from './content.ts'
import type { Tally } from './tally.ts'

// Tags without `<` inside: each octet is read once, whatever is left open.
const TAG = /<([a-z][a-z0-9]{0,10})([^<>]{0,2000})>/gi
const ACTIVE: ReadonlyMap<string, 'HTML_FORM' | 'HTML_SCRIPT' | 'HTML_FRAME'> = new Map([
  ['form', 'HTML_FORM'],
  ['input', 'HTML_FORM'],
  ['script', 'HTML_SCRIPT'],
  ['iframe', 'HTML_FRAME'],
  ['object', 'HTML_FRAME'],
  ['embed', 'HTML_FRAME'],
])
const HIDING =
  /(?:font-size\s?:\s?[01](?:px|pt)?\s?(?:[;"'!]|$)|display\s?:\s?none|visibility\s?:\s?hidden|opacity\s?:\s?0\s?(?:[;"']|$))/i
const FONT_SIZE = /\bsize\s?=\s?["']?\+?[4-7]/i
const LOUD_COLOUR = /\bcolor\s?=\s?["']?(?:#?ff0000|#?0000ff|red|blue)\b/i
const WHITE = /\bcolor\s?[=:]\s?["']?(?:#?fff(?:fff)?\b|white\b)/i
const SPLIT_WORD = /[a-z](?:<!--[^<>]{0,60}-->|<[a-z]{0,12}\d[a-z0-9]{0,12}>)[a-z]/gi
/** References for plain letters and digits, which need none. */
const NEEDLESS_REFERENCE = /&#(?:x[3-7][0-9a-f]|(?:4[89]|5[0-7]|6[5-9]|[7-9]\d|1[01]\d|12[0-2]));/gi
/** Invisible characters: they split words for filters, not for readers. */
const UNSEEN = /[\u200b\u2060\u2063\ufeff\u00ad]/g

export function judgeMarkup(parsed: ParsedMessage, { html, text, words }: Content, tally: Tally): void {
  const unseen = text.match(UNSEEN)?.length ?? 0
  if (unseen > 20 && unseen > words.length / 10) tally.add('TEXT_UNSEEN_CHARACTERS', `${unseen} of them`)
  if (html === '') return
  const { structure } = parsed
  const plain = structure.textBody.some((number) => structure.parts[number - 1]?.type === 'text/plain')
  if (!plain) tally.add('HTML_ONLY')
  const { images, bigFonts, colours } = judgeTags(html, tally)
  if (images > 0 && words.length < 30) tally.add('HTML_PICTURES_ONLY', `${words.length} words, ${images} pictures`)
  if (bigFonts >= 3) tally.add('HTML_LOUD', `${bigFonts} large fonts`)
  else if (colours >= 3) tally.add('HTML_LOUD', `${colours} coloured fonts`)
  if ((html.match(SPLIT_WORD)?.length ?? 0) >= 3) tally.add('HTML_SPLIT_WORDS')
  if ((html.match(NEEDLESS_REFERENCE)?.length ?? 0) >= 20) tally.add('HTML_NEEDLESS_REFERENCES')
}

function judgeTags(html: string, tally: Tally): { images: number; bigFonts: number; colours: number } {
  let images = 0
  let bigFonts = 0
  let colours = 0
  let hidden = 0
  for (const [, rawName, attributes = ''] of html.matchAll(TAG)) {
    const name = rawName!.toLowerCase()
    const active = ACTIVE.get(name)
    if (active) tally.add(active, `<${name}>`)
    else if (name === 'img') images++
    else if (name === 'meta') {
      if (/http-equiv\s?=\s?["']?refresh/i.test(attributes)) tally.add('HTML_LEADS_AWAY')
    } else if (name === 'base' && /href/i.test(attributes)) tally.add('HTML_BASE')
    else if (name === 'font') {
      if (FONT_SIZE.test(attributes)) bigFonts++
      if (LOUD_COLOUR.test(attributes)) colours++
      if (WHITE.test(attributes)) hidden++
    } else if (attributes.length > 12 && HIDING.test(attributes)) hidden++
    if (attributes.length > 5 && /\son(?:load|click|mouseover|error)\s?=/i.test(attributes))
      tally.add('HTML_SCRIPT', name)
  }
  if (hidden >= 3) tally.add('HTML_HIDDEN_TEXT', `${hidden} places`)
  return { images, bigFonts, colours }
}
