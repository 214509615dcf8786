/** The requests of the read benchmark, with their bounds and a peer's figures in ms of server CPU. */
import { ask, type HttpRequest } from './http-load.ts'
import type { Ready } from './posthouse.ts'

export interface Figure {
  readonly name: string
  readonly request: HttpRequest
  readonly bound?: number
  readonly peer?: number
}

type Call = [name: string, args: object, callId: string]

const LIST = [
  'id',
  'blobId',
  'threadId',
  'mailboxIds',
  'keywords',
  'size',
  'receivedAt',
  'from',
  'to',
  'subject',
  'preview',
  'hasAttachment',
]

export async function readFigures(server: Ready): Promise<Figure[]> {
  const accountId = server.mailbox.id
  const { jmap, answer } = clientOf(server)
  const inMailbox = await inbox(server)
  const search = (text: string): Call => ['Email/query', { accountId, filter: { text }, limit: 50 }, '0']
  const [id] = (await answer(search('harbour')))['ids'] as string[]
  const sinceState = (await answer(['Email/get', { accountId, ids: [] }, '0']))['state']
  const sort = [{ property: 'receivedAt', isAscending: false }]
  const page = (more: object): Call[] => [
    ['Email/query', { accountId, filter: { inMailbox }, sort, limit: 50, ...more }, '0'],
    ['Email/get', { accountId, '#ids': { resultOf: '0', name: 'Email/query', path: '/ids' }, properties: LIST }, '1'],
  ]
  const rest = (path: string) => restRequest(server, `/mailboxes/${accountId}${path}`)
  return [
    { name: 'JMAP inbox page of 50', request: jmap(...page({})), bound: 0.8, peer: 8.5 },
    {
      name: 'JMAP page of 50, threads collapsed, with total',
      request: jmap(...page({ collapseThreads: true, calculateTotal: true })),
      bound: 1.2,
    },
    {
      name: 'JMAP one full message',
      request: jmap(['Email/get', { accountId, ids: [id], fetchAllBodyValues: true }, '0']),
      bound: 0.5,
      peer: 1.7,
    },
    { name: 'JMAP text search', request: jmap(search('harbour 4711')), bound: 1.5, peer: 8.9 },
    { name: 'JMAP text search, a word in every message', request: jmap(search('harbour')) },
    { name: 'JMAP Mailbox/get', request: jmap(['Mailbox/get', { accountId, ids: null }, '0']), bound: 0.15, peer: 1.6 },
    {
      name: 'JMAP Email/changes without changes',
      request: jmap(['Email/changes', { accountId, sinceState }, '0']),
      bound: 0.15,
      peer: 3.5,
    },
    { name: 'JMAP Core/echo', request: jmap(['Core/echo', {}, '0']) },
    { name: 'REST inbox page of 50', request: rest('/inbox/messages?limit=50&folder_role=inbox') },
    {
      name: 'REST inbox page of 50 without bodies',
      request: rest('/inbox/messages?limit=50&folder_role=inbox&body=false'),
    },
    { name: 'REST one message', request: rest(`/inbox/messages/${id}`) },
    { name: 'REST mailbox', request: rest('') },
    { name: 'HTTP alone', request: { url: `${server.http}/healthz`, method: 'GET', headers: {} } },
  ]
}

/** Messages in the inbox. */
export async function messageCount(server: Ready): Promise<number> {
  const { answer } = clientOf(server)
  const got = await answer(['Mailbox/get', { accountId: server.mailbox.id, ids: [await inbox(server)] }, '0'])
  return (got['list'] as { totalEmails: number }[])[0]!.totalEmails
}

async function inbox(server: Ready): Promise<string> {
  const args = { accountId: server.mailbox.id, filter: { role: 'inbox' } }
  return ((await clientOf(server).answer(['Mailbox/query', args, '0']))['ids'] as string[])[0]!
}

function headersOf(server: Ready): Record<string, string> {
  return { authorization: `Bearer ${server.api_key}`, 'content-type': 'application/json' }
}

function clientOf(server: Ready) {
  const jmap = (...methodCalls: Call[]): HttpRequest => ({
    url: `${server.http}/jmap/api`,
    method: 'POST',
    headers: headersOf(server),
    body: JSON.stringify({ using: ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail'], methodCalls }),
  })
  return {
    jmap,
    answer: async (call: Call): Promise<Record<string, unknown>> =>
      JSON.parse(await ask(undefined, jmap(call))).methodResponses[0][1],
  }
}

function restRequest(server: Ready, path: string): HttpRequest {
  return { url: `${server.http}/api/v1${path}`, method: 'GET', headers: headersOf(server) }
}
