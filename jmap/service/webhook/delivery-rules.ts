/** Rules of WebhookDelivery: the record of what webhooks were told. Clients only read it. */
import type { Reader } from '../../../storage/ports.ts'
import { findEvent } from '../../../storage/repos/events.ts'
import {
  countDeliveries,
  type DeliveryQuery,
  findDeliveries,
  selectDeliveries,
} from '../../../storage/repos/webhook-delivery-query.ts'
import type { WebhookDeliveryTable } from '../../../storage/schema/webhook-delivery.ts'
import type { MethodContext } from '../../context.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { formatUTCDate } from '../../protocol/primitives.ts'
import { passesFilter } from '../../type/filter.ts'
import { pick } from '../../type/methods/get.ts'
import { listResult } from '../../type/object-rules.ts'
import type { QueryRequest, QueryResult, ReadContext, Rules } from '../../type/rules.ts'
import { envelopeOf, eventIdOf } from './envelope.ts'
import { mayKnowWebhooks } from './stored.ts'

const ALL = Number.MAX_SAFE_INTEGER

export const deliveryRules: Rules = {
  mayKnow: (method) => mayKnow(method),

  all: ({ method, reader }, limit) =>
    mayKnow(method) ? selectDeliveries(reader, everyOne(method, true), 0, limit) : Promise.resolve([]),

  async load({ method, reader }, { numbers, properties }) {
    const rows = mayKnow(method) ? await findDeliveries(reader, method.account.number, numbers) : []
    const withBody = properties.includes('requestBody')
    const objects = new Map<number, JsonObject>()
    for (const row of rows) {
      const requestBody = withBody ? await bodyOf(method, reader, row) : null
      objects.set(row.id, pick({ ...present(method, row), requestBody }, properties))
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

function present(method: MethodContext, row: WebhookDeliveryTable & { readonly id: number }): JsonObject {
  return {
    id: method.id('WebhookDelivery', row.id),
    webhookId: method.id('Webhook', row.webhook),
    eventId: eventIdOf(method.services.ids, row),
    eventType: row.type,
    status: row.status,
    attempts: row.attempts,
    lastStatusCode: row.last_status,
    lastError: row.last_error,
    nextAttemptAt: row.due_at === null ? null : formatUTCDate(row.due_at),
    createdAt: formatUTCDate(row.created_at),
    deliveredAt: row.delivered_at === null ? null : formatUTCDate(row.delivered_at),
    responseBody: row.answer,
  }
}

async function bodyOf({ services }: MethodContext, reader: Reader, row: WebhookDeliveryTable): Promise<string | null> {
  const { organization, event_account: account, event: number } = row
  const event = await findEvent(reader, { organization, account, number })
  return event && envelopeOf(services.ids, event)
}

async function queryDeliveries({ method, reader }: ReadContext, { filter, sort }: QueryRequest): Promise<QueryResult> {
  if (!mayKnow(method)) return listResult([])
  const oldestFirst = sort[0]?.isAscending ?? false
  // Clients ask by webhook, status, type or place; AND, OR and NOT walk the list.
  if (filter !== null && Object.hasOwn(filter as JsonObject, 'operator')) {
    const every = await selectDeliveries(reader, everyOne(method, oldestFirst), 0, ALL)
    const rows = new Map((await findDeliveries(reader, method.account.number, every)).map((row) => [row.id, row]))
    const matches = (number: number) =>
      passesFilter(filter, (name, value) => holds(method, rows.get(number)!, name, value as string))
    return listResult(every.filter((number) => rows.has(number) && matches(number)))
  }
  const { webhookId, status, eventType, beforeId } = (filter ?? {}) as { readonly [name: string]: string | undefined }
  const query: DeliveryQuery = {
    ...everyOne(method, oldestFirst),
    ...(webhookId !== undefined && { webhook: method.number('Webhook', webhookId) ?? 0 }),
    ...(status !== undefined && { status }),
    ...(eventType !== undefined && { type: eventType }),
    ...(beforeId !== undefined && { before: method.number('WebhookDelivery', beforeId) ?? 0 }),
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

function holds(
  method: MethodContext,
  row: WebhookDeliveryTable & { readonly id: number },
  name: string,
  value: string,
): boolean {
  if (name === 'status') return row.status === value
  if (name === 'eventType') return row.type === value
  if (name === 'webhookId') return row.webhook === method.number('Webhook', value)
  return row.id < (method.number('WebhookDelivery', value) ?? 0)
}
