/** Members that a request has by mistake: they are ignored and reported to the developer. */
import t, { type Test } from 'tap'
import { restIds } from '../../rest/access/ids.ts'
import { createRestRouter } from '../../rest/rest.ts'
import { silentLogger } from '../../server/base/logger.ts'
import { startApi } from '../support/rest-api.ts'
import { startRest, testDeps } from '../support/rest-server.ts'

async function start(t: Test, showsWarnings: boolean) {
  const api = await startApi(t)
  const { core, clock } = api
  const logged: object[] = []
  const warn = (fields: object) => void logged.push(fields)
  const deps = testDeps(core, {
    ids: restIds(core.ids),
    clock,
    logger: { ...silentLogger, warn },
    config: { showsWarnings },
  })
  const node = await startRest(createRestRouter(deps), await api.allKey())
  t.teardown(() => node.close())
  return { ...api, node, logged }
}

t.test('an unknown member that looks like a mistake is named in a header and in the log', async (t) => {
  const { node, domainId, mailbox, logged } = await start(t, true)
  const alice = await mailbox('alice')
  const sent = { from: alice.address, to: 'jane@example.net', text: 'x', dry_run: true }
  const inbox = `/v1/mailboxes/${alice.accountId}/inbox/messages`
  const file = { filename: 'a.txt', content: 'YQ==' }
  const asked: [method: string, path: string, body: object | undefined, warning: string | null][] = [
    ['POST', '/v1/mailboxes', { domain_id: domainId, address: 'bob', password: 'Secret123' }, '"password" is ignored'],
    ['POST', '/v1/messages', { ...sent, attachment: [] }, '"attachment" is ignored; did you mean "attachments"?'],
    ['POST', '/v1/messages', { ...sent, scheduledAt: 'x' }, '"scheduledAt" is ignored; did you mean "scheduled_at"?'],
    ['POST', '/v1/messages', { ...sent, sbject: 'x' }, '"sbject" is ignored; did you mean "subject"?'],
    [
      'POST',
      '/v1/messages',
      { ...sent, attachments: [file, { ...file, contentType: 'text/plain' }] },
      '"attachments[1].contentType" is ignored; did you mean "content_type"?',
    ],
    ['GET', `${inbox}?folder=${alice.roles['inbox']}`, undefined, '"folder" is ignored; did you mean "folder_id"?'],
    ['POST', '/v1/messages', sent, null],
    ['POST', '/v1/messages', { ...sent, x_campaign: 'spring', zz: 1 }, null],
    ['GET', `${inbox}?folder_id=${alice.roles['inbox']}`, undefined, null],
  ]
  for (const [method, path, body, warning] of asked) {
    logged.length = 0
    const answer = await node.ask(method, path, body ? { body } : {})
    t.ok(answer.status < 300, answer.text)
    t.equal(answer.headers.get('posthouse-warning'), warning)
    t.match(logged, warning === null ? [] : [{ mistakes: [warning], request_id: /^req_/ }])
    t.equal(logged.length, warning === null ? 0 : 1)
  }
})

t.test('outside of dev mode only the log names it', async (t) => {
  const { node, domainId, logged } = await start(t, false)
  const body = { domain_id: domainId, address: 'bob', password: 'Secret123' }
  const answer = await node.ask('POST', '/v1/mailboxes', { body })
  t.equal(answer.status, 201)
  t.equal(answer.headers.get('posthouse-warning'), null)
  t.match(logged, [{ mistakes: ['"password" is ignored'] }])
  t.notMatch(JSON.stringify(logged), /Secret123/)
})

t.test('any names, in any number, are harmless', async (t) => {
  const { node, domainId } = await start(t, true)
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`passwort${i}`, i]))
  const odd = { 'pass\r\nword': 1, 'password"': 1, [`password${'x'.repeat(5_000)}`]: 1, __proto__: 1, constructor: 1 }
  let count = 0
  for (const more of [many, odd, { password: { deep: [[[[{}]]]] } }]) {
    const body = { domain_id: domainId, address: `bob${count++}`, ...more }
    const answer = await node.ask('POST', '/v1/mailboxes', { body })
    t.equal(answer.status, 201, answer.text)
    t.ok((answer.headers.get('posthouse-warning') ?? '').length < 2_000)
  }
})
