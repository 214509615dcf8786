/**
 * The mail of one account over JMAP (RFC 8620, RFC 8621), as a client of any server sees it: mailboxes, emails, blobs. Only what moving mail
 * needs.
 */
import { isObject } from '../../../jmap/protocol/json-object.ts'
import { Failure } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import { TRANSFER_BATCH } from '../../base/transfer-limits.ts'
import { ask, askJson } from './http.ts'

const CORE = 'urn:ietf:params:jmap:core'
const MAIL = 'urn:ietf:params:jmap:mail'

interface Session {
  readonly apiUrl: string
  readonly uploadUrl: string
  readonly downloadUrl: string
  readonly accounts: { readonly [id: string]: { readonly name: string } }
  readonly primaryAccounts: { readonly [capability: string]: string }
}

export interface JmapMailbox {
  readonly id: string
  readonly name: string
  readonly parentId: string | null
  readonly role: string | null
  readonly totalEmails: number
}

export interface JmapEmail {
  readonly id: string
  readonly blobId: string
  readonly mailboxIds: { readonly [id: string]: true }
  readonly keywords: { readonly [name: string]: true }
  readonly receivedAt: string
  readonly size: number
}

export interface NewEmail {
  readonly blobId: string
  readonly mailboxIds: { readonly [id: string]: true }
  readonly keywords: { readonly [name: string]: true }
  readonly receivedAt: string | null
}

const EMAIL_PROPERTIES = ['id', 'blobId', 'mailboxIds', 'keywords', 'receivedAt', 'size']

export class JmapAccount {
  readonly #session: Session
  readonly id: string
  readonly #authorization: string

  private constructor(session: Session, accountId: string, authorization: string) {
    this.#session = session
    this.id = accountId
    this.#authorization = authorization
  }

  /**
   * @param server base URL; the session is at its `/.well-known/jmap` (RFC 8620 2.2)
   * @param authorization the field's value
   * @param name of the account, such as an address; null: the primary account for mail
   * @throws Failure
   */
  static async open(server: string, authorization: string, name: string | null): Promise<JmapAccount> {
    const url = `${server}/.well-known/jmap`
    // Once: where no server runs, the user knows at once.
    const session = await askJson<unknown>(url, { headers: { authorization } }, 1)
    if (!isSession(session)) throw new Failure('configuration', `${url} has no JMAP session`)
    const id = name === null ? session.primaryAccounts[MAIL] : idOf(session, name)
    if (id === undefined)
      throw new Failure('configuration', `${server} has no account ${name ?? 'for mail'} for this login`)
    const resolved = (address: string) => new URL(address, url).href.replaceAll('%7B', '{').replaceAll('%7D', '}')
    const { apiUrl, uploadUrl, downloadUrl } = session
    const urls = { apiUrl: resolved(apiUrl), uploadUrl: resolved(uploadUrl), downloadUrl: resolved(downloadUrl) }
    return new JmapAccount({ ...session, ...urls }, id, authorization)
  }

  async mailboxes(): Promise<readonly JmapMailbox[]> {
    const { list } = await this.call<{ list: JmapMailbox[] }>('Mailbox/get', { ids: null })
    return list
  }

  async createMailbox(name: string, parentId: string | null): Promise<string> {
    const { created, notCreated } = await this.call<{
      created: { [id: string]: { id: string } } | null
      notCreated: { [id: string]: { type: string; description?: string } } | null
    }>('Mailbox/set', { create: { new: { name, parentId } } })
    const id = created?.['new']?.id
    if (id !== undefined) return id
    const reason = notCreated?.['new']
    throw new Failure('configuration', `the folder ${name} cannot be created: ${reason?.description ?? reason?.type}`)
  }

  /** All emails of a mailbox, or of the account, page by page. Emails that arrive meanwhile may be missing. */
  async *emails(inMailbox: string | null): AsyncGenerator<readonly JmapEmail[]> {
    const filter = inMailbox === null ? null : { inMailbox }
    // By id of the last one: positions shift when emails are removed.
    for (let anchor: string | null = null; ; ) {
      const at: JsonObject = anchor === null ? { position: 0 } : { anchor, anchorOffset: 1 }
      const sort = [{ property: 'receivedAt', isAscending: true }]
      const { ids } = await this.call<{ ids: string[] }>('Email/query', { filter, sort, limit: TRANSFER_BATCH, ...at })
      if (ids.length === 0) return
      const { list } = await this.call<{ list: JmapEmail[] }>('Email/get', { ids, properties: EMAIL_PROPERTIES })
      yield list
      anchor = ids.at(-1)!
    }
  }

  download(blobId: string): Promise<Buffer> {
    const url = filled(this.#session.downloadUrl, {
      accountId: this.id,
      blobId,
      name: 'message.eml',
      type: 'message/rfc822',
    })
    return ask(url, { headers: { authorization: this.#authorization } })
  }

  async upload(octets: Uint8Array): Promise<string> {
    const url = filled(this.#session.uploadUrl, { accountId: this.id })
    const headers = { authorization: this.#authorization, 'content-type': 'message/rfc822' }
    return (await askJson<{ blobId: string }>(url, { method: 'POST', headers, body: octets })).blobId
  }

  /** @returns for each email its id, or why it was refused */
  async importEmails(emails: readonly NewEmail[]): Promise<({ readonly id: string } | { readonly reason: string })[]> {
    const named = Object.fromEntries(emails.map((email, i) => [`e${i}`, email as unknown as JsonObject]))
    const { created, notCreated } = await this.call<{
      created: { [id: string]: { id: string } } | null
      notCreated: { [id: string]: { type: string; description?: string; existingId?: string } } | null
    }>('Email/import', { emails: named })
    return emails.map((_, i) => {
      const [done, refused] = [created?.[`e${i}`], notCreated?.[`e${i}`]]
      if (done) return { id: done.id }
      // RFC 8621 4.8: a server may refuse a second copy.
      if (refused?.type === 'alreadyExists' && refused.existingId !== undefined) return { id: refused.existingId }
      return { reason: refused?.description ?? refused?.type ?? 'not created' }
    })
  }

  /** Puts an email into more mailboxes. */
  async addToMailboxes(id: string, mailboxIds: readonly string[]): Promise<void> {
    const patch = Object.fromEntries(mailboxIds.map((mailboxId) => [`mailboxIds/${mailboxId}`, true]))
    await this.call('Email/set', { update: { [id]: patch } })
  }

  /** @throws Failure */
  async call<T>(name: string, args: JsonObject): Promise<T> {
    const methodCalls = [[name, { accountId: this.id, ...args }, '0']]
    const headers = { authorization: this.#authorization, 'content-type': 'application/json' }
    const body = JSON.stringify({ using: [CORE, MAIL], methodCalls })
    type Answer = { methodResponses?: [string, JsonObject, string][] }
    const { methodResponses = [] } = await askJson<Answer>(this.#session.apiUrl, { method: 'POST', headers, body })
    const [answered, result] = methodResponses[0] ?? ['error', { type: 'no answer' } as JsonObject]
    if (answered === name) return result as T
    throw new Failure('configuration', `${name} failed: ${String(result['description'] ?? result['type'])}`)
  }
}

/** RFC 8620 2: what is used of it. */
function isSession(value: unknown): value is Session {
  if (!isObject(value) || !isObject(value['accounts']) || !isObject(value['primaryAccounts'])) return false
  return (
    ['apiUrl', 'uploadUrl', 'downloadUrl'].every((name) => URL.canParse(String(value[name]), 'http://host')) &&
    Object.values(value['accounts']).every((account) => isObject(account) && typeof account['name'] === 'string')
  )
}

function idOf({ accounts }: Session, name: string): string | undefined {
  return Object.entries(accounts).find(([, account]) => account.name.toLowerCase() === name.toLowerCase())?.[0]
}

/** RFC 6570, level 1. */
function filled(template: string, values: { readonly [name: string]: string }): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
}
