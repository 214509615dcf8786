/** Sends requests over kept connections, as fast as responses come. */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'

export interface HttpRequest {
  readonly url: string
  readonly method: 'GET' | 'POST'
  readonly headers: Record<string, string>
  /** A header field with another value in each request. */
  readonly fresh?: string
  readonly body?: string
}

export interface LoadFigures {
  /** Requests a second. */
  readonly rate: number
  /** Milliseconds within which half of the requests were answered. */
  readonly p50: number
  readonly p99: number
}

export async function runLoad(what: HttpRequest, connections: number, requests: number): Promise<LoadFigures> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times: number[] = []
  let next = 0
  const start = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next++ < requests) {
        const begin = performance.now()
        await ask(agent, what)
        times.push(performance.now() - begin)
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  agent.destroy()
  times.sort((a, b) => a - b)
  const within = (part: number) => times[Math.floor(times.length * part)]!
  return { rate: times.length / seconds, p50: within(0.5), p99: within(0.99) }
}

/** The body of a 200 or 201; any other status is an error. */
export function ask(
  agent: Agent | undefined,
  { url, method, headers: given, fresh, body }: HttpRequest,
): Promise<string> {
  const headers = fresh === undefined ? given : { ...given, [fresh]: randomUUID() }
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers, ...(agent && { agent }) }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if (response.statusCode === 200 || response.statusCode === 201) resolve(text)
        else reject(new Error(`${method} ${url}: ${response.statusCode} ${text.slice(0, 300)}`))
      })
    })
    call.on('error', reject)
    call.end(body)
  })
}
