/** Requests that a client should never send, with the required responses (promise J4). */
import { gzipSync } from 'node:zlib'
import { JSON_MAX_VALUES } from '../../../server/base/limits.ts'

export interface BadRequest {
  readonly name: string
  readonly body: Buffer
  readonly headers?: Readonly<Record<string, string>>
  /** Sent in chunks without a length; `endless` never ends. */
  readonly chunked?: 'whole' | 'endless'
  readonly status: number
  /** Text that the response must contain. */
  readonly answer: string
}

const USING = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail']
const NOT_JSON = 'urn:ietf:params:jmap:error:notJSON'
const LIMIT = 'urn:ietf:params:jmap:error:limit'

/** A request with one call, or with JSON text in place of the arguments. */
function call(name: string, args: object | string): string {
  const text = typeof args === 'string' ? args : JSON.stringify(args)
  return `{"using":${JSON.stringify(USING)},"methodCalls":[["${name}",${text},"c"]]}`
}

/** @param limit maxSizeRequest of the server */
export function badRequests(accountId: string, limit: number): readonly BadRequest[] {
  return [...ofText(limit), ...ofSize(limit), ...ofMembers(limit), ...ofArguments(accountId, limit)]
}

function ofText(limit: number): BadRequest[] {
  const bad = (name: string, text: string | Buffer): BadRequest => {
    return { name, body: Buffer.from(text), status: 400, answer: NOT_JSON }
  }
  const nested = (depth: number) => call('Core/echo', `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
  return [
    bad('nothing at all', ''),
    bad('nested 10,000 deep', nested(10_000)),
    bad('nested as deep as it fits', nested(Math.floor(limit / 2) - 200)),
    bad('opened and never closed', '['.repeat(limit)),
    bad('one half of a surrogate pair', call('Core/echo', '{"a":"\\ud800"}')),
    bad('not UTF-8', Buffer.concat([Buffer.from('{"using":["'), Buffer.from([0xff, 0xfe]), Buffer.from('"]}')])),
    bad('a number that no double holds', call('Core/echo', '{"a":1e400}')),
    bad('two members of one name', call('Core/echo', '{"a":1,"\\u0061":2}')),
    bad('nothing but white space', ' '.repeat(limit)),
    bad('a string that never ends', `"${'x'.repeat(limit - 1)}`),
  ]
}

function ofSize(limit: number): BadRequest[] {
  const over = Buffer.from(call('Core/echo', {}).padEnd(limit + 1))
  const tooLarge = { status: 400, answer: '"maxSizeRequest"' }
  const bomb = gzipSync(Buffer.alloc(limit * 10, 'x'))
  return [
    { name: 'one octet over the limit', body: over, ...tooLarge },
    { name: 'one octet over the limit, in chunks', body: over, chunked: 'whole', ...tooLarge },
    { name: 'chunks without an end', body: Buffer.alloc(65_536, ' '), chunked: 'endless', ...tooLarge },
    {
      name: 'a gzip bomb, 1:1000',
      body: bomb,
      headers: { 'Content-Encoding': 'gzip' },
      status: 415,
      answer: 'compressed',
    },
    {
      name: 'JSON in UTF-16',
      body: Buffer.from(call('Core/echo', {}), 'utf16le'),
      headers: { 'Content-Type': 'application/json; charset=utf-16' },
      status: 415,
      answer: NOT_JSON,
    },
  ]
}

/** As many of them as fit. */
function many(limit: number, item: (i: number) => string): string {
  const items: string[] = []
  for (let size = 300, i = 0; ; i++) {
    const text = item(i)
    size += text.length + 1
    if (size > limit) return items.join(',')
    items.push(text)
  }
}

function ofMembers(limit: number): BadRequest[] {
  const key = (i: number) => i.toString(36)
  const proto = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'
  const body = (text: string) => Buffer.from(text)
  const members = many(limit, (i) => `"${key(i)}":1`)
  return [
    { name: 'a million keys', body: body(call('Core/echo', `{${members}}`)), status: 400, answer: NOT_JSON },
    {
      name: 'a million times one key',
      body: body(call('Core/echo', `{${many(limit, () => '"a":1')}}`)),
      status: 400,
      answer: NOT_JSON,
    },
    {
      name: 'a million empty objects',
      body: body(call('Core/echo', `{"a":[${many(limit, () => '{}')}]}`)),
      status: 400,
      answer: NOT_JSON,
    },
    {
      name: 'a million calls',
      body: body(`{"using":[],"methodCalls":[${many(limit, () => '1')}]}`),
      status: 400,
      answer: NOT_JSON,
    },
    {
      name: '10,000 calls',
      body: body(`{"using":[],"methodCalls":[${Array.from({ length: 10_000 }, () => '["a",{},""]').join(',')}]}`),
      status: 400,
      answer: `${LIMIT}","status":400,"detail":"A request has at most 64 method calls.","limit":"maxCallsInRequest"`,
    },
    {
      name: '10,000 creation ids',
      body: body(
        `{"using":[],"methodCalls":[],"createdIds":{${Array.from({ length: 10_000 }, (_, i) => `"${key(i)}":"x"`).join(',')}}}`,
      ),
      status: 200,
      answer: '"createdIds"',
    },
    {
      name: 'as many keys as are taken',
      body: body(
        call('Core/echo', `{${Array.from({ length: JSON_MAX_VALUES - 10 }, (_, i) => `"k${i}":1`).join(',')}}`),
      ),
      status: 200,
      answer: '"k0":1',
    },
    { name: '__proto__ and constructor', body: body(call('Core/echo', proto)), status: 200, answer: proto },
    {
      name: '100,000 capabilities',
      body: body(`{"using":[${many(1_000_000, () => '"urn:x"')}],"methodCalls":[]}`),
      status: 400,
      answer: 'urn:ietf:params:jmap:error:unknownCapability',
    },
  ]
}

function ofArguments(accountId: string, limit: number): BadRequest[] {
  const refused = (name: string, method: string, args: object, type: string): BadRequest => {
    return { name, body: Buffer.from(call(method, { accountId, ...args })), status: 200, answer: `"type":"${type}"` }
  }
  const list = <T>(length: number, item: (i: number) => T) => Array.from({ length }, (_, i) => item(i))
  const nested = (depth: number): object => (depth === 0 ? {} : { operator: 'NOT', conditions: [nested(depth - 1)] })
  const filler = Math.floor(limit * 0.9)
  return [
    refused('10,000 ids', 'Email/get', { ids: list(10_000, (i) => `x${i}`) }, 'requestTooLarge'),
    refused('10,000 records', 'Email/set', { destroy: list(10_000, (i) => `x${i}`) }, 'requestTooLarge'),
    refused('10,000 properties', 'Email/get', { properties: list(10_000, (i) => `x${i}`) }, 'invalidArguments'),
    refused(
      '10,000 header properties',
      'Email/get',
      { ids: [], properties: list(10_000, (i) => `header:x${i}`) },
      'invalidArguments',
    ),
    refused('a filter 100 deep', 'Email/query', { filter: nested(100) }, 'unsupportedFilter'),
    refused(
      '10,000 conditions',
      'Email/query',
      { filter: { operator: 'OR', conditions: list(10_000, () => ({ text: 'x' })) } },
      'unsupportedFilter',
    ),
    refused(
      '10,000 comparators',
      'Email/query',
      { sort: list(10_000, () => ({ property: 'size' })) },
      'unsupportedSort',
    ),
    refused(
      '10,000 words to search for',
      'Email/query',
      { filter: { text: list(10_000, (i) => `w${i}`).join(' ') } },
      'unsupportedFilter',
    ),
    refused('a search text of megabytes', 'Email/query', { filter: { text: 'x'.repeat(filler) } }, 'unsupportedFilter'),
    refused('a state of megabytes', 'Email/changes', { sinceState: '1'.repeat(filler) }, 'cannotCalculateChanges'),
    refused('an account of megabytes', 'Email/get', { accountId: 'x'.repeat(filler) }, 'accountNotFound'),
    refused('a name of megabytes', 'Mailbox/set', { create: { c: { name: 'x'.repeat(filler) } } }, 'invalidProperties'),
    refused(
      'a patch path of megabytes',
      'Mailbox/set',
      { update: { x: { ['a/'.repeat(filler / 2)]: 1 } } },
      'notFound',
    ),
    refused(
      '10,000 patches',
      'Mailbox/set',
      { update: { x: Object.fromEntries(list(10_000, (i) => [`a${i}`, 1])) } },
      'notFound',
    ),
  ]
}
