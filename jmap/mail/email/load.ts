/**
 * Email/get: emails as clients see them (RFC 8621 4.1, 4.2). Properties for lists are built as text from stored JSON. The structure or
 * the octets are read only for properties that need them (bodies, header fields).
 */

import type { Json, JsonObject } from '../../../server/base/json.ts'
import { type EmailSummary, findEmails } from '../../../storage/repos/emails.ts'
import { isFormAllowed, parseHeaderProperty } from '../../message/header-forms.ts'
import { invalidArguments } from '../../protocol/errors.ts'
import { setOwn } from '../../protocol/json-object.ts'
import { JsonText } from '../../protocol/json-text.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import type { MethodContext } from '../../type/context.ts'
import type { ExtraArguments } from '../../type/derived.ts'
import type { LoadRequest, ReadContext } from '../../type/handlers.ts'
import { BLOB_ID } from '../blob/blobs.ts'
import { Mailbox } from '../mailbox/mailbox.type.ts'
import { isDeliveryProperty } from '../submission/delivery.ts'
import { Thread } from '../thread/thread.type.ts'
import { bodyProperty, isBodyProperty } from './body.ts'
import { isBodyPartProperty } from './body-part.ts'
import { isDeliveryRecordProperty } from './delivery-record.ts'
import { Email } from './email.type.ts'
import { headerProperty } from './header.ts'
import { isPacked, packedIndex, packedLines, packedText } from './packed.ts'
import { EmailPage } from './page.ts'
import type { StoredMessage } from './stored-message.ts'

/** RFC 8621 4.2: `header:*` names with a form that the field may have. */
export function acceptsHeaderProperty(name: string): boolean {
  const header = parseHeaderProperty(name)
  return header !== null && isFormAllowed(header.name, header.form)
}

export function checkGetArguments({ bodyProperties }: ExtraArguments<typeof Email, 'get'>): void {
  for (const name of bodyProperties) {
    if (!isBodyPartProperty(name) && !acceptsHeaderProperty(name))
      throw invalidArguments(`A body part has no property '${name.slice(0, 100)}'.`, ['bodyProperties'])
  }
}

type EmailRequest = LoadRequest<typeof Email>

export async function loadEmails(
  read: ReadContext,
  request: EmailRequest,
): Promise<Map<number, JsonObject | JsonText>> {
  const { method, reader } = read
  const rows = await findEmails(reader, method.account.number, request.numbers)
  const found = new Map<number, JsonObject | JsonText>()
  const names = new EmailNames(method)
  if (request.properties.every(isStoredText)) {
    const keys = request.properties.map((name) => `${JSON.stringify(name)}:`)
    for (const row of rows) found.set(row.id, new JsonText(summaryText(names, row, request.properties, keys)))
    return found
  }
  const page = new EmailPage(read, rows)
  for (const row of rows) {
    method.request.guard.check()
    found.set(row.id, method.request.answer.hold(await wholeEmail(page, names, row, request)))
  }
  return found
}

const COLUMNS: { readonly [property: string]: (names: EmailNames, row: EmailSummary) => string } = {
  id: (names, row) => `"${names.email(row)}"`,
  blobId: (names, row) => `"${names.blob(row)}"`,
  threadId: (names, row) => `"${names.thread(row)}"`,
  mailboxIds: (names, row) => names.mailboxIds(row),
  keywords: (_, row) => row.keywords,
  size: (_, row) => String(row.size),
  receivedAt: (_, row) => `"${formatUTCDate(row.received_at)}"`,
  hasAttachment: (_, row) => (row.has_attachment ? 'true' : 'false'),
  source: (_, row) => JSON.stringify(row.source),
  createdAt: (_, row) => `"${formatUTCDate(row.created_at)}"`,
}

/** The same as values. */
const VALUES: { readonly [property: string]: (names: EmailNames, row: EmailSummary) => Json } = {
  id: (names, row) => names.email(row),
  blobId: (names, row) => names.blob(row),
  threadId: (names, row) => names.thread(row),
  mailboxIds: (names, row) => names.parsed(names.mailboxIds(row)),
  keywords: (names, row) => names.parsed(row.keywords),
  size: (_, row) => row.size,
  receivedAt: (_, row) => formatUTCDate(row.received_at),
  hasAttachment: (_, row) => row.has_attachment === 1,
  source: (_, row) => row.source,
  createdAt: (_, row) => formatUTCDate(row.created_at),
}

/** Whether a property is computed from the row, without the message. */
export function isStoredText(property: string): boolean {
  return isPacked(property) || Object.hasOwn(COLUMNS, property)
}

function summaryText(
  names: EmailNames,
  row: EmailSummary,
  properties: readonly string[],
  keys: readonly string[],
): string {
  const lines = packedLines(row.packed)
  let text = '{'
  for (let i = 0; i < properties.length; i++) {
    const property = properties[i]!
    text += i === 0 ? keys[i] : `,${keys[i]}`
    text += isPacked(property) ? packedText(lines, property) : COLUMNS[property]!(names, row)
  }
  return `${text}}`
}

/** Ids of one response. A mailbox occurs in many rows and is encoded once; so are keywords. */
class EmailNames {
  readonly #method: MethodContext
  readonly #parsed = new Map<string, Json>()
  readonly #mailboxes = new Map<string, string>()

  constructor(method: MethodContext) {
    this.#method = method
  }
  email(row: EmailSummary): string {
    return this.#method.id(Email, row.id)
  }
  thread(row: EmailSummary): string {
    return this.#method.id(Thread, row.thread)
  }
  blob(row: EmailSummary): string {
    return this.#method.id(BLOB_ID, row.blob)
  }
  parsed(text: string): Json {
    let value = this.#parsed.get(text)
    if (value === undefined) {
      value = JSON.parse(text) as Json
      this.#parsed.set(text, value)
    }
    return value
  }
  mailboxIds(row: EmailSummary): string {
    let text = this.#mailboxes.get(row.mailboxes)
    if (text === undefined) {
      const ids = parseMailboxes(row.mailboxes).map((number) => `"${this.#method.id(Mailbox, number)}":true`)
      text = `{${ids.join(',')}}`
      this.#mailboxes.set(row.mailboxes, text)
    }
    return text
  }
}

/** Numbers of an email's mailboxes, from its row. */
export function parseMailboxes(text: string): number[] {
  return text === '' ? [] : text.split(',').map(Number)
}

async function wholeEmail(
  page: EmailPage,
  names: EmailNames,
  row: EmailSummary,
  request: EmailRequest,
): Promise<JsonObject> {
  const object: { [name: string]: Json } = {}
  let packed: Json[] | undefined
  let message: StoredMessage | undefined
  for (const property of request.properties) {
    const value = VALUES[property]
    if (value) object[property] = value(names, row)
    else if (isPacked(property)) {
      packed ??= JSON.parse(`[${packedLines(row.packed).join(',')}]`) as Json[]
      object[property] = packed[packedIndex(property)] ?? null
    } else if (isDeliveryProperty(property)) object[property] = (await page.delivery(row))[property]
    else if (isDeliveryRecordProperty(property)) object[property] = (await page.deliveryRecord(row))[property]
    else {
      message ??= await page.message(row)
      if (isBodyProperty(property)) object[property] = await bodyProperty(message, property, request.args)
      else setOwn(object, property, await headerProperty(message, property))
    }
  }
  return object
}
