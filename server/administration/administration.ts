/**
 * The operations of the command line and of dev mode: JMAP calls by the system principal, through the same dispatcher as all calls. A refusal
 * becomes a Failure `configuration` with a message for the terminal.
 */

import type { Calendar } from '../../jmap/calendars/calendar/calendar.type.ts'
import { CalendarEventExport, CalendarEventImport } from '../../jmap/calendars/exchange/exchange.type.ts'
import { ApiKey } from '../../jmap/directory/api-key.type.ts'
import { SCOPES } from '../../jmap/directory/scopes.ts'
import { UsageGet } from '../../jmap/directory/usage.type.ts'
import { MailAccount } from '../../jmap/mail/mail-account/mail-account.type.ts'
import { normaliseAddress, normaliseDomain } from '../../jmap/message/mail-address.ts'
import { Domain, DomainRotateDkim } from '../../jmap/policy/domain/domain.type.ts'
import { Organization } from '../../jmap/policy/organization.type.ts'
import { Reputation } from '../../jmap/policy/reputation/reputation.type.ts'
import type { SetError } from '../../jmap/protocol/set-error.ts'
import type { Core } from '../../jmap/services.ts'
import { SINGLETON_ID, type TypeSpec } from '../../jmap/type/define-type.ts'
import type { ConditionOf, NewOf, ObjectOf } from '../../jmap/type/derived.ts'
import type { AnswerOf } from '../../jmap/type/method-declaration.ts'
import type { GetResponse, QueryResponse, SetResponse } from '../../jmap/type/responses.ts'
import { Failure } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import type { PlanName } from '../base/sending-limits.ts'
import { callAsSystem, callMethod } from './system-call.ts'

export interface OrganizationRef {
  readonly id: string
  readonly name: string
}

/** A DNS record to publish. */
export type RecordRef = Pick<ObjectOf<typeof Domain>['dnsRecords']['records'][number], 'type' | 'host' | 'value'>
export type KeyRef = ObjectOf<typeof ApiKey>
/** Decision D5. */
export type KeyLimits = Pick<NewOf<typeof ApiKey>, 'mailboxIds' | 'domainIds' | 'allowedIps' | 'expiresAt'>

type AdministeredCore = Pick<Core, 'process' | 'organizations' | 'createOrganization'>

export class Administration {
  readonly #core: AdministeredCore

  constructor(core: AdministeredCore) {
    this.#core = core
  }

  async organizations(): Promise<OrganizationRef[]> {
    return (await this.#core.organizations()).map(({ accountId, name }) => ({ id: accountId, name }))
  }

  async createOrganization(name: string): Promise<OrganizationRef> {
    return { id: (await this.#core.createOrganization(name)).accountId, name }
  }

  /** @param name in any case; internationalised names too */
  async findDomain(organization: string, name: string): Promise<ObjectOf<typeof Domain> | null> {
    return (await this.#find(organization, Domain, { name: normaliseDomain(name) ?? name.toLowerCase() }))[0] ?? null
  }

  async createDomain(organization: string, name: string): Promise<ObjectOf<typeof Domain>> {
    return this.#getOne(organization, Domain, (await this.#create(organization, Domain, { name })).id)
  }

  /** The records that DNS should have, required and recommended ones. */
  async domainRecords(organization: string, domain: string): Promise<ObjectOf<typeof Domain>['dnsRecords']['records']> {
    const { list } = await this.#call<GetResponse<Pick<ObjectOf<typeof Domain>, 'dnsRecords'>>>(
      organization,
      'Domain/get',
      { ids: [domain], properties: ['dnsRecords'] },
    )
    return list[0]?.dnsRecords.records ?? []
  }

  /** Creates new DKIM keys, unless some wait for their records already. Resolves with the records to publish for them. */
  async rotateDkim(organization: string, domain: string): Promise<RecordRef[]> {
    const args = { ids: [domain] }
    const result = await callMethod(this.#core, DomainRotateDkim, { accountId: organization, ...args })
    throwError('new keys', result.notRotated?.[domain])
    return (await this.domainRecords(organization, domain))
      .filter(({ key }) => /^dkim.*_next$/.test(key))
      .map(({ type, host, value }) => ({ type, host, value }))
  }

  async hasMailbox(organization: string): Promise<boolean> {
    return (await this.#call<QueryResponse>(organization, `${MailAccount.name}/query`, { limit: 1 })).ids.length > 0
  }

  async findMailbox(organization: string, address: string): Promise<ObjectOf<typeof MailAccount> | null> {
    const normal = normaliseAddress(address) ?? address.toLowerCase()
    return (await this.#find(organization, MailAccount, { address: normal }))[0] ?? null
  }

  async createMailbox(
    organization: string,
    domainId: string,
    localPart: string,
    displayName: string | null,
    password: string,
  ): Promise<ObjectOf<typeof MailAccount>> {
    const mailbox = { domainId, localPart, displayName, password }
    return this.#getOne(organization, MailAccount, (await this.#create(organization, MailAccount, mailbox)).id)
  }

  /** The calendar of a mailbox with that name. @throws Failure `configuration` if there is none */
  async findCalendar(mailbox: string, name: string): Promise<string> {
    const { list } = await this.#call<GetResponse<ObjectOf<typeof Calendar>>>(mailbox, 'Calendar/get', { ids: null })
    const found = list.find((calendar) => calendar.name === name)
    if (found) return found.id
    const names = list.map((calendar) => `"${calendar.name}"`).join(', ')
    throw new Failure('configuration', `there is no calendar "${name}"; there are: ${names}`)
  }

  /** @param calendarId null: the default calendar */
  importCalendar(
    mailbox: string,
    calendarId: string | null,
    file: Uint8Array,
  ): Promise<AnswerOf<typeof CalendarEventImport>> {
    const data = { 'data:asBase64': Buffer.from(file).toString('base64') }
    return callMethod(this.#core, CalendarEventImport, { accountId: mailbox, calendarId, ...data })
  }

  /** The iCalendar text, page by page. @param calendarId null: the events of all calendars */
  async *exportCalendar(mailbox: string, calendarId: string | null): AsyncGenerator<string> {
    let after: string | null = null
    do {
      const asked = { accountId: mailbox, calendarId, after }
      const page: AnswerOf<typeof CalendarEventExport> = await callMethod(this.#core, CalendarEventExport, asked)
      yield page.text
      after = page.next
    } while (after !== null)
  }

  async setPassword(organization: string, mailbox: string, password: string): Promise<void> {
    await this.#update(organization, MailAccount, mailbox, { password }, 'the password')
  }

  async keys(organization: string): Promise<readonly KeyRef[]> {
    return this.#find(organization, ApiKey, {})
  }

  /** Creates a key, with all scopes by default. Its text is returned here only. */
  async createKey(
    organization: string,
    name: string,
    scopes: readonly string[] = Object.keys(SCOPES),
    limits: KeyLimits = {},
  ): Promise<{ readonly id: string; readonly key: string }> {
    return this.#create<typeof ApiKey, { readonly key: string }>(organization, ApiKey, { name, scopes, ...limits })
  }

  async revokeKey(organization: string, id: string): Promise<void> {
    const { notDestroyed } = await this.#set(organization, ApiKey, { destroy: [id] })
    const error = notDestroyed?.[id]
    if (error?.type === 'notFound') throw new Failure('configuration', `there is no key ${id}`)
    throwError(`the key ${id}`, error)
  }

  usage(organization: string): Promise<AnswerOf<typeof UsageGet>> {
    return callMethod(this.#core, UsageGet, { accountId: organization })
  }

  /** @param trialEndsAt as a UTCDate; null: no trial */
  async subscribe(organization: string, plan: PlanName | null, trialEndsAt: string | null): Promise<void> {
    await this.#update(organization, Organization, organization, { plan, trialEndsAt }, 'the plan')
  }

  reputation(organization: string): Promise<ObjectOf<typeof Reputation>> {
    return this.#getOne(organization, Reputation, SINGLETON_ID)
  }

  /** Lets a suspension end early (decision D26). */
  async releaseSending(organization: string): Promise<void> {
    await this.#update(organization, Reputation, SINGLETON_ID, { isReleased: true }, 'the release')
  }

  async #find<D extends TypeSpec>(organization: string, type: D, filter: ConditionOf<D> & JsonObject) {
    const { ids } = await this.#call<QueryResponse>(organization, `${type.name}/query`, { filter })
    return this.#get(organization, type, ids)
  }

  async #get<D extends TypeSpec>(organization: string, { name }: D, ids: readonly string[]) {
    return (await this.#call<GetResponse<ObjectOf<D>>>(organization, `${name}/get`, { ids })).list
  }

  async #getOne<D extends TypeSpec>(organization: string, type: D, id: string): Promise<ObjectOf<D>> {
    const [object] = await this.#get(organization, type, [id])
    if (!object) throw new Failure('storageUnavailable', `${type.name} ${id} is gone`)
    return object
  }

  /** @template Once properties that only the response to the creation has */
  async #create<D extends TypeSpec, Once = unknown>(organization: string, type: D, object: NewOf<D> & JsonObject) {
    const { created, notCreated } = await this.#set<D, Once>(organization, type, { create: { it: object } })
    throwError(WORDS[type.name] ?? type.name, notCreated?.['it'])
    return created!['it']! as { readonly id: string } & Once
  }

  async #update<D extends TypeSpec>(
    organization: string,
    type: D,
    id: string,
    patch: Partial<NewOf<D>> & JsonObject,
    what: string,
  ): Promise<void> {
    const { notUpdated } = await this.#set(organization, type, { update: { [id]: patch } })
    throwError(what, notUpdated?.[id])
  }

  #set<D extends TypeSpec, Once = unknown>(organization: string, { name }: D, args: JsonObject) {
    return this.#call<SetResponse<ObjectOf<D> & Once>>(organization, `${name}/set`, args)
  }

  #call<A>(accountId: string, method: string, args: JsonObject): Promise<A> {
    return callAsSystem<A>(this.#core, accountId, method, args)
  }
}

const WORDS: { readonly [type: string]: string } = {
  Domain: 'the domain',
  MailAccount: 'the mailbox',
  ApiKey: 'the key',
}

/** @throws Failure configuration */
function throwError(what: string, error: SetError | undefined): void {
  if (error) throw new Failure('configuration', `${what} was refused: ${error.description ?? error.type}`)
}
