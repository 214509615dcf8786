/**
 * Time from a commit until its change reaches a client, by EventSource and by WebSocket: on one node with SQLite, and on two nodes with
 * PostgreSQL, with writes at one and the client at the other. Milliseconds from the response to the write (the commit is just before
 * it) to the event; the event may arrive first. Changes come one at a time, further apart than the server gathers.
 *
 *   node scripts/bench/push.ts [changes]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { PUSH_GATHER_MS } from '../../server/base/push-limits.ts'
import { eventStream } from '../../spec/support/event-stream.ts'
import { startPostgres } from '../../spec/support/postgres.ts'
import { type RunningServer, startPosthouse } from '../../spec/support/posthouse.ts'

const changes = Number(process.argv[2] ?? 300)
const ends: (() => unknown)[] = []
const scope = { teardown: (end: () => unknown) => void ends.push(end) } as never
const folder = mkdtempSync(join(tmpdir(), 'posthouse-bench-'))

/** State of Mailbox to the time when it was reported. */
type Arrivals = Map<string, number>

interface Login {
  readonly accountId: string
  readonly authorization: string
}

async function listenToEvents(node: RunningServer, { accountId, authorization }: Login): Promise<Arrivals> {
  const arrivals: Arrivals = new Map()
  const response = await fetch(`${node.ready.http}/jmap/eventsource?types=Mailbox&closeafter=no&ping=0`, {
    headers: { authorization },
  })
  const stream = eventStream(scope, response)
  void (async () => {
    for (let event = await stream.nextEvent(); event; event = await stream.nextEvent())
      arrivals.set(event.data.changed[accountId].Mailbox, performance.now())
  })()
  return arrivals
}

async function listenToSocket(node: RunningServer, { accountId, authorization }: Login): Promise<Arrivals> {
  const arrivals: Arrivals = new Map()
  const socket = new WebSocket(`${node.ready.http.replace(/^http/, 'ws')}/jmap/ws`, ['jmap'], {
    headers: { authorization },
  })
  ends.push(() => socket.terminate())
  await new Promise((resolve) => socket.on('open', resolve))
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as { changed?: { [id: string]: { Mailbox: string } } }
    if (message.changed) arrivals.set(message.changed[accountId]!.Mailbox, performance.now())
  })
  socket.send(JSON.stringify({ '@type': 'WebSocketPushEnable', dataTypes: ['Mailbox'] }))
  await pause(200)
  return arrivals
}

/** One change; its state, and the time of its response. */
async function change(node: RunningServer, { accountId, authorization }: Login, id: string, sortOrder: number) {
  const answer = await fetch(`${node.ready.http}/jmap/api`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      using: ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail'],
      methodCalls: [['Mailbox/set', { accountId, update: { [id]: { sortOrder } } }, 'c']],
    }),
  })
  const at = performance.now()
  const { methodResponses } = (await answer.json()) as { methodResponses: [[string, { newState: string }, string]] }
  return { state: methodResponses[0][1].newState, at }
}

async function firstMailbox(node: RunningServer, { accountId, authorization }: Login): Promise<string> {
  const answer = await fetch(`${node.ready.http}/jmap/api`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      using: ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail'],
      methodCalls: [['Mailbox/get', { accountId, ids: null, properties: ['id'] }, 'c']],
    }),
  })
  const { methodResponses } = (await answer.json()) as {
    methodResponses: [[string, { list: { id: string }[] }, string]]
  }
  return methodResponses[0][1].list[0]!.id
}

function report(name: string, written: ReadonlyMap<string, number>, arrivals: Arrivals): void {
  const delays = [...written].flatMap(([state, at]) => (arrivals.has(state) ? [arrivals.get(state)! - at] : []))
  delays.sort((a, b) => a - b)
  const at = (part: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * part))]!.toFixed(1)
  console.log(
    `${name}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${delays.length} of ${written.size} told by their own event`,
  )
}

async function measure(name: string, writer: RunningServer, listener: RunningServer): Promise<void> {
  const { mailbox } = listener.ready
  const password = Buffer.from(`${mailbox.address}:${mailbox.password}`).toString('base64')
  const login = { accountId: mailbox.id, authorization: `Basic ${password}` }
  const events = await listenToEvents(listener, login)
  const messages = await listenToSocket(listener, login)
  const id = await firstMailbox(writer, login)
  for (let i = 0; i < 20; i++) await change(writer, login, id, i + 1)
  const written = new Map<string, number>()
  for (let i = 0; i < changes; i++) {
    await pause(PUSH_GATHER_MS * 1.5)
    const { state, at } = await change(writer, login, id, i + 100)
    written.set(state, at)
  }
  await pause(500)
  report(`${name}, EventSource`, written, events)
  report(`${name}, WebSocket`, written, messages)
}

try {
  const single = await startPosthouse(scope, join(folder, 'single'))
  await measure('one node, SQLite', single, single)
  await single.stop()
  const { url, stop } = await startPostgres()
  const database = `--database=${url}/postgres`
  const first = await startPosthouse(scope, join(folder, 'first'), [database])
  const second = await startPosthouse(scope, join(folder, 'second'), [database])
  await measure('two nodes, PostgreSQL', first, second)
  await first.stop()
  await second.stop()
  await stop()
} finally {
  for (const end of ends.reverse()) await end()
  rmSync(folder, { recursive: true, force: true })
}
