/** Zoom's API on loopback, as far as meetings need it: tokens of one server-to-server app, and the meetings of its owner. */
import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { listenOnLoopback } from './loopback-server.ts'

export const CREDENTIALS = { accountId: 'acc-1', clientId: 'client-1', clientSecret: 'very-secret-1' } as const

export interface ZoomRequest {
  readonly method: string
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects in its assertions
  readonly body: any
}

export interface FakeMeeting {
  readonly id: number
  readonly join_url: string
  readonly topic: string
  readonly agenda: string
  readonly type: number
  readonly start_time?: string
  readonly duration?: number
  readonly timezone?: string
}

/** `lost`: the request is fulfilled, but the answer does not arrive. `silent`: nothing is done or answered. */
export type Fault =
  | { readonly status: number; readonly body?: object; readonly headers?: Record<string, string> }
  | 'lost'
  | 'silent'

export interface FakeZoom {
  readonly url: string
  /** Requests of the API, without those of tokens, the oldest first. */
  readonly requests: ZoomRequest[]
  /** Tokens that were given out. */
  readonly tokens: string[]
  readonly meetings: Map<number, FakeMeeting>
  /** What befalls the next requests of the API, in order. */
  readonly faults: Fault[]
  /** The app's secret; another one is refused. */
  secret: string
  /** Ends the tokens that were given out. */
  revoke(): void
  /** The next request that was not returned yet; waits for it. */
  next(): Promise<ZoomRequest>
  /** Forgets requests that were not returned. */
  drain(): void
}

/** Stopped after the test. */
export async function startZoom(t: Pick<Test, 'teardown'>): Promise<FakeZoom> {
  const requests: ZoomRequest[] = []
  const tokens: string[] = []
  const valid = new Set<string>()
  const meetings = new Map<number, FakeMeeting>()
  const faults: Fault[] = []
  let taken = 0
  let wake = Promise.withResolvers<void>()
  let count = 81_234_567_890
  const say = (response: ServerResponse, status: number, body: object | null, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body && JSON.stringify(body))

  function giveToken(authorization: string | undefined, form: URLSearchParams, response: ServerResponse) {
    const [id, secret] = Buffer.from(authorization?.replace(/^Basic /, '') ?? '', 'base64')
      .toString()
      .split(':')
    const isRight =
      id === CREDENTIALS.clientId && secret === zoom.secret && form.get('account_id') === CREDENTIALS.accountId
    if (form.get('grant_type') !== 'account_credentials' || !isRight)
      return say(response, 400, { reason: 'Invalid client_id or client_secret', error: 'invalid_client' })
    const token = `token-${tokens.length + 1}`
    tokens.push(token)
    valid.add(token)
    return say(response, 200, { access_token: token, token_type: 'bearer', expires_in: 3599, scope: 'meeting:write' })
  }

  // biome-ignore lint/suspicious/noExplicitAny: the body that the code under test sends
  function fulfil(method: string, path: string, body: any): [status: number, body: object | null] {
    if (path.startsWith('/v2/users/me/meetings')) {
      if (method === 'GET') return [200, { next_page_token: '', meetings: [...meetings.values()] }]
      if (typeof body?.topic !== 'string' || (body.type === 2 && !/Z$/.test(body.start_time)))
        return [400, { code: 300, message: 'Validation Failed.' }]
      const id = ++count
      meetings.set(id, { ...body, id, join_url: `https://us05web.zoom.example/j/${id}?pwd=abc` })
      return [201, meetings.get(id)!]
    }
    const id = Number(/^\/v2\/meetings\/(\d+)(?:\?|$)/.exec(path)?.[1])
    const meeting = meetings.get(id)
    if (!meeting) return [404, { code: 3001, message: `Meeting does not exist: ${id}.` }]
    if (method === 'DELETE') meetings.delete(id)
    else meetings.set(id, { ...meeting, ...body })
    return [204, null]
  }

  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request
    const sent = await text(request)
    if (path === '/oauth/token') return giveToken(headers.authorization, new URLSearchParams(sent), response)
    if (!valid.has(headers.authorization?.replace(/^Bearer /, '') ?? ''))
      return say(response, 401, { code: 124, message: 'Invalid access token.' })
    const body = sent === '' ? null : JSON.parse(sent)
    const fault = faults.shift()
    requests.push({ method, path, body })
    wake.resolve()
    wake = Promise.withResolvers()
    if (fault === 'silent') return
    if (typeof fault === 'object') return say(response, fault.status, fault.body ?? {}, fault.headers)
    const [status, answer] = fulfil(method, path, body)
    if (fault === 'lost') return response.destroy()
    return say(response, status, answer)
  })
  const port = await listenOnLoopback(t, server)
  const zoom: FakeZoom = {
    url: `http://127.0.0.1:${port}`,
    requests,
    tokens,
    meetings,
    faults,
    secret: CREDENTIALS.clientSecret,
    revoke: () => valid.clear(),
    async next() {
      while (taken === requests.length) await wake.promise
      return requests[taken++]!
    },
    drain() {
      taken = requests.length
    },
  }
  return zoom
}
