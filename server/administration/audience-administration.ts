/** Audiences for the command line: JMAP calls by the system principal. */
import type { Audience } from '../../jmap/newsletters/audience/audience.type.ts'
import {
  type AddOutcome,
  SubscriberAdd,
  type SubscriberObject,
} from '../../jmap/newsletters/subscriber/subscriber.type.ts'
import type { Core } from '../../jmap/services.ts'
import type { ObjectOf } from '../../jmap/type/derived.ts'
import type { GetResponse, QueryResponse } from '../../jmap/type/responses.ts'
import { AUDIENCE_EXPORT_PAGE } from '../base/audience-limits.ts'
import { Failure } from '../base/errors.ts'
import type { JsonObject } from '../base/json.ts'
import { callAsSystem, callMethod } from './system-call.ts'

export class AudienceAdministration {
  readonly #core: Pick<Core, 'process'>
  readonly #organization: string

  constructor(core: Pick<Core, 'process'>, organization: string) {
    this.#core = core
    this.#organization = organization
  }

  /** @throws Failure `configuration`: there is none with this id */
  async find(id: string): Promise<ObjectOf<typeof Audience>> {
    const { list } = await this.#call<GetResponse<ObjectOf<typeof Audience>>>('Audience/get', { ids: [id] })
    const [audience] = list
    if (!audience) throw new Failure('configuration', `there is no audience ${id}`)
    return audience
  }

  async add(
    audienceId: string,
    subscribers: readonly JsonObject[],
  ): Promise<readonly { readonly email: string; readonly outcome: AddOutcome }[]> {
    const args = { accountId: this.#organization, audienceId, subscribers }
    return (await callMethod(this.#core, SubscriberAdd, args)).results
  }

  /** The next subscribers before the one with an id, newest first. */
  async page(audienceId: string, before: string | null): Promise<readonly SubscriberObject[]> {
    const filter = { audienceId, ...(before !== null && { beforeId: before }) }
    const { ids } = await this.#call<QueryResponse>('Subscriber/query', { filter, limit: AUDIENCE_EXPORT_PAGE })
    if (ids.length === 0) return []
    const { list } = await this.#call<GetResponse<SubscriberObject>>('Subscriber/get', { ids })
    const byId = new Map(list.map((subscriber) => [subscriber.id, subscriber]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }

  #call<A>(method: string, args: JsonObject): Promise<A> {
    return callAsSystem<A>(this.#core, this.#organization, method, args)
  }
}
