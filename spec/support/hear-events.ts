/** Events are only written for webhooks that want them. This helper creates one that wants all, for tests that read events. */
import { EVENT_TYPES } from '../../jmap/events/event-types.ts'
import type { Result, TestCore } from './core.ts'

/** @returns its id */
export async function hearEvents(
  { request, organization }: Pick<TestCore, 'request' | 'organization'>,
  accountId = organization.accountId,
): Promise<string> {
  const create = { w: { url: 'https://hooks.example.org/', events: EVENT_TYPES } }
  const [answer] = await request([['Webhook/set', { accountId, create }]])
  return (answer as Result)[1].created.w.id
}
