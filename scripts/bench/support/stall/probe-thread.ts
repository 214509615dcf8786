/** The probe, in a thread of its own: the load's own work must not be measured. It asks for the greeting of SMTP and for a page by HTTP. */
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

export interface ProbeTarget {
  readonly smtpPort: number
  /** URL, with the header Authorization that it needs. */
  readonly url: string
  readonly authorization: string
}

/** Milliseconds of each answer; null: there was none. */
export interface ProbeTimes {
  readonly smtp: readonly (number | null)[]
  readonly http: readonly (number | null)[]
}

/** Between two probes: a client that waits for its turn. */
const EVERY_MS = 5
const GIVE_UP_MS = 30_000

const target = workerData as ProbeTarget
const port = parentPort!
let stopped = false
const times = { smtp: [] as (number | null)[], http: [] as (number | null)[] }

async function timed(ask: () => Promise<void>): Promise<number | null> {
  const begin = performance.now()
  try {
    await ask()
    return performance.now() - begin
  } catch {
    return null
  }
}

async function greeting(): Promise<void> {
  const socket = connect(target.smtpPort, '127.0.0.1')
  socket.setTimeout(GIVE_UP_MS, () => socket.destroy(new Error('no greeting')))
  const [text] = (await once(socket, 'data')) as [Buffer]
  socket.on('error', () => {})
  socket.end('QUIT\r\n')
  if (!text.toString().startsWith('220')) throw new Error('no greeting')
}

function page(): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(target.url, { headers: { authorization: target.authorization }, agent: false }, (response) => {
      response.resume()
      response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error('no page'))))
    })
    call.setTimeout(GIVE_UP_MS, () => call.destroy(new Error('no answer')))
    call.on('error', reject)
    call.end()
  })
}

async function run(): Promise<void> {
  while (!stopped) {
    times.smtp.push(await timed(greeting))
    times.http.push(await timed(page))
    await pause(EVERY_MS)
  }
}

const running = run()
port.on('message', async (message: 'count' | 'stop') => {
  if (message === 'count') return port.postMessage(times.smtp.length)
  stopped = true
  await running
  port.postMessage(times satisfies ProbeTimes)
  port.close()
})
