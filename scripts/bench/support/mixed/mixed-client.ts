/** A client of all mailboxes of an organization, with as little of its own work as it can have. */
import { Agent, request } from 'node:http'
import type { Running } from '../posthouse.ts'

export interface MixedAccount {
  readonly id: string
  readonly address: string
  readonly inbox: string
  /** Messages above the number at the start. */
  surplus: number
  /** Messages seen on the last page. */
  seen: readonly string[]
}

export type Call = readonly [name: string, args: { readonly [name: string]: unknown }, callId: string]

interface MethodResult {
  // biome-ignore lint/suspicious/noExplicitAny: each operation knows what it asked for
  readonly [name: string]: any
}

const USING = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail']
const SOCKETS = 16

export class MixedClient {
  readonly server: Running
  readonly accounts: readonly MixedAccount[]
  readonly random: () => number
  readonly #agent: Agent
  #next = 0

  private constructor(server: Running, accounts: readonly MixedAccount[], random: () => number, agent: Agent) {
    this.server = server
    this.accounts = accounts
    this.random = random
    this.#agent = agent
  }

  /** Creates mailboxes beside the first. */
  static async open(server: Running, mailboxes: number, random: () => number): Promise<MixedClient> {
    const accounts: MixedAccount[] = []
    const client = new MixedClient(server, accounts, random, new Agent({ keepAlive: true, maxSockets: SOCKETS }))
    const found: { id: string; address: string }[] = [server.mailbox]
    for (let at = 1; at < mailboxes; at++)
      found.push(await client.rest('POST', '/mailboxes', { domain_id: server.domain.id, address: `mixed${at}` }))
    for (const { id, address } of found) {
      const [{ ids }] = await client.jmap(['Mailbox/query', { accountId: id, filter: { role: 'inbox' } }, '0'])
      accounts.push({ id, address, inbox: ids[0], surplus: 0, seen: [] })
    }
    return client
  }

  async createWebhook(url: string): Promise<void> {
    const events = ['message.received', 'message.sent', 'message.delivered', 'message.bounced']
    await this.rest('POST', '/webhooks', { url, events })
  }

  anyAccount(): MixedAccount {
    return this.accounts[Math.floor(this.random() * this.accounts.length)]!
  }

  /** Numbers that are never used twice. */
  nextNumber(): number {
    return this.#next++
  }

  // biome-ignore lint/suspicious/noExplicitAny: each operation knows what it asked for
  async rest(method: 'GET' | 'POST', path: string, body?: object): Promise<any> {
    const octets = body && Buffer.from(JSON.stringify(body))
    return JSON.parse((await this.#send(method, `/api/v1${path}`, octets, 'application/json')).toString())
  }

  /** The results of calls, none of which is an error. */
  async jmap(...methodCalls: Call[]): Promise<[MethodResult, ...MethodResult[]]> {
    const body = Buffer.from(JSON.stringify({ using: USING, methodCalls }))
    const { methodResponses } = JSON.parse((await this.#send('POST', '/jmap/api', body)).toString()) as {
      methodResponses: [string, MethodResult, string][]
    }
    const error = methodResponses.find(([name]) => name === 'error')
    if (error) throw new Error(JSON.stringify(error[1]))
    return methodResponses.map(([, result]) => result) as [MethodResult, ...MethodResult[]]
  }

  async upload(accountId: string, octets: Buffer): Promise<string> {
    const answer = await this.#send('POST', `/jmap/upload/${accountId}`, octets, 'message/rfc822')
    return (JSON.parse(answer.toString()) as { blobId: string }).blobId
  }

  /** An event source that leaves after some time. */
  listen(forMs: number): Promise<void> {
    const { http, api_key } = this.server
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${api_key}` }
      const url = `${http}/jmap/eventsource?types=*&closeafter=no&ping=30`
      const call = request(url, { headers, agent: false }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`event source: ${response.statusCode}`))
        response.on('error', () => {})
        response.resume()
        setTimeout(() => {
          response.destroy()
          resolve()
        }, forMs)
      })
      call.on('error', reject)
      call.end()
    })
  }

  close(): void {
    this.#agent.destroy()
  }

  #send(method: string, path: string, body?: Buffer, type = 'application/json'): Promise<Buffer> {
    const { http, api_key } = this.server
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${api_key}`,
        ...(body && { 'content-type': type, 'content-length': body.length }),
      }
      const call = request(`${http}${path}`, { method, headers, agent: this.#agent }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const octets = Buffer.concat(chunks)
          const { statusCode = 0 } = response
          if (statusCode >= 200 && statusCode < 300) resolve(octets)
          else reject(new Error(`${statusCode} ${octets.toString().slice(0, 150)}`))
        })
      })
      call.on('error', reject)
      call.end(body)
    })
  }
}
