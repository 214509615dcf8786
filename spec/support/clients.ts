/** Clients of a running server, for journeys: REST, JMAP, and mail handed in over SMTP. */
import { createTransport } from 'nodemailer'
import type { Invocation } from '../../jmap/protocol/messages.ts'
import { type ApiClient, createClient } from '../../rest/client/client.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { type Result, USING } from './core.ts'
import type { Ready } from './posthouse.ts'

/** It waits for no rate limit. */
export function restClient({ http, api_key }: Ready): ApiClient {
  return createClient({ baseUrl: `${http}/api`, key: api_key, longestWait: 0 })
}

/** One request with the API key; the arguments of each response, in order. */
export async function jmapCalls(
  { http, api_key }: Ready,
  calls: readonly [name: string, args: JsonObject][],
): Promise<Result[]> {
  const methodCalls = calls.map(([name, args], i): Invocation => [name, args, String(i)])
  const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ using: USING, methodCalls })
  const response = await fetch(`${http}/jmap/api`, { method: 'POST', headers, body })
  const { methodResponses } = (await response.json()) as { methodResponses: [string, Result, string][] }
  return methodResponses.map(([, args]) => args)
}

/** Sends a plain message from ada@example.org to the mailbox of the server. */
export async function sendPlain({ smtp, mailbox }: Ready, subject: string, text: string): Promise<void> {
  const transport = createTransport({ host: smtp.host, port: smtp.port, tls: { rejectUnauthorized: false } })
  await transport.sendMail({ from: 'ada@example.org', to: mailbox.address, subject, text })
  transport.close()
}

/** Asks again after each state change that the server pushes, until there is an answer. */
export async function untilAnswered<T>({ http, api_key }: Ready, ask: () => Promise<T | undefined>): Promise<T> {
  const headers = { authorization: `Bearer ${api_key}` }
  for (;;) {
    const change = await fetch(`${http}/jmap/eventsource?types=*&closeafter=state&ping=0`, { headers })
    const answer = await ask()
    if (answer === undefined) await change.text()
    else {
      await change.body?.cancel()
      return answer
    }
  }
}
