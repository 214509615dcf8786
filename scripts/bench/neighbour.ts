/**
 * What one client waits for small requests, alone and beside another client that lists threads with their texts over 32 connections.
 * Credentials take turns on the thread of the sockets, so it waits for a few of those lists and not for all that are before it.
 *
 *     server/node scripts/bench/neighbour.ts [--requests 200]
 *
 * Exits 1 when half of its requests take more than a quarter of the time that those of the other take.
 */
import process from 'node:process'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../whole-number.ts'
import { ask, type HttpRequest, type LoadFigures, runLoad } from './support/http-load.ts'
import { benchMessage } from './support/messages.ts'
import { type Running, startPosthouse } from './support/posthouse.ts'
import { restFigures } from './support/rest-figures.ts'
import { sendLoad } from './support/smtp-load.ts'

const { values } = parseArgs({ options: { requests: { type: 'string', default: '200' } } })
const requests = wholeNumber(values, 'requests')

const MESSAGES = 2_000
const CONNECTIONS = 32
/** Lists in one go of the other client. */
const LISTS = 320
const QUARTER = 1 / 4

const server = await startPosthouse(['--rate-read', '0', '--plan-limits', 'off', '--reputation', 'off'])
const message = { recipient: server.mailbox.address, message: benchMessage }
await sendLoad({ ...server.smtp, connections: 50, messages: MESSAGES, ...message })
const figures = new Map((await restFigures(server)).map(({ name, request }) => [name, request]))
const list = figures.get('threads page of 50')!
const small = withKey(figures.get('mailbox')!, await secondKey(server))

// The first ones run cold code.
await runLoad(list, CONNECTIONS, LISTS)
await runLoad(small, 1, requests)
const alone = await runLoad(small, 1, requests)
let isOver = false
const lists: LoadFigures[] = []
const underWay = Promise.withResolvers<void>()
const other = (async () => {
  while (!isOver) {
    lists.push(await runLoad(list, CONNECTIONS, LISTS))
    underWay.resolve()
  }
})()
await underWay.promise
const beside = await runLoad(small, 1, requests)
isOver = true
await other
await server.stop()

const ofOther = lists.map(({ p50 }) => p50).toSorted((a, b) => a - b)[Math.floor(lists.length / 2)]!
const told = ({ p50, p99 }: LoadFigures) => `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`
console.log(`small requests alone: ${told(alone)}`)
console.log(
  `beside ${CONNECTIONS} connections that list threads: ${told(beside)}; half of the lists take ${ofOther.toFixed(0)} ms`,
)
process.exit(beside.p50 > ofOther * QUARTER ? 1 : 0)

async function secondKey({ http, api_key: key }: Running): Promise<string> {
  const made = await ask(undefined, {
    url: `${http}/api/v1/api-keys`,
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'neighbour', scopes: ['mailboxes:read'] }),
  })
  return (JSON.parse(made) as { key: string }).key
}

function withKey(request: HttpRequest, key: string): HttpRequest {
  return { ...request, headers: { ...request.headers, Authorization: `Bearer ${key}` } }
}
