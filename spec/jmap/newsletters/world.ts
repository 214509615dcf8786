/** An organization with audiences, for tests of subscribers. */
import { Subscriber } from '../../../jmap/newsletters/subscriber/subscriber.type.ts'
import type { JsonObject } from '../../../server/base/json.ts'
import type { Result, TestCore } from '../../support/core.ts'

export interface Audiences {
  call(name: string, args?: JsonObject): Promise<Result>
  /** Id of a new audience. */
  audience(name?: string): Promise<string>
  /** Outcomes of adding addresses, or whole rows. */
  add(audienceId: string, rows: readonly (string | JsonObject)[]): Promise<string[]>
  /** The subscriber with an address. */
  find(audienceId: string, email: string): Promise<Result>
  /** Status by address of all subscribers of an audience. */
  statuses(audienceId: string): Promise<{ readonly [email: string]: string }>
  counts(audienceId: string): Promise<[members: number, subscribed: number]>
}

export function audiencesOf(
  { request, organization }: Pick<TestCore, 'request' | 'organization'>,
  accountId: string = organization.accountId,
): Audiences {
  const call: Audiences['call'] = async (name, args = {}) => (await request([[name, { accountId, ...args }]]))[0]![1]
  const list = async (filter: JsonObject): Promise<Result[]> => {
    const found: Result[] = []
    for (let position = 0; ; position += 500) {
      const { ids } = await call(`${Subscriber.name}/query`, { filter, position, limit: 500 })
      found.push(...(await call(`${Subscriber.name}/get`, { ids })).list)
      if (ids.length < 500) return found
    }
  }
  return {
    call,
    async audience(name = 'News') {
      const create = { a: { name, consentSource: 'Checkbox' } }
      return (await call('Audience/set', { create })).created.a.id
    },
    async add(audienceId, rows) {
      const subscribers = rows.map((row) => (typeof row === 'string' ? { email: row } : row))
      const { results } = await call('Subscriber/add', { audienceId, subscribers })
      return results.map(({ outcome }: Result) => outcome)
    },
    find: async (audienceId, email) => (await list({ audienceId, email }))[0],
    async statuses(audienceId) {
      return Object.fromEntries((await list({ audienceId })).map(({ email, status }) => [email, status]))
    },
    async counts(audienceId) {
      const { memberCount, subscribedCount } = (await call('Audience/get', { ids: [audienceId] })).list[0]
      return [memberCount, subscribedCount]
    },
  }
}
