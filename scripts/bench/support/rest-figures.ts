/** The requests of the REST benchmark, with their bounds in ms of server CPU. */
import { ask, type HttpRequest } from './http-load.ts'
import type { Ready } from './posthouse.ts'

export interface RestFigure {
  readonly name: string
  readonly request: HttpRequest
  readonly bound?: number
}

const SINGLE_MS = 0.35
const LIST_MS = 1.5

export async function restFigures(server: Ready): Promise<RestFigure[]> {
  const mailbox = `/mailboxes/${server.mailbox.id}`
  const inbox = `${mailbox}/inbox/messages?limit=50&folder_role=inbox`
  const page = JSON.parse(await ask(undefined, get(server, inbox))) as { data: { id: string; thread_id: string }[] }
  const { id, thread_id: thread } = page.data[0]!
  const figure = (name: string, path: string, bound?: number): RestFigure => {
    return { name, request: get(server, path), ...(bound !== undefined && { bound }) }
  }
  return [
    figure('status', '/status'),
    figure('inbox page of 50', inbox, LIST_MS),
    figure('inbox page of 50 without bodies', `${inbox}&body=false`),
    figure('inbox message', `${mailbox}/inbox/messages/${id}`, SINGLE_MS),
    figure('message', `/messages/${id}`, SINGLE_MS),
    figure('mailbox', mailbox, SINGLE_MS),
    figure('domain', `/domains/${server.domain.id}`, SINGLE_MS),
    figure('thread', `/threads/${thread}`, SINGLE_MS),
    figure('inbox thread', `${mailbox}/inbox/threads/${thread}`, SINGLE_MS),
    figure('folders', `${mailbox}/folders`, SINGLE_MS),
    figure('threads page of 50', `/threads?mailbox_id=${server.mailbox.id}`),
  ]
}

/** Messages to send: at once, and scheduled, which leaves the delivery out of the figure. */
export function sendFigures(server: Ready): RestFigure[] {
  const message = {
    from: server.mailbox.address,
    to: 'jane@example.org',
    subject: 'Your order',
    text: 'Thank you for your order.\n'.repeat(40),
    html: `<p>${'Thank you for your order. '.repeat(40)}</p>`,
  }
  const later = new Date(Date.now() + 86_400_000).toISOString()
  const tomorrow = post(server, '/messages', { ...message, scheduled_at: later })
  return [
    { name: 'POST messages, sent at once', request: post(server, '/messages', message) },
    { name: 'POST messages, for tomorrow', request: tomorrow },
    { name: 'POST messages, for tomorrow, with a key', request: { ...tomorrow, fresh: 'idempotency-key' } },
  ]
}

function get(server: Ready, path: string): HttpRequest {
  return { url: `${server.http}/api/v1${path}`, method: 'GET', headers: { authorization: `Bearer ${server.api_key}` } }
}

function post(server: Ready, path: string, body: object): HttpRequest {
  const headers = { authorization: `Bearer ${server.api_key}`, 'content-type': 'application/json' }
  return { url: `${server.http}/api/v1${path}`, method: 'POST', headers, body: JSON.stringify(body) }
}
