/** RFC 5228 5.1 and 5.4: the address and envelope tests; RFC 5233: user and detail. */
import type { Bound } from '../bound.ts'
import type { TestDefinition } from '../definition.ts'
import { compileMatch, MATCH_TAGS } from '../match.ts'
import type { SieveMessage } from '../message.ts'
import type { TagSpec } from '../signature.ts'
import { compileFields, INDEX_TAGS } from './fields.ts'

const PART_TAGS: Readonly<Record<string, TagSpec>> = {
  all: { group: 'part' },
  localpart: { group: 'part' },
  domain: { group: 'part' },
  user: { group: 'part', requires: 'subaddress' },
  detail: { group: 'part', requires: 'subaddress' },
}

/** RFC 5322 2.2 */
const FIELD_NAME = /^[\x21-\x39\x3b-\x7e]+$/

/** RFC 5228 5.1: fields that hold addresses. */
const ADDRESS_FIELDS = new Set([
  ...['from', 'to', 'cc', 'bcc', 'sender', 'reply-to', 'return-path', 'errors-to', 'return-receipt-to'],
  ...['resent-from', 'resent-to', 'resent-cc', 'resent-bcc', 'resent-sender', 'resent-reply-to'],
  ...['delivered-to', 'x-original-to', 'x-original-from', 'envelope-to', 'x-envelope-to', 'apparently-to'],
  ...['disposition-notification-to', 'mail-followup-to', 'mail-reply-to', 'list-post', 'x-forwarded-to'],
  ...[
    'x-forwarded-for',
    'for-approval',
    'for-handling',
    'for-comment',
    'x-admin',
    'read-receipt-to',
    'abuse-reports-to',
  ],
  ...['x-confirm-reading-to', 'return-receipt-requested', 'registered-mail-reply-requested-by', 'x-complaints-to'],
])

/** RFC 5228 2.7.4: a part of an address; null: the address has no such part. */
type Part = (address: string) => string | null

function partOf(bound: Bound): Part {
  switch (bound.which('localpart', 'domain', 'user', 'detail')) {
    case 'localpart':
      return (address) => split(address)?.[0] ?? null
    case 'domain':
      return (address) => split(address)?.[1] ?? null
    case 'user':
      return (address) => withoutDetail(split(address)?.[0] ?? null)
    case 'detail':
      return (address) => detailOf(split(address)?.[0] ?? null)
    default:
      return (address) => address
  }
}

function split(address: string): [string, string] | null {
  const at = address.lastIndexOf('@')
  // RFC 5228 5.1: text that is not an address has no parts.
  return at < 1 || at === address.length - 1 ? null : [address.slice(0, at), address.slice(at + 1)]
}

/** RFC 5233 4: the server chooses the separator of user and detail. */
const SEPARATOR = '+'

function withoutDetail(local: string | null): string | null {
  return local === null ? null : local.split(SEPARATOR, 1)[0]!
}

/** RFC 5233 4: an address without the separator has no detail, not an empty one. */
function detailOf(local: string | null): string | null {
  const sign = local?.indexOf(SEPARATOR) ?? -1
  return sign < 0 ? null : local!.slice(sign + 1)
}

/** RFC 5228 5.1: a field without any address is compared as text. */
function addressesIn(message: SieveMessage, name: string): string[][] {
  const texts = message.texts(name)
  return message
    .addresses(name)
    .map((list, index) => (list.length > 0 ? list.map(({ email }) => email) : [texts[index]!]))
}

const address: TestDefinition = {
  name: 'address',
  requires: [],
  tags: { ...MATCH_TAGS, ...PART_TAGS, ...INDEX_TAGS },
  positional: ['strings', 'strings'],
  compile(bound) {
    const names = bound.textsAt(0)
    // RFC 5228 2.4.2.2: a name that no field can have is not an error; no field matches it.
    const wrong = names.constants?.find((name) => FIELD_NAME.test(name) && !ADDRESS_FIELDS.has(name.toLowerCase()))
    if (wrong !== undefined) throw bound.error(`the field ${JSON.stringify(wrong.slice(0, 50))} holds no addresses`)
    const fields = compileFields(bound, names, (run, name) =>
      ADDRESS_FIELDS.has(name.toLowerCase()) ? addressesIn(run.environment.message, name) : [],
    )
    const part = partOf(bound)
    const match = compileMatch(bound, bound.textsAt(1))
    return (run) => match(run, found(fields(run).flatMap((list) => list.map(part))))
  },
}

const envelope: TestDefinition = {
  name: 'envelope',
  requires: ['envelope'],
  tags: { ...MATCH_TAGS, ...PART_TAGS },
  positional: ['strings', 'strings'],
  compile(bound) {
    const names = bound.textsAt(0)
    const wrong = names.constants?.find((name) => !['from', 'to'].includes(name.toLowerCase()))
    // RFC 5228 5.4: an unknown part of the envelope is an error.
    if (wrong !== undefined)
      throw bound.error(`the envelope has no ${JSON.stringify(wrong.slice(0, 50))}, only from and to`)
    const part = partOf(bound)
    const match = compileMatch(bound, bound.textsAt(1))
    return (run) => {
      const { from, to } = run.environment.envelope
      const values = names.read(run).map((name) => {
        const lower = name.toLowerCase()
        const value = lower === 'from' ? from : lower === 'to' ? to : null
        // RFC 5228 5.4: every part of the null reverse-path is empty.
        return value === null || value === '' ? value : part(value)
      })
      return match(run, found(values))
    }
  },
}

function found(values: readonly (string | null)[]): string[] {
  return values.filter((value) => value !== null)
}

export const addressTests: readonly TestDefinition[] = [address, envelope]
