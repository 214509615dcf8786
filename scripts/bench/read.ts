/**
 * Reading over 10,000 messages in one account, at 16 connections: requests per second and server CPU per request, one line per
 * figure; the figures of a peer (Cyrus 3.6.1, measured on such a machine) stand beside those it has.
 *
 *     node scripts/bench/read.ts [--messages 10000] [--requests 2000]
 */
import { parseArgs } from 'node:util'
import { cpuMs } from './support/cpu.ts'
import { ask, type HttpRequest, runLoad } from './support/http-load.ts'
import { benchMessage } from './support/messages.ts'
import { startPosthouse } from './support/posthouse.ts'
import { sendLoad } from './support/smtp-load.ts'

const { values } = parseArgs({
  options: { messages: { type: 'string', default: '10000' }, requests: { type: 'string', default: '2000' } },
})
const messages = Number(values.messages)
const requests = Number(values.requests)
const CONNECTIONS = 16

const server = await startPosthouse(['--rate-read', '0'])
const { mailbox, http } = server
await sendLoad({ ...server.smtp, connections: 20, messages, recipient: mailbox.address, message: benchMessage })

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
const accountId = mailbox.id
const headers = { authorization: `Bearer ${server.api_key}`, 'content-type': 'application/json' }
const jmap = (...methodCalls: [string, object, string][]): HttpRequest => ({
  url: `${http}/jmap/api`,
  method: 'POST',
  headers,
  body: JSON.stringify({ using: ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail'], methodCalls }),
})
const rest = (path: string): HttpRequest => ({ url: `${http}/api/v1${path}`, method: 'GET', headers })
const answer = async (what: HttpRequest) => JSON.parse(await ask(undefined, what)).methodResponses

const [[, inboxes]] = await answer(jmap(['Mailbox/query', { accountId, filter: { role: 'inbox' } }, '0']))
const inMailbox = inboxes.ids[0] as string
const [[, found]] = await answer(jmap(['Email/query', { accountId, filter: { text: 'harbour' }, limit: 50 }, '0']))
const [[, state]] = await answer(jmap(['Email/get', { accountId, ids: [] }, '0']))
const page = (more: object): [string, object, string][] => [
  [
    'Email/query',
    { accountId, filter: { inMailbox }, sort: [{ property: 'receivedAt', isAscending: false }], limit: 50, ...more },
    '0',
  ],
  ['Email/get', { accountId, '#ids': { resultOf: '0', name: 'Email/query', path: '/ids' }, properties: LIST }, '1'],
]

const figures: [name: string, what: HttpRequest, peer: string][] = [
  ['JMAP inbox page of 50', jmap(...page({})), 'Cyrus 8.5 ms'],
  [
    'JMAP page of 50, threads collapsed, with total',
    jmap(...page({ collapseThreads: true, calculateTotal: true })),
    '',
  ],
  [
    'JMAP one full message',
    jmap(['Email/get', { accountId, ids: [found.ids[0]], fetchAllBodyValues: true }, '0']),
    'Cyrus 1.7 ms',
  ],
  [
    'JMAP text search',
    jmap(['Email/query', { accountId, filter: { text: 'harbour 4711' }, limit: 50 }, '0']),
    'Cyrus 8.9 ms',
  ],
  ['JMAP Mailbox/get', jmap(['Mailbox/get', { accountId, ids: null }, '0']), 'Cyrus 1.6 ms'],
  [
    'JMAP Email/changes without changes',
    jmap(['Email/changes', { accountId, sinceState: state.state }, '0']),
    'Cyrus 3.5 ms',
  ],
  ['REST inbox page of 50', rest(`/mailboxes/${accountId}/inbox/messages?limit=50&folder_role=inbox`), ''],
  [
    'REST inbox page of 50 without bodies',
    rest(`/mailboxes/${accountId}/inbox/messages?limit=50&folder_role=inbox&body=false`),
    '',
  ],
  ['REST one message', rest(`/mailboxes/${accountId}/inbox/messages/${found.ids[0]}`), ''],
  ['REST mailbox', rest(`/mailboxes/${accountId}`), ''],
]
for (const [name, what, peer] of figures) {
  // The first few hundred run as cold code, on both threads.
  await runLoad(what, CONNECTIONS, 500)
  const before = cpuMs(server.pid)
  const { rate, p99 } = await runLoad(what, CONNECTIONS, requests)
  const cpu = (cpuMs(server.pid) - before) / requests
  console.log(
    `${name}: ${cpu.toFixed(2)} ms CPU, ${rate.toFixed(0)}/s, p99 ${p99.toFixed(0)} ms${peer && ` (${peer})`}`,
  )
}
await server.stop()
