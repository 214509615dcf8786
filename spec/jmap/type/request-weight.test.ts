import t from 'tap'
import { createStandardRegistry } from '../../../jmap/standard-registry.ts'
import { weightOf } from '../../../jmap/type/request-weight.ts'
import type { JsonObject } from '../../../server/base/json.ts'

const registry = createStandardRegistry()

function weigh(...calls: readonly (string | [name: string, args: JsonObject])[]) {
  return weightOf(registry, {
    using: [],
    methodCalls: calls.map((call, i) => {
      const [name, args] = typeof call === 'string' ? [call, {}] : call
      return [name, args, String(i)]
    }),
  })
}

t.test('whether a request may write is known before it runs', async (t) => {
  t.equal(weigh('Email/get', 'Email/query', 'Thread/changes', 'Core/echo', 'Nothing/set').writes, false)
  for (const name of ['Email/set', 'Email/import', 'Email/copy', 'EmailSubmission/set', 'Mailbox/set'])
    t.equal(weigh('Email/get', name).writes, true, name)
})

t.test('a page of a mailbox by date is little to read, and so are few emails of a list', async (t) => {
  const page: JsonObject = { filter: { inMailbox: 'm' }, sort: [{ property: 'receivedAt', isAscending: false }] }
  const little: [string, JsonObject][] = [
    ['Email/query', page],
    ['Email/query', { ...page, calculateTotal: true, position: 500 }],
    ['Email/query', {}],
    ['Email/get', { ids: ['a', 'b'], properties: ['id', 'subject', 'mailboxIds'] }],
    ['Mailbox/get', { ids: null }],
    ['Core/echo', {}],
  ]
  for (const call of little) t.equal(weigh(call).reads, 'little', JSON.stringify(call))
})

t.test('calls that may read a whole account, or many messages, are much', async (t) => {
  const many = Array.from({ length: 101 }, (_, i) => String(i))
  const much: [string, JsonObject][] = [
    ['Email/query', { sort: [{ property: 'subject' }] }],
    ['Email/query', { sort: [{ property: 'receivedAt' }, { property: 'size' }] }],
    ['Email/query', { filter: { hasAttachment: true } }],
    ['Email/query', { filter: { allInThreadHaveKeyword: '$seen' } }],
    ['Email/query', { filter: { text: 'x' }, calculateTotal: true }],
    ['Email/query', { filter: { operator: 'NOT', conditions: [] } }],
    ['Email/query', { calculateTotal: true }],
    ['Email/queryChanges', { sort: [{ property: 'from' }], sinceQueryState: '0' }],
    ['Email/get', { ids: many, fetchAllBodyValues: true, properties: ['bodyValues'] }],
    ['Email/get', { ids: many }],
    ['Email/get', { ids: null, properties: ['bodyValues'] }],
    ['SearchSnippet/get', {}],
    ['Email/parse', {}],
    ['Blob/get', {}],
    ['InboxRules/test', {}],
  ]
  for (const call of much) {
    t.equal(weigh(call).reads, 'much', JSON.stringify(call))
    t.equal(weigh('Core/echo', call, 'Mailbox/get').reads, 'much', 'wherever it stands')
  }
})

t.test('a page of a query and the stored texts of its emails are little together', async (t) => {
  const ids = { resultOf: 'q', name: 'Email/query', path: '/ids' }
  const page: [string, JsonObject] = ['Email/query', { filter: { inMailbox: 'm' }, limit: 50 }]
  t.equal(weigh(page, ['Email/get', { '#ids': ids, properties: ['id', 'subject'] }]).reads, 'little')
  t.equal(weigh(page, ['Email/get', { '#ids': ids }]).reads, 'some', 'control: with bodies')
})

t.test('emails that the request makes itself are little to read, whole as well', async (t) => {
  const get = (ids: readonly string[]): [string, JsonObject] => [
    'Email/get',
    { ids: [...ids], fetchAllBodyValues: true },
  ]
  t.equal(weigh('Email/send', get(['#a', '#b'])).reads, 'little')
  t.equal(weigh('Email/send', get(['#a', 'b'])).reads, 'some', 'control: one that was there')
  t.equal(weigh('Email/send', get(Array.from({ length: 101 }, (_, i) => `#${i}`))).reads, 'much', 'control: many')
})

t.test('calls that are nearly always little have the weight in between', async (t) => {
  const some: [string, JsonObject][] = [
    ['Email/query', { filter: { text: 'x' } }],
    ['Email/query', { filter: { inMailbox: 'm' }, collapseThreads: true }],
    ['Email/query', { position: 100_000 }],
    ['Email/query', { anchor: 'a' }],
    ['Email/get', { '#ids': {}, properties: ['id'] }],
    ['Email/get', { '#ids': {}, properties: ['bodyValues'] }],
    ['Email/get', { ids: ['a'], fetchAllBodyValues: true, properties: ['bodyValues'] }],
    ['Email/changes', {}],
    ['SentMessage/query', {}],
  ]
  for (const call of some) t.equal(weigh(call).reads, 'some', JSON.stringify(call))
})

t.test('many little calls together are more than little', async (t) => {
  const calls = (count: number) => Array.from({ length: count }, () => 'Mailbox/get')
  t.equal(weigh(...calls(8)).reads, 'little')
  t.equal(weigh(...calls(9)).reads, 'some')
})

t.test('arguments of wrong types have a weight and cause no error', async (t) => {
  const wrong: JsonObject[] = [
    { filter: 7, sort: 'x', position: 'y' },
    { filter: [], sort: [null], anchor: 5 },
    { ids: {}, properties: 5 },
    { ids: [1], properties: [null] },
  ]
  for (const args of wrong)
    for (const name of ['Email/query', 'Email/get', 'Email/queryChanges', 'Mailbox/get', 'Thread/query'])
      t.ok(['little', 'some', 'much'].includes(weigh([name, args]).reads))
})

t.test('requests that read alike are of one kind', async (t) => {
  const search = (filter: JsonObject) => weigh(['Email/query', { filter }], 'Thread/get').kind
  t.equal(search({ text: 'a' }), search({ text: 'b' }))
  t.not(search({ text: 'a' }), search({ inMailbox: 'a' }), 'another condition')
  t.not(search({ text: 'a' }), weigh(['Email/query', { filter: { text: 'a' } }]).kind, 'without the second call')
  t.ok(search(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`name${i}`, 1]))).length < 2_000)
})
