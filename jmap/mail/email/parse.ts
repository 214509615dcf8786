/** Email/parse: parses blobs as messages without storing emails (RFC 8621 4.9). */
import { freeWhole } from '../../../server/base/free-memory.ts'
import type { Json, JsonObject } from '../../../server/base/json.ts'
import { EMAIL_PARSE_MAX_BYTES } from '../../../server/base/limits.ts'
import { Turns } from '../../../server/base/turns.ts'
import type { MessageStructure, ParsedMessage } from '../../message/structure.ts'
import { invalidArguments, MethodError } from '../../protocol/errors.ts'
import { quote, setOwn } from '../../protocol/json-object.ts'
import { MAIL } from '../../type/capabilities.ts'
import type { MethodContext } from '../../type/context.ts'
import { defineMethod } from '../../type/method.ts'
import { type ArgumentsOf, p } from '../../type/property.ts'
import { BLOB_ID, type OpenBlob, openBlob } from '../blob/blobs.ts'
import { type BodyRequest, bodyProperty, isBodyProperty } from './body.ts'
import { Email } from './email.type.ts'
import { formOf, partFields, rawHeaders } from './header.ts'
import { acceptsHeaderProperty, checkGetArguments } from './load.ts'
import type { MessageView } from './message-view.ts'
import { isPacked, packedLines, packedText, packProperties } from './packed.ts'
import { readMessage } from './readable-message.ts'

/** RFC 8621 4.9 */
const DEFAULT_PROPERTIES = [
  'messageId',
  'inReplyTo',
  'references',
  'sender',
  'from',
  'to',
  'cc',
  'bcc',
  'replyTo',
  'subject',
  'sentAt',
  'hasAttachment',
  'preview',
  'bodyValues',
  'textBody',
  'htmlBody',
  'attachments',
]

/** RFC 8621 4.9: properties that only an email in an account has. The thread is not predicted. */
const NULL_PROPERTIES = ['id', 'mailboxIds', 'keywords', 'receivedAt', 'threadId']
const OTHER_PROPERTIES = ['blobId', 'size', 'hasAttachment', 'headers']

const PARSE_ARGS = {
  blobIds: p.list(p.string()),
  properties: p.list(p.string()).nullable().defaults(DEFAULT_PROPERTIES),
  ...Email.args.get,
}

export const parseMethod = defineMethod({
  name: 'Email/parse',
  capability: MAIL,
  accounts: 'mailbox',
  scope: 'messages:read',
  writes: false,
  weight: 'much',
  args: PARSE_ARGS,
  run: runParse,
})

async function runParse(method: MethodContext, args: ArgumentsOf<typeof PARSE_ARGS>) {
  const properties = args.properties ?? DEFAULT_PROPERTIES
  for (const name of properties) {
    if (!isKnown(name)) throw invalidArguments(`Email/parse has no property '${quote(name)}'.`, ['properties'])
  }
  checkGetArguments(args)
  const blobs = await openAll(method, args.blobIds)
  const parsed: { [blobId: string]: JsonObject } = {}
  const notParsable: string[] = []
  const notFound: string[] = []
  const turns = new Turns()
  for (const [blobId, blob] of blobs) {
    if (!blob) notFound.push(blobId)
    else {
      method.request.guard.check()
      const email = await parseBlob(method, blob, properties, args, turns)
      if (email) setOwn(parsed, blobId, email)
      else notParsable.push(blobId)
    }
  }
  return {
    accountId: method.account.id,
    parsed: blobs.size > notParsable.length + notFound.length ? parsed : null,
    notParsable: notParsable.length > 0 ? notParsable : null,
    notFound: notFound.length > 0 ? notFound : null,
  }
}

function isOfHeader(name: string): boolean {
  return name === 'headers' || acceptsHeaderProperty(name)
}

function isKnown(name: string): boolean {
  return (
    isPacked(name) ||
    isBodyProperty(name) ||
    NULL_PROPERTIES.includes(name) ||
    OTHER_PROPERTIES.includes(name) ||
    acceptsHeaderProperty(name)
  )
}

/** By the given id, each once. @throws MethodError requestTooLarge */
async function openAll(method: MethodContext, ids: readonly string[]): Promise<Map<string, OpenBlob | null>> {
  const { maxObjectsInGet } = method.services.limits
  if (ids.length > maxObjectsInGet) throw new MethodError('requestTooLarge', `At most ${maxObjectsInGet} blobs.`)
  const blobs = new Map<string, OpenBlob | null>()
  let bytes = 0
  for (const given of new Set(ids)) {
    const id = method.resolveId(given)
    const { principal } = method.request
    const blob = await openBlob(method.services, principal.credential, method.account.number, id)
    bytes += blob?.size ?? 0
    if (bytes > EMAIL_PARSE_MAX_BYTES) throw new MethodError('requestTooLarge', 'The blobs are too large together.')
    blobs.set(id, blob)
  }
  return blobs
}

/** null: not a message. */
async function parseBlob(
  method: MethodContext,
  blob: OpenBlob,
  properties: readonly string[],
  bodies: BodyRequest,
  turns: Turns,
): Promise<JsonObject | null> {
  const read = await readMessage(blob)
  if ('fault' in read) return null
  const { parsed, message: bytes } = await method.services.messageWork.parseLent(read.bytes)
  const message = new ParsedView(method, blob, bytes, parsed.structure)
  try {
    return await present(message, parsed, properties, bodies, turns)
  } finally {
    freeWhole(bytes)
  }
}

async function present(
  message: ParsedView,
  parsed: ParsedMessage,
  properties: readonly string[],
  bodies: BodyRequest,
  turns: Turns,
): Promise<JsonObject> {
  const email: { [name: string]: Json } = {}
  const own = properties.some(isOfHeader) ? await partFields(message, parsed.structure.parts[0]!) : null
  const lines = packedLines(packProperties(parsed))
  for (const name of properties) {
    if (isPacked(name)) email[name] = JSON.parse(packedText(lines, name)) as Json
    else if (isBodyProperty(name)) email[name] = await bodyProperty(message, name, bodies)
    else if (NULL_PROPERTIES.includes(name)) email[name] = null
    else if (name === 'blobId') email[name] = message.ownId()
    else if (name === 'size') email[name] = parsed.structure.size
    else if (name === 'hasAttachment') email[name] = parsed.structure.hasAttachment
    else setOwn(email, name, own && (name === 'headers' ? rawHeaders(own) : formOf(own.bytes, own.fields, name)))
    await turns.rest()
  }
  return email
}

/** A message that is whole in memory. */
class ParsedView implements MessageView {
  readonly #method: MethodContext
  readonly #blob: OpenBlob
  readonly #bytes: Uint8Array
  readonly #structure: MessageStructure

  constructor(method: MethodContext, blob: OpenBlob, bytes: Uint8Array, structure: MessageStructure) {
    this.#method = method
    this.#blob = blob
    this.#bytes = bytes
    this.#structure = structure
  }

  async structure(): Promise<MessageStructure> {
    return this.#structure
  }

  async range(start: number, end: number): Promise<Uint8Array> {
    return this.#bytes.subarray(start, end)
  }

  blobId(part: number): string {
    return this.#id([...this.#blob.path, part])
  }

  ownId(): string {
    return this.#id(this.#blob.path)
  }

  #id(path: readonly number[]): string {
    const { services, account } = this.#method
    return services.ids.encode(BLOB_ID, account.number, this.#blob.number, path)
  }
}
