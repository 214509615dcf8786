/** `posthouse listen`: prints the events of a server and posts them, signed, to a receiver on the developer's machine. */
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { EVENT_TYPES, TEST_EVENT } from '../../jmap/events/event-types.ts'
import { systemClock } from '../base/clock.ts'
import { errorMessage, Failure } from '../base/errors.ts'
import { LISTEN_POLL_MS, LISTEN_REQUEST_MS } from '../base/webhook-limits.ts'
import { signatureHeaders } from '../base/webhook-signature.ts'
import { readConfig } from '../config/config.ts'
import { gatherSettings } from '../config/env.ts'
import { readPrivateFile } from '../startup/data-folder.ts'
import { type Command, type Invocation, optional, type Terminal, UsageError, urlIn } from './command.ts'
import { EventTail, Refused, type TailedEvent } from './event-tail.ts'
import { causeOf } from './transfer/http.ts'

const TYPES: readonly string[] = [...EVENT_TYPES, TEST_EVENT]
const DEV_CREDENTIALS = 'dev-credentials.json'

export const listen: Command = {
  name: 'listen',
  summary: 'prints events as they happen, and forwards them to a URL with valid signatures',
  description: `It reads GET /v1/events of a running server, so no webhook is needed and the receiver may be on this machine.
The server is the one on --http-port of this machine unless --server names another. The key of a server in dev
mode is found in its data folder; another key is read from standard input (--key-stdin).
The signing secret is made anew for each run and printed first, unless --secret-stdin gives one.`,
  options: {
    forward: { value: '<url>', help: 'where to post each event, such as http://127.0.0.1:3000/hooks' },
    events: { value: '<types>', help: 'only these types, separated by commas, such as message.received' },
    server: { value: '<url>', help: 'another server, such as https://mail.example.com' },
    'key-stdin': { help: 'read the API key from standard input: it needs the scope webhooks:read' },
    'secret-stdin': { help: 'read the signing secret from standard input, after the key' },
  },
  async run(invocation) {
    const { terminal, settings } = invocation
    const config = readConfig(gatherSettings(settings, terminal.environment))
    const forward = urlIn(invocation, 'forward')
    const types = readTypes(invocation)
    const server = urlIn(invocation, 'server') ?? `http://127.0.0.1:${config.http.port}`
    const { key, secret } = await readSecrets(invocation, config.data)
    const tail = new EventTail(server, key, await EventTail.timeOf(server))
    await tail.next()
    const { json } = config
    if (json) terminal.print(`${JSON.stringify({ ready: true, server, forward, secret })}\n`)
    else terminal.print(announce(server, forward, secret))
    const prefix = config.webhooks.headerPrefix
    await untilStopped(terminal, tail, async (event) => {
      if (!types.includes(event.event_type)) return
      const outcome = forward === null ? null : await post(forward, prefix, secret, event)
      terminal.print(json ? `${JSON.stringify({ ...event, ...outcome })}\n` : describe(event, outcome))
    })
    return 0
  },
}

type Outcome = { readonly status: number } | { readonly error: string }

async function untilStopped(
  { stopRequested, printError }: Terminal,
  tail: EventTail,
  tell: (event: TailedEvent) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const { signal } = stop
  void stopRequested.then(() => stop.abort())
  let isLost = false
  while (!signal.aborted) {
    try {
      for (const event of await tail.next()) if (!signal.aborted) await tell(event)
      isLost = false
    } catch (error) {
      if (error instanceof Refused) throw error
      if (!isLost) printError(`${errorMessage(error)}; waiting for it\n`)
      isLost = true
    }
    // A timer of the clock would not keep the process alive.
    await setTimeout(LISTEN_POLL_MS, undefined, { signal }).catch(() => {})
  }
}

/** The same request as a webhook's. A receiver that is down is reported, and the next event is tried. */
async function post(url: string, prefix: string, secret: string, event: TailedEvent): Promise<Outcome> {
  const body = JSON.stringify(event)
  const signed = signatureHeaders(prefix, { current: secret, previous: null }, body, systemClock.now())
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...signed },
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(LISTEN_REQUEST_MS),
    })
    await response.body?.cancel()
    return { status: response.status }
  } catch (error) {
    return { error: causeOf(error) }
  }
}

function describe({ created_at, event_type, event_id }: TailedEvent, outcome: Outcome | null): string {
  const told = outcome === null ? '' : 'status' in outcome ? `  -> ${outcome.status}` : `  -> failed: ${outcome.error}`
  return `${created_at}  ${event_type.padEnd(26)}  ${event_id}${told}\n`
}

function announce(server: string, forward: string | null, secret: string): string {
  const target = forward === null ? 'are printed' : `go to ${forward}`
  return `Events of ${server} ${target}.\nSigning secret: ${secret}\n\n`
}

function readTypes(invocation: Invocation): readonly string[] {
  const wanted = optional(invocation, 'events')
    ?.split(',')
    .map((type) => type.trim())
  const unknown = wanted?.find((type) => !TYPES.includes(type))
  if (unknown !== undefined)
    throw new UsageError(`--events: there is no type "${unknown}"; there are ${TYPES.join(', ')}`)
  return wanted ?? TYPES
}

/** The API key, and the secret that signs. @throws Failure, UsageError */
async function readSecrets({ options, terminal }: Invocation, data: string) {
  const given = options['key-stdin'] || options['secret-stdin'] ? (await terminal.readInput()).split('\n') : []
  const line = (name: string) => {
    const text = given.shift()?.trim()
    if (!text) throw new UsageError(`standard input has no ${name}`)
    return text
  }
  const key = options['key-stdin'] ? line('API key') : devKey(data)
  const secret = options['secret-stdin'] ? line('secret') : `whsec_${randomBytes(32).toString('base64url')}`
  return { key, secret }
}

function devKey(data: string): string {
  const { api_key: key } = JSON.parse(readPrivateFile(data, DEV_CREDENTIALS) ?? '{}') as { readonly api_key?: string }
  if (key) return key
  throw new Failure('configuration', `${data} has no key of dev mode; give one with --key-stdin`)
}
