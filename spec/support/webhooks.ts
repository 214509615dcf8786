/** A core with a webhook worker, and a receiver on loopback over HTTPS whose answers the test sets. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { LookupFunction } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { generate } from 'selfsigned'
import type { Test } from 'tap'
import type { Clock } from '../../server/base/clock.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { WEBHOOK_CONCURRENCY } from '../../server/base/webhook-limits.ts'
import { Egress } from '../../server/egress/safe-fetch.ts'
import { postDelivery } from '../../server/workers/webhooks/post-delivery.ts'
import { createWebhookWorker } from '../../server/workers/webhooks/webhook-worker.ts'
import type { Result, TestCore } from './core.ts'
import { listenOnLoopback } from './loopback-server.ts'

export interface Posted {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly event: Result
}

export type Answering = (posted: Posted, response: ServerResponse) => void

export interface Receiver {
  readonly port: number
  /** PEM of its certificate for `hooks.example.org`. */
  readonly ca: string
  readonly posted: Posted[]
  /** Status of its responses, 204 at first. */
  answer: Answering
  connections(): number
}

export const RECEIVER_NAME = 'hooks.example.org'
export const taking: Answering = (_posted, response) => void response.writeHead(204).end()

export function answering(status: number, body = '', headers: { [name: string]: string } = {}): Answering {
  return (_posted, response) => void response.writeHead(status, headers).end(body)
}

let made: ReturnType<typeof generate> | null = null

/** Stopped after `t`. */
export async function startReceiver(t: Pick<Test, 'teardown'>): Promise<Receiver> {
  made ??= generate([{ name: 'commonName', value: RECEIVER_NAME }], {
    keySize: 2048,
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: RECEIVER_NAME }] }],
  })
  const { private: key, cert } = await made
  let connections = 0
  const server = createServer({ key, cert }, async (request, response) => {
    const body = (await buffer(request).catch(() => Buffer.of())).toString()
    const posted = { path: request.url!, headers: request.headers, body, event: JSON.parse(body || 'null') }
    receiver.posted.push(posted)
    receiver.answer(posted, response)
  })
  server.on('connection', () => connections++)
  const port = await listenOnLoopback(t, server)
  const receiver: Receiver = { port, ca: cert, posted: [], answer: taking, connections: () => connections }
  return receiver
}

/** A resolver that returns these lists of addresses one after the other for any name, and then the last one. */
export function leadingTo(...answers: string[][]): LookupFunction {
  return ((_name: string, _options: object, callback: (...args: unknown[]) => void) => {
    const addresses = answers.length > 1 ? answers.shift()! : answers[0]!
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }) as LookupFunction
}

export interface WorkerOptions {
  readonly allowNetworks?: readonly string[]
  readonly lookup?: LookupFunction
  readonly headerPrefix?: string
  readonly clock?: Clock
}

/** A webhook worker; each node has one. Stopped after `t`. */
export function startWebhookWorker(
  t: Pick<Test, 'teardown'>,
  { core, clock }: Pick<TestCore, 'core' | 'clock'>,
  { ca }: Pick<Receiver, 'ca'>,
  options: WorkerOptions = {},
): ReturnType<typeof createWebhookWorker> {
  const { allowNetworks = ['127.0.0.0/8'], lookup = leadingTo(['127.0.0.1']), headerPrefix = 'X-Service' } = options
  const egress = new Egress({ clock, allowNetworks, lookup, ca, connectionsPerHost: WEBHOOK_CONCURRENCY })
  const fetch = egress.fetch.bind(egress)
  const post = postDelivery.bind(null, { fetch, headerPrefix, clock, logger: silentLogger })
  const worker = createWebhookWorker({ core, post, clock, logger: silentLogger })
  worker.start()
  t.teardown(async () => {
    await worker.stop()
    await egress.close()
  })
  return worker
}
