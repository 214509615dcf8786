/** Symbols of links. */
import type { ParsedMessage } from '../../message/structure.ts'
import type { Content } from './content.ts'
import { type Link, ownedDomain } from './links.ts'
import type { Tally } from './tally.ts'

/** Hosts that redirect to any address, so that the target is hidden. */
const SHORTENERS = new Set(
  'bit.ly tinyurl.com goo.gl t.co ow.ly is.gd buff.ly cutt.ly rebrand.ly shorturl.at rb.gy tiny.cc v.gd s.id t.ly shorte.st adf.ly bl.ink lnkd.in soo.gd qr.ae clck.ru'.split(
    ' ',
  ),
)
/** Top-level domains that are free or are sold to spammers in bulk. */
const RISKY_TLD =
  /\.(?:tk|ml|ga|cf|gq|top|xyz|click|icu|buzz|cam|rest|sbs|cfd|bond|monster|quest|beauty|hair|loan|win|bid|stream|download|review|country|kim|work|zip|mov)$/
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/
/** An address written as one number, or in hexadecimal or octal pieces. */
const DISGUISED_IP = /^(?:0x[0-9a-f]+|\d{8,10}|(?:0x[0-9a-f]{1,2}|0\d{1,3})(?:\.(?:0x[0-9a-f]{1,2}|\d{1,3})){3})$/
const SHOWN_HOST = /^\s*(?:https?:\/\/)?((?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24})(?:[/:?#\s]|$)/i
const SHOWN_AS_ADDRESS = /^\s*(?:https?:\/\/|www\.)|\.(?:com|net|org|gov|edu)(?:[/:?#\s]|$)/i
const LEADS_ON = /[?&/=](?:https?(?::|%3a)(?:\/|%2f){2})/i

export function judgeLinks({ from }: ParsedMessage, { links, words, html }: Content, tally: Tally): void {
  const web = links.filter(({ host }) => host !== '')
  const email = from?.[0]?.email.toLowerCase() ?? ''
  const sender = ownedDomain(email.slice(email.lastIndexOf('@') + 1))
  for (const link of web) judgeLink(link, sender, tally)
  for (const { href } of links) if (/^(?:javascript|data|vbscript):/i.test(href)) tally.add('LINK_RUNS_CODE', href)
  const isAlone = web.length > 0 && words.length < 40
  if (isAlone && html === '' && web.length <= 2) tally.add('LINK_ALMOST_ALONE', web[0]!.host)
}

function judgeLink(link: Link, sender: string, tally: Tally): void {
  const { host, authority, href } = link
  if (IPV4.test(host)) tally.add('LINK_TO_ADDRESS', host)
  else if (DISGUISED_IP.test(host) || /%[0-9a-f]{2}/.test(host)) tally.add('LINK_HOST_DISGUISED', host)
  if (authority.includes('@')) tally.add('LINK_WITH_USER', authority)
  if (/:(?!80$|443$|$)\d{0,5}$/.test(authority)) tally.add('LINK_ODD_PORT', authority)
  if (SHORTENERS.has(host)) tally.add('LINK_SHORTENED', host)
  if (RISKY_TLD.test(host)) tally.add('LINK_RISKY_ENDING', host)
  if (/(?:^|\.)xn--/.test(host) || /[^\x00-\x7f]/.test(host)) tally.add('LINK_FOREIGN_LETTERS', host)
  if (host.split('.').length > 5 && !IPV4.test(host)) tally.add('LINK_MANY_LABELS', host)
  if (LEADS_ON.test(href.slice(8))) tally.add('LINK_LEADS_ON', href)
  const shown = link.shown === null ? undefined : SHOWN_HOST.exec(link.shown)?.[1]?.toLowerCase()
  // A name that is only a file name (such as a Markdown file) is the text of many links.
  if (shown === undefined || !SHOWN_AS_ADDRESS.test(link.shown!)) return
  // Newsletters show the sender's own address and link to a click counter.
  const isSenders = ownedDomain(shown) === sender
  if (!isSenders && ownedDomain(shown) !== ownedDomain(host))
    tally.add('LINK_SHOWS_ANOTHER', `${shown} leads to ${host}`)
}
