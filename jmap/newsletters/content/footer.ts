/** The end of every newsletter: who sends it, and how to unsubscribe. Laws ask for both, so that content cannot leave it out. */
import { FOOTER_WORDS } from './footer-words.ts'
import { readerLanguage } from './reader-language.ts'
import { escapeHtml, type Hole, joinTemplates, type Template } from './template.ts'

export interface Sender {
  /** null: not set yet. The preflight fails then. */
  readonly legalName: string | null
  /** Lines by \n. */
  readonly postalAddress: string | null
}

export interface FooterOptions {
  readonly hasArchive: boolean
  /** A page for everybody: without links that are of one recipient. */
  readonly isArchive: boolean
  /** Of the newsletter. BCP 47. */
  readonly language: string
}

const field = (name: string, place: Hole['place']): Hole => ({ name, fallback: null, place })

const LINK = 'color:inherit;text-decoration:underline'

export function footerHtml(sender: Sender, { hasArchive, isArchive, language }: FooterOptions): Template {
  const address = senderLines(sender).map(escapeHtml).join('<br>')
  const own = readerLanguage(language)
  const { unsubscribe, readInBrowser } = FOOTER_WORDS[own]
  // WCAG 2.2, 3.1.2: words in another language than the newsletter say so.
  const foreign = language.toLowerCase().split('-', 1)[0] === own ? '' : ` lang="${own}" dir="ltr"`
  const link = (name: string, words: string) => [
    '<a href="',
    field(name, 'wholeUrl'),
    `"${foreign} style="${LINK}">${escapeHtml(words)}</a>`,
  ]
  const links = isArchive
    ? []
    : [link('unsubscribe_url', unsubscribe), ...(hasArchive ? [link('archive_url', readInBrowser)] : [])]
  const joined = links.flatMap((link, index) => (index > 0 ? [' &#183; ', link] : [link]))
  const row = joined.length > 0 ? ['<p style="margin:8px 0 0">', ...joined, '</p>'] : []
  // A name or an address in another script keeps its own direction.
  return joinTemplates([`<p dir="auto" style="margin:0">${address}</p>`, ...row])
}

export function footerText(sender: Sender, { hasArchive, isArchive, language }: FooterOptions): Template {
  const { unsubscribe, readInBrowser } = FOOTER_WORDS[readerLanguage(language)]
  const links = isArchive
    ? []
    : [
        `\n${unsubscribe}: `,
        [field('unsubscribe_url', 'text')],
        ...(hasArchive ? [`\n${readInBrowser}: `, [field('archive_url', 'text')]] : []),
      ]
  return joinTemplates([`\n\n----\n${senderLines(sender).join('\n')}`, ...links, '\n'])
}

function senderLines({ legalName, postalAddress }: Sender): string[] {
  return [legalName ?? '', ...(postalAddress ?? '').split(/\r\n|[\r\n]/)].map((line) => line.trim()).filter(Boolean)
}
