/** Raw messages, with a latin1 character for each octet, without symbols except those that a test adds. */

const HEADER: Readonly<Record<string, string>> = {
  From: 'Anna Example <anna@example.org>',
  To: 'Ben Example <ben@example.test>',
  Subject: 'The survey',
  Date: 'Thu, 01 Jan 2026 00:00:00 +0000',
  'Message-ID': '<1@example.org>',
}

/** @param fields replace or extend the usual ones; null removes one */
export function plain(fields: Readonly<Record<string, string | null>> = {}, text = 'Hello Ben, see you soon.'): string {
  const lines = Object.entries({ ...HEADER, ...fields }).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}`],
  )
  return [...lines, '', text, ''].join('\r\n')
}

/** @param withText whether the same text is there as plain text, so that the message is not only pictures and links */
export function html(source: string, withText = true): string {
  const part = `Content-Type: text/html\r\n\r\n<html><body>${source}</body></html>`
  if (!withText) return plain({ 'Content-Type': 'text/html' }, `<html><body>${source}</body></html>`)
  const text = 'Content-Type: text/plain\r\n\r\nHello Ben.'
  const type = 'multipart/alternative; boundary=b'
  return plain({ 'Content-Type': type }, `--b\r\n${text}\r\n--b\r\n${part}\r\n--b--`)
}

/** A letter with an attached file. @param content a character for each octet */
export function withFile(name: string, content = 'x', parameter = 'filename'): string {
  const value = parameter.endsWith('*') ? name : `"${name}"`
  const file = [
    'Content-Type: application/octet-stream',
    `Content-Disposition: attachment; ${parameter}=${value}`,
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from(content, 'latin1').toString('base64'),
  ]
  const parts = `--b\r\n\r\nHello Ben.\r\n--b\r\n${file.join('\r\n')}\r\n--b--`
  return plain({ 'Content-Type': 'multipart/mixed; boundary=b' }, parts)
}

/** The local header of a file in a ZIP (APPNOTE 4.3.7) with its content, which is empty. */
export function zip(name: string, flags = 0): string {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(name.length, 26)
  // An innocent one first, so that more than the first is read.
  const first = Buffer.from(header)
  first.writeUInt16LE(5, 26)
  return `${first.toString('latin1')}a.txt${header.toString('latin1')}${name}`
}
