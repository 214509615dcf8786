/**
 * Reads Mozilla's autoconfiguration format, which providers publish at `autoconfig.<domain>`: the IMAP servers that it names, in its order.
 * Only what is needed is read, and nothing is expanded: no entities but the five of XML.
 */
import type { ImapTarget } from './providers.ts'

/** @param email fills the placeholders of the format */
export function readAutoconfig(xml: string, email: string): ImapTarget[] {
  const targets: ImapTarget[] = []
  for (const block of blocksOf(xml, 'incomingServer')) {
    if (!/^<incomingServer\s[^>]{0,200}?\btype\s{0,9}=\s{0,9}["']imap["']/i.test(block)) continue
    const security = SECURITIES[textOf(block, 'socketType')?.toUpperCase() ?? '']
    const host = textOf(block, 'hostname')?.toLowerCase()
    const port = Number(textOf(block, 'port'))
    if (!security || !host || !HOST_NAME.test(host) || !Number.isInteger(port) || port < 1 || port > 65_535) continue
    const username = fill(textOf(block, 'username') ?? '%EMAILADDRESS%', email)
    targets.push({ host, port, security, usernames: [username] })
  }
  return targets
}

/** Clear text is never used. */
const SECURITIES: { readonly [type: string]: ImapTarget['security'] } = { SSL: 'tls', TLS: 'tls', STARTTLS: 'starttls' }

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,62})(?:\.[a-z0-9](?:[a-z0-9-]{0,62}))+$/

function blocksOf(xml: string, name: string): string[] {
  const blocks: string[] = []
  for (let at = xml.indexOf(`<${name}`); at >= 0; ) {
    const end = xml.indexOf(`</${name}>`, at)
    if (end < 0) break
    blocks.push(xml.slice(at, end))
    at = xml.indexOf(`<${name}`, end)
  }
  return blocks
}

function textOf(block: string, name: string): string | null {
  const open = block.indexOf(`<${name}>`)
  const close = open < 0 ? -1 : block.indexOf(`</${name}>`, open)
  if (close < 0) return null
  const text = block.slice(open + name.length + 2, close).trim()
  return text.length > 255
    ? null
    : text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, entity: string) => ENTITIES[entity]!)
}

const ENTITIES: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function fill(username: string, email: string): string {
  const at = email.lastIndexOf('@')
  return username
    .replaceAll('%EMAILADDRESS%', () => email)
    .replaceAll('%EMAILLOCALPART%', () => email.slice(0, at))
    .replaceAll('%EMAILDOMAIN%', () => email.slice(at + 1))
}
