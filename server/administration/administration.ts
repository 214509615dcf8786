/**
 * The operations of the command line and of dev mode: JMAP calls by the system principal, through the same dispatcher as all calls. A refusal
 * becomes a Failure `configuration` with a message for the terminal.
 */
import { randomInt } from 'node:crypto'
import { SERVICE } from '../../jmap/capabilities.ts'
import type { JsonObject } from '../../jmap/protocol/json.ts'
import { SCOPE_NAMES } from '../../jmap/service/scopes.ts'
import type { Core } from '../../jmap/services.ts'
import { Failure } from '../base/errors.ts'
import { SYSTEM } from '../base/principal.ts'
import type { PlanName } from '../base/sending-limits.ts'

export interface OrganizationRef {
  readonly id: string
  readonly name: string
}

export interface DomainRef {
  readonly id: string
  readonly name: string
  readonly status: string
}

/** A DNS record to write. */
export interface RecordRef {
  readonly type: string
  readonly host: string
  readonly value: string
}

export interface MailboxRef {
  readonly id: string
  readonly address: string
}

export interface KeyRef {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly scopes: readonly string[]
  readonly mailboxIds: readonly string[] | null
  readonly domainIds: readonly string[] | null
  readonly allowedIps: readonly string[] | null
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

/** Decision D5 */
export interface KeyLimits extends JsonObject {
  readonly mailboxIds?: readonly string[]
  readonly domainIds?: readonly string[]
  readonly allowedIps?: readonly string[]
  /** A UTCDate. */
  readonly expiresAt?: string
}

interface UsedPart {
  readonly used: number
  readonly limit: number | null
}

export interface UsageRef {
  readonly plan: string
  readonly trialEndsAt: string | null
  readonly periodStart: string
  readonly periodEnd: string
  readonly sends: UsedPart
  readonly mailboxes: UsedPart
  readonly aliases: UsedPart
}

export interface ReputationRef {
  readonly status: string
  readonly since: string | null
  readonly isReleased: boolean
  /** Recipients within the window, and rates from 0 to 1; null: too few recipients. */
  readonly recipients: number
  readonly bounceRate: number | null
  readonly complaintRate: number | null
}

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

  async findDomain(organization: string, name: string): Promise<DomainRef | null> {
    const [domain] = await this.#find(organization, 'Domain', { name })
    return domain ? (domain as unknown as DomainRef) : null
  }

  async createDomain(organization: string, name: string): Promise<DomainRef> {
    const { id } = await this.#create(organization, 'Domain', { name })
    const [domain] = await this.#get(organization, 'Domain', [id as string])
    return domain as unknown as DomainRef
  }

  /** Creates new DKIM keys, unless some wait for their records already. Resolves with the records to publish for them. */
  async rotateDkim(organization: string, domain: string): Promise<RecordRef[]> {
    const result = await this.#call(organization, 'Domain/rotateDkim', { ids: [domain] })
    const error = (result['notRotated'] as JsonObject | null)?.[domain]
    if (error) throw refusal('new keys', error as JsonObject)
    const properties = ['dnsRecords']
    const { list } = await this.#call(organization, 'Domain/get', { ids: [domain], properties })
    const { records } = (list as unknown as readonly { dnsRecords: { records: (RecordRef & { key: string })[] } }[])[0]!
      .dnsRecords
    return records
      .filter(({ key }) => /^dkim.*_next$/.test(key))
      .map(({ type, host, value }) => ({ type, host, value }))
  }

  async findMailbox(organization: string, address: string): Promise<MailboxRef | null> {
    const [mailbox] = await this.#find(organization, 'MailAccount', { address: address.toLowerCase() })
    return mailbox ? (mailbox as unknown as MailboxRef) : null
  }

  async createMailbox(
    organization: string,
    domainId: string,
    localPart: string,
    displayName: string | null,
    password: string,
  ): Promise<MailboxRef> {
    const { id } = await this.#create(organization, 'MailAccount', { domainId, localPart, displayName, password })
    const [mailbox] = await this.#get(organization, 'MailAccount', [id as string])
    return mailbox as unknown as MailboxRef
  }

  async setPassword(organization: string, mailbox: string, password: string): Promise<void> {
    const result = await this.#call(organization, 'MailAccount/set', { update: { [mailbox]: { password } } })
    const error = (result['notUpdated'] as JsonObject | null)?.[mailbox]
    if (error) throw refusal('the password', error as JsonObject)
  }

  async keys(organization: string): Promise<KeyRef[]> {
    return (await this.#find(organization, 'ApiKey', {})) as unknown as KeyRef[]
  }

  /** Creates a key, with all scopes by default. Its text is returned here only. */
  async createKey(
    organization: string,
    name: string,
    scopes: readonly string[] = SCOPE_NAMES,
    limits: KeyLimits = {},
  ): Promise<{ readonly id: string; readonly key: string }> {
    const { id, key } = await this.#create(organization, 'ApiKey', { name, scopes, ...limits })
    return { id: id as string, key: key as string }
  }

  async revokeKey(organization: string, id: string): Promise<void> {
    const result = await this.#call(organization, 'ApiKey/set', { destroy: [id] })
    const error = (result['notDestroyed'] as JsonObject | null)?.[id]
    if (error) throw refusal(`the key ${id}`, error as JsonObject)
  }

  async usage(organization: string): Promise<UsageRef> {
    return (await this.#call(organization, 'Usage/get', {})) as unknown as UsageRef
  }

  /** @param trialEndsAt as a UTCDate; null: no trial */
  async subscribe(organization: string, plan: PlanName | null, trialEndsAt: string | null): Promise<void> {
    const update = { [organization]: { plan, trialEndsAt } }
    const result = await this.#call(organization, 'Organization/set', { update })
    const error = (result['notUpdated'] as JsonObject | null)?.[organization]
    if (error) throw refusal('the plan', error as JsonObject)
  }

  async reputation(organization: string): Promise<ReputationRef> {
    const [reputation] = await this.#get(organization, 'Reputation', ['singleton'])
    return reputation as unknown as ReputationRef
  }

  /** Lets a suspension end early (decision D26). */
  async releaseSending(organization: string): Promise<void> {
    const result = await this.#call(organization, 'Reputation/set', { update: { singleton: { isReleased: true } } })
    const error = (result['notUpdated'] as JsonObject | null)?.['singleton']
    if (error) throw refusal('the release', error as JsonObject)
  }

  async #find(organization: string, type: string, filter: JsonObject): Promise<readonly JsonObject[]> {
    const { ids } = await this.#call(organization, `${type}/query`, { filter })
    return this.#get(organization, type, ids as readonly string[])
  }

  async #get(organization: string, type: string, ids: readonly string[]): Promise<readonly JsonObject[]> {
    return (await this.#call(organization, `${type}/get`, { ids }))['list'] as readonly JsonObject[]
  }

  async #create(organization: string, type: string, object: JsonObject): Promise<JsonObject> {
    const result = await this.#call(organization, `${type}/set`, { create: { it: object } })
    const made = (result['created'] as JsonObject | null)?.['it']
    if (made) return made as JsonObject
    const what = { Domain: 'the domain', MailAccount: 'the mailbox', ApiKey: 'the key' }[type] ?? type
    throw refusal(what, (result['notCreated'] as JsonObject)['it'] as JsonObject)
  }

  async #call(accountId: string, method: string, args: JsonObject): Promise<JsonObject> {
    const response = await this.#core.process(SYSTEM, {
      using: [SERVICE],
      methodCalls: [[method, { accountId, ...args }, '0']],
    })
    const [name, result] = 'methodResponses' in response ? response.methodResponses[0]! : ['error', response]
    if (name !== 'error') return result as JsonObject
    const { type, description } = result as { type?: string; description?: string }
    throw new Failure('storageUnavailable', `${method} failed: ${description ?? type}`)
  }
}

function refusal(what: string, error: JsonObject): Failure {
  return new Failure('configuration', `${what} was refused: ${error['description'] ?? error['type']}`)
}

const LOWER = 'abcdefghijkmnopqrstuvwxyz'
const UPPER = 'ABCDEFGHJKLMNPQRSTUVWXYZ'
const DIGITS = '23456789'

/** 24 characters (about 140 bits) that need no quoting in a shell, with a letter of each case and a digit. */
export function generatePassword(): string {
  const pick = (letters: string) => letters[randomInt(letters.length)]!
  const all = LOWER + UPPER + DIGITS
  // One password in sixty lacks a kind of character. A new draw keeps every position equally random.
  for (;;) {
    const password = Array.from({ length: 24 }, () => pick(all)).join('')
    if (/[a-z]/.test(password) && /[A-Z]/.test(password) && /[0-9]/.test(password)) return password
  }
}
