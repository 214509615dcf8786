/** The queries that read the most, and clients that ask for them and may hang up. */
import { request } from 'node:http'
import type { Ready } from '../posthouse.ts'

type Call = readonly [name: string, args: object, id: string]

export interface Asked {
  readonly name: string
  readonly calls: readonly Call[]
}

export function worstQueries({ mailbox }: Ready): Asked[] {
  const accountId = mailbox.id
  const query = (name: string, args: object): Asked => ({ name, calls: [['Email/query', { accountId, ...args }, 'q']] })
  const by = (...properties: string[]) => properties.map((property) => ({ property }))
  return [
    query('by subject', { sort: by('subject') }),
    query('by sender, then size', { sort: by('from', 'size') }),
    query('with attachment, counted', { filter: { hasAttachment: true }, calculateTotal: true }),
    query('threads all seen', { filter: { allInThreadHaveKeyword: '$seen' }, calculateTotal: true }),
    query('not small, by size', {
      filter: { operator: 'NOT', conditions: [{ maxSize: 5_000 }, { hasKeyword: '$flagged' }] },
      sort: by('size', 'subject'),
      calculateTotal: true,
    }),
    query('seen first', { sort: [{ property: 'someInThreadHaveKeyword', keyword: '$seen' }] }),
    query('far down the list, threads collapsed', { position: 900_000, collapseThreads: true }),
    query('a phrase, counted', { filter: { text: '"harbour letter"' }, calculateTotal: true }),
  ]
}

/** Bodies of many messages, again and again. */
export function manyBodies({ mailbox }: Ready): Asked {
  const accountId = mailbox.id
  const ids = { resultOf: 'q', name: 'Email/query', path: '/ids' }
  const bodies = { accountId, '#ids': ids, properties: ['bodyValues'], fetchAllBodyValues: true }
  return {
    name: '30 times the bodies of 500 messages',
    calls: [
      ['Email/query', { accountId, limit: 500 }, 'q'],
      ...Array.from({ length: 30 }, (_, i): Call => ['Email/get', bodies, String(i)]),
    ],
  }
}

export interface Answered {
  /** The HTTP status, or `left` when the client hung up. */
  readonly outcome: string
  readonly octets: number
  /** Types of the errors of calls. */
  readonly errors: readonly string[]
}

/** @param leaveMs after which the client hangs up; null: never */
export function ask(server: Ready, { calls }: Asked, leaveMs: number | null): Promise<Answered> {
  const body = JSON.stringify({
    using: ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail'],
    methodCalls: calls,
  })
  const headers = { authorization: `Bearer ${server.api_key}`, 'content-type': 'application/json' }
  return new Promise((resolve) => {
    const call = request(`${server.http}/jmap/api`, { method: 'POST', headers, agent: false }, (response) => {
      let octets = 0
      let head = ''
      response.on('data', (piece: Buffer) => {
        octets += piece.length
        if (head.length < 2_000) head += piece.toString()
      })
      response.on('end', () => {
        clearTimeout(leave)
        const errors = [...head.matchAll(/\["error",\{"type":"(\w+)"/g)].map(([, type]) => type!)
        resolve({ outcome: String(response.statusCode), octets, errors })
      })
      response.on('error', () => resolve({ outcome: 'left', octets, errors: [] }))
    })
    const leave = leaveMs === null ? undefined : setTimeout(() => call.destroy(), leaveMs)
    call.on('error', () => resolve({ outcome: 'left', octets: 0, errors: [] }))
    call.end(body)
  })
}
