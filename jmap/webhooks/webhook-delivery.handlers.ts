/** Handlers of WebhookDelivery, the record of deliveries. Clients only read it. */
import type { JsonObject } from '../../server/base/json.ts'
import type { Reader } from '../../storage/ports.ts'
import { findEvent } from '../../storage/repos/events.ts'
import {
  countDeliveries,
  type DeliveryQuery,
  findDeliveries,
  selectDeliveries,
} from '../../storage/repos/webhook-delivery-query.ts'
import type { WebhookDeliveryTable } from '../../storage/schema/webhook-delivery.ts'
import { formatUTCDate } from '../protocol/primitives.ts'
import type { MethodContext } from '../type/context.ts'
import type { ConditionOf, ObjectOf } from '../type/derived.ts'
import { isOperator, type OfConditions, passesFilter } from '../type/filter.ts'
import type { Handlers, QueryRequest, QueryResult, ReadContext } from '../type/handlers.ts'
import { pick } from '../type/methods/get.ts'
import { listResult } from '../type/object-handlers.ts'
import { envelopeOf, eventIdOf } from './envelope.ts'
import { mayKnowWebhooks } from './stored.ts'
import { Webhook } from './webhook.type.ts'
import { WebhookDelivery } from './webhook-delivery.type.ts'

type Row = WebhookDeliveryTable & { readonly id: number }

const ALL = Number.MAX_SAFE_INTEGER

export const webhookDeliveryHandlers: Handlers<typeof WebhookDelivery> = {
  mayKnow: (method) => mayKnow(method),

  all: ({ method, reader }, limit) =>
    mayKnow(method) ? selectDeliveries(reader, everyOne(method, true), 0, limit) : Promise.resolve([]),

  async load({ method, reader }, { numbers, properties }) {
    const rows = mayKnow(method) ? await findDeliveries(reader, method.account.number, numbers) : []
    const withBody = properties.includes('requestBody')
    const objects = new Map<number, JsonObject>()
    for (const row of rows) {
      const requestBody = withBody ? await bodyOf(method, reader, row) : null
      objects.set(row.id, pick(present(method, row, requestBody), properties))
    }
    return objects
  },

  query: queryDeliveries,
}

function mayKnow({ request }: MethodContext): boolean {
  return mayKnowWebhooks(request.principal)
}

function everyOne(method: MethodContext, oldestFirst: boolean): DeliveryQuery {
  return { organization: method.account.number, oldestFirst }
}

function present(method: MethodContext, row: Row, requestBody: string | null): ObjectOf<typeof WebhookDelivery> {
  return {
    id: method.id(WebhookDelivery, row.id),
    webhookId: method.id(Webhook, row.webhook),
    eventId: eventIdOf(method.services.ids, row),
    eventType: row.type,
    status: row.status,
    attempts: row.attempts,
    lastStatusCode: row.last_status,
    lastError: row.last_error,
    nextAttemptAt: row.due_at === null ? null : formatUTCDate(row.due_at),
    createdAt: formatUTCDate(row.created_at),
    deliveredAt: row.delivered_at === null ? null : formatUTCDate(row.delivered_at),
    requestBody,
    responseBody: row.answer,
  }
}

async function bodyOf({ services }: MethodContext, reader: Reader, row: Row): Promise<string | null> {
  const { organization, event_account: account, event: number } = row
  const event = await findEvent(reader, { organization, account, number })
  return event && envelopeOf(services.ids, event)
}

async function queryDeliveries(
  { method, reader }: ReadContext,
  { filter, sort }: QueryRequest<typeof WebhookDelivery>,
): Promise<QueryResult> {
  if (!mayKnow(method)) return listResult([])
  const oldestFirst = sort[0]?.isAscending ?? false
  // Clients filter by webhook, status, type or position; AND, OR and NOT walk the list.
  if (filter !== null && isOperator(filter)) {
    const every = await selectDeliveries(reader, everyOne(method, oldestFirst), 0, ALL)
    const rows = new Map((await findDeliveries(reader, method.account.number, every)).map((row) => [row.id, row]))
    const ordered = every.flatMap((number) => rows.get(number) ?? [])
    return listResult(ordered.filter((row) => passesFilter(filter, testsOf(method, row))).map(({ id }) => id))
  }
  const { webhookId, status, eventType, beforeId } = filter ?? {}
  const query: DeliveryQuery = {
    ...everyOne(method, oldestFirst),
    ...(webhookId !== undefined && { webhook: method.number(Webhook, webhookId) ?? 0 }),
    ...(status !== undefined && { status }),
    ...(eventType !== undefined && { type: eventType }),
    ...(beforeId !== undefined && { before: method.number(WebhookDelivery, beforeId) ?? 0 }),
  }
  return {
    count: () => countDeliveries(reader, query),
    slice: (position, limit) => selectDeliveries(reader, query, position, limit),
    async indexesOf(numbers) {
      const wanted = new Set(numbers)
      const all = await selectDeliveries(reader, query, 0, ALL)
      return new Map(all.flatMap((id, index) => (wanted.has(id) ? [[id, index] as const] : [])))
    },
  }
}

function testsOf(method: MethodContext, row: Row): OfConditions<ConditionOf<typeof WebhookDelivery>, boolean> {
  return {
    status: (status) => row.status === status,
    eventType: (type) => row.type === type,
    webhookId: (id) => row.webhook === method.number(Webhook, id),
    beforeId: (id) => row.id < (method.number(WebhookDelivery, id) ?? 0),
  }
}
