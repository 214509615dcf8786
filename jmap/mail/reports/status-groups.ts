/** The fields of a delivery status notification (RFC 3464 2), read from any text. Pure, and total. */
import { REPORT_DIAGNOSIS_CHARS, REPORT_RECIPIENTS_MAX } from '../../../server/base/report-limits.ts'

/** Fields by names in lower case, unfolded; of equal names the first counts. */
export type Fields = ReadonlyMap<string, string>

/** RFC 3464 2.3: fields that each recipient has once. */
const ONCE = ['final-recipient', 'action']

/**
 * Groups of fields, separated by empty lines. A new group also begins if one of these fields occurs again, because some servers omit the
 * empty line.
 */
export function fieldGroups(text: string): Fields[] {
  const groups: Map<string, string>[] = []
  let group: Map<string, string> | null = null
  let last: string | null = null
  for (const line of text.split('\n')) {
    if (groups.length > REPORT_RECIPIENTS_MAX) break
    if (line.trim() === '') {
      group = last = null
      continue
    }
    const [, name, value] = /^([A-Za-z][A-Za-z0-9-]{0,76})[ \t]*:(.*)$/.exec(line) ?? []
    if (name === undefined) {
      if (group && last !== null && /^[ \t]/.test(line)) append(group, last, line)
      continue
    }
    last = name.toLowerCase()
    if (group === null || (ONCE.includes(last) && group.has(last))) {
      group = new Map()
      groups.push(group)
    }
    if (group.has(last)) last = null
    else group.set(last, value!.trim())
  }
  return groups
}

function append(group: Map<string, string>, name: string, line: string): void {
  const known = group.get(name)!
  if (known.length < REPORT_DIAGNOSIS_CHARS) group.set(name, `${known} ${line.trim()}`)
}

/** RFC 3464 2.3.1, 2.3.2, RFC 6533 3: the address in `type; address`, if it is a mail address. */
export function typedAddress(value: string | undefined): string | null {
  const [, type = '', rest = ''] = /^(?:([\w.+-]*)[ \t]*;)?(.*)$/s.exec(value ?? '') ?? []
  const address = rest.trim().replace(/^<([^<>]*)>.*$/s, '$1')
  const text = type.toLowerCase() === 'utf-8' ? decodeUtf8Address(address) : address
  // RFC 5321 4.1.2: a local part may be a quoted string.
  const found = /^(?:"(?:[^"\\]|\\.){1,64}"|[^\s<>"';,()]+)@[^\s<>"';,()]+/.exec(text)?.[0]
  return found?.replace(/[.:]+$/, '') ?? null
}

/** RFC 6533 3: decodes `\x{F6}`, which stands for a character beyond ASCII. */
function decodeUtf8Address(text: string): string {
  return text.replace(/\\x\{([0-9a-f]{2,6})\}/gi, (whole, hex: string) => {
    const code = Number.parseInt(hex, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** RFC 3463 2: an enhanced status code in a text. */
export function statusIn(text: string): string | null {
  return /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/.exec(text)?.[0] ?? null
}
