import t from 'tap'
import type { JsonObject } from '../../../server/base/json.ts'
import { startCore, type TestMailbox } from '../../support/core.ts'
import { forEachEngine } from '../../support/engines.ts'
import { mail } from '../mails.ts'

await forEachEngine(t, async (t, engine) => {
  const { mailbox } = await startCore(t, engine, { headerFilterMaxEmails: 3 })
  /** Names of the found emails, the oldest first. */
  const fill = async (box: TestMailbox, mails: { readonly [name: string]: readonly string[] }) => {
    const names = new Map<string, string>()
    for (const [i, [name, headers]] of Object.entries(mails).entries())
      names.set(await box.receive(mail({ headers, body: `body of ${name}` }), i * 60_000), name)
    return async (filter: JsonObject): Promise<string> => {
      const answer = await box.call('Email/query', { filter, sort: [{ property: 'receivedAt' }] })
      return answer.ids ? answer.ids.map((id: string) => names.get(id)).join('') : answer.type
    }
  }

  t.test('a field is found by its name alone, with any case and value (RFC 8621 4.4.1)', async (t) => {
    const found = await fill(await mailbox('names'), {
      a: ['X-Tag: one'],
      b: ['x-TAG: two', 'X-Tag: three'],
      c: ['XTag: one'],
      d: ['X-Tag:'],
    })
    t.equal(await found({ header: ['X-Tag'] }), 'abd')
    t.equal(await found({ header: ['x-tag'] }), 'abd')
    t.equal(await found({ header: ['xtag'] }), 'c')
    t.equal(await found({ header: ['X'] }), '')
    t.equal(await found({ header: ['subject'] }), 'abcd', 'more than are read: the index knows names')
  })

  t.test('a text is found in any field of the name, without case and accents (RFC 8621 4.4.1)', async (t) => {
    const found = await fill(await mailbox('values'), {
      a: ['X-Tag: one', 'X-Tag: Two'],
      b: ['X-Tag: =?utf-8?q?Gr=C3=BC=C3=9Fe?= aus', ' =?utf-8?q?K=C3=B6ln?='],
      c: ['X-Other: two'],
    })
    t.equal(await found({ header: ['X-Tag', 'TWO'] }), 'a')
    t.equal(await found({ header: ['x-tag', 'on'] }), 'a', 'a part of a word')
    t.equal(await found({ header: ['X-Tag', 'grusse aus koln'] }), 'b', 'encoded words, over two lines')
    t.equal(await found({ header: ['X-Tag', ''] }), 'ab')
    t.equal(await found({ header: ['X-Tag', 'three'] }), '')
  })

  t.test('names of any length and kind are distinguished', async (t) => {
    const long = 'X-'.padEnd(200, 'y')
    const found = await fill(await mailbox('odd'), { a: [`${long}1: v`], b: [`${long}2: v`], c: ["X_!#$%&'*+: v"] })
    t.equal(await found({ header: [`${long}1`] }), 'a')
    t.equal(await found({ header: [`${long}2`, 'v'] }), 'b')
    t.equal(await found({ header: [long] }), '')
    t.equal(await found({ header: ["x_!#$%&'*+"] }), 'c')
    for (const name of ['', 'ü', '"', "'", '\u0000', 'a b', '*']) t.equal(await found({ header: [name] }), '', name)
  })

  t.test('a filter that would read too much is refused, not answered in part', async (t) => {
    const box = await mailbox('many')
    const found = await fill(box, Object.fromEntries([...'abcd'].map((name) => [name, [`X-Tag: ${name} v`]])))
    t.equal(await found({ header: ['X-Tag', 'v'] }), 'unsupportedFilter')
    t.equal(await found({ operator: 'NOT', conditions: [{ header: ['X-Tag', 'v'] }] }), 'unsupportedFilter')
    t.equal(await found({ header: ['X-None', 'v'] }), '', 'nothing has to be read')
  })

  t.test('only emails that pass the other conditions are read', async (t) => {
    const box = await mailbox('narrow')
    const found = await fill(box, Object.fromEntries([...'abcd'].map((name) => [name, [`X-Tag: ${name} v`]])))
    const header = ['X-Tag', 'v']
    t.equal(await found({ header, before: '1970-01-01T00:02:00Z' }), 'ab')
    t.equal(await found({ header, body: 'a' }), 'a')
    const either = { operator: 'OR', conditions: [{ body: 'b' }, { body: 'c' }] }
    t.equal(await found({ operator: 'AND', conditions: [{ header }, either] }), 'bc')
    const not = { operator: 'NOT', conditions: [{ header: ['X-Tag', 'a'] }] }
    t.equal(await found({ operator: 'AND', conditions: [not, { after: '1970-01-01T00:01:00Z' }] }), 'bcd')
    t.equal(await found({ operator: 'AND', conditions: [{ header: ['X-Tag', 'c'] }, { header, body: 'c' }] }), 'c')
  })

  t.test('a header filter takes one or two texts (RFC 8621 4.4.1)', async (t) => {
    const found = await fill(await mailbox('wrong'), {})
    for (const header of [[], ['a', 'b', 'c'], 'a', [1], null])
      t.equal(await found({ header }), 'invalidArguments', JSON.stringify(header))
  })
})
