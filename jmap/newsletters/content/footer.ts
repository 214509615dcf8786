/** The end of every newsletter: who sends it, and how to unsubscribe. Laws ask for both, so that content cannot leave it out. */
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
}

const field = (name: string, place: Hole['place']): Hole => ({ name, fallback: null, place })

const LINK = 'color:inherit;text-decoration:underline'

export function footerHtml(sender: Sender, { hasArchive, isArchive }: FooterOptions): Template {
  const address = senderLines(sender).map(escapeHtml).join('<br>')
  const links = isArchive
    ? []
    : [
        ['<a href="', field('unsubscribe_url', 'wholeUrl'), `" style="${LINK}">Unsubscribe</a>`],
        ...(hasArchive
          ? [['<a href="', field('archive_url', 'wholeUrl'), `" style="${LINK}">Read in the browser</a>`]]
          : []),
      ]
  const joined = links.flatMap((link, index) => (index > 0 ? [' &#183; ', link] : [link]))
  const row = joined.length > 0 ? ['<p style="margin:8px 0 0">', ...joined, '</p>'] : []
  return joinTemplates([`<p style="margin:0">${address}</p>`, ...row])
}

export function footerText(sender: Sender, { hasArchive, isArchive }: FooterOptions): Template {
  const links = isArchive
    ? []
    : [
        '\nUnsubscribe: ',
        [field('unsubscribe_url', 'text')],
        ...(hasArchive ? ['\nRead in the browser: ', [field('archive_url', 'text')]] : []),
      ]
  return joinTemplates([`\n\n----\n${senderLines(sender).join('\n')}`, ...links, '\n'])
}

function senderLines({ legalName, postalAddress }: Sender): string[] {
  return [legalName ?? '', ...(postalAddress ?? '').split(/\r\n|[\r\n]/)].map((line) => line.trim()).filter(Boolean)
}
