// Decision D2: a repeated request returns the effect of a first run that failed after it, whatever was deleted since.
import t from 'tap'
import type { Core } from '../../jmap/services.ts'
import { restIds } from '../../rest/access/ids.ts'
import { createRestRouter } from '../../rest/rest.ts'
import { Failure } from '../../server/base/errors.ts'
import { SYSTEM } from '../../server/base/principal.ts'
import { forEachEngine } from '../support/engines.ts'
import { mail, startApi, telling } from '../support/rest-api.ts'
import { startRest, testDeps } from '../support/rest-server.ts'

t.test('after a failure', async (t) => {
  await forEachEngine(t, async (t, engine) => {
    /** Which of the next units of work that queue a message fail. */
    let failing: ((count: number) => boolean) | null = null
    let count = 0
    const api = await startApi(
      t,
      {
        aroundStore: (store) =>
          new Proxy(store, {
            get(target, name) {
              const value = Reflect.get(target, name)
              if (name !== 'write') return typeof value === 'function' ? value.bind(target) : value
              const write: typeof store.write = (accounts, ...rest) => {
                if (accounts.length === 2 && failing?.(count++)) throw new Failure('storageUnavailable', 'planned')
                return target.write(accounts, ...rest)
              }
              return write
            },
          }),
      },
      engine,
    )
    const { core, clock, organization, mailbox, domainId } = api
    let isFailing = false
    /** The calls are made, but their answer is lost. */
    const process: Core['process'] = async (principal, request, steps) => {
      const answer = await core.process(principal, request, steps)
      const sends = request.methodCalls.some(([name]) => name === 'Email/send' || name === 'Alias/set')
      if (isFailing && sends) throw new Error('planned')
      return answer
    }
    const deps = testDeps(
      { ...core, process },
      { ids: restIds(core.ids), clock, idempotency: core.idempotency, logger: telling(t) },
    )
    const key = await api.allKey()
    const node = await startRest(createRestRouter(deps), key)
    t.teardown(() => node.close())
    const post = (path: string, body: object, name: string) =>
      node.ask('POST', path, { body, headers: { 'Idempotency-Key': name } })
    const submissions = async () =>
      (await api.store.read(({ sql }) => sql.query((db) => db.selectFrom('submission').select('id')))).length
    const remove = (id: string) =>
      api.request([['MailAccount/set', { accountId: organization.accountId, destroy: [id] }]], SYSTEM)

    await t.test('a sent message is reported as sent, although its mailbox is deleted', async (t) => {
      const alice = await mailbox('alice')
      const attachments = [{ filename: 'a.txt', content: 'YQ==' }]
      const { body: alias } = await api.ask('POST', '/v1/aliases', {
        body: { domain_id: domainId, mailbox_id: alice.accountId, address: 'desk' },
      })
      await alice.receive(mail())
      const [thread] = (await api.ask('GET', `/v1/threads?mailbox_id=${alice.accountId}`)).body.data
      const text = { text: 'x', attachments }
      const requests: [path: string, body: object][] = [
        ['/v1/messages', { from: alice.address, to: 'jane@example.net', ...text }],
        ['/v1/messages', { from: alias.address, to: 'jane@example.net', ...text }],
        ['/v1/messages', { from: alice.address, to: 'jane@example.net', save_to_sent: false, ...text }],
        [`/v1/threads/${thread.id}/reply`, { to: 'jane@example.net', ...text }],
      ]
      isFailing = true
      for (const [i, [path, body]] of requests.entries()) t.equal((await post(path, body, `sent ${i}`)).status, 500)
      const failed = await post(
        '/v1/aliases',
        { domain_id: domainId, mailbox_id: alice.accountId, address: 'it' },
        'alias',
      )
      t.equal(failed.status, 500)
      isFailing = false
      t.equal(await submissions(), requests.length)
      await remove(alice.accountId)
      for (const [i, [path, body]] of requests.entries()) {
        const answer = await post(path, body, `sent ${i}`)
        t.match(
          answer,
          { status: 201, body: { object: 'message', mailbox_id: alice.accountId, status: 'queued' } },
          answer.text,
        )
        t.equal((await post(path, body, `sent ${i}`)).text, answer.text)
      }
      const repeated = await post(
        '/v1/aliases',
        { domain_id: domainId, mailbox_id: alice.accountId, address: 'it' },
        'alias',
      )
      t.match(repeated, { status: 201, body: { object: 'alias', address: 'it@example.test' } }, repeated.text)
      t.equal(await submissions(), requests.length, 'nothing is sent again')
      const fresh = await post('/v1/messages', requests[0]![1], 'another')
      t.equal(fresh.status, 422, 'control: a new request finds no mailbox')
    })

    await t.test('a batch with failed messages continues with those', async (t) => {
      const bob = await mailbox('bob')
      const before = await submissions()
      const messages = ['a', 'b', 'c'].map((name) => ({ from: bob.address, to: `${name}@example.net`, text: name }))
      const list = [{ from: bob.address, to: 'nobody', text: 'x' }, ...messages]
      const run = async (fails: typeof failing) => {
        count = 0
        failing = fails
        const answer = await post('/v1/messages/batch', { messages: list }, 'batch')
        failing = null
        const statuses = answer.body.data?.map(({ status }: { status: number }) => status)
        return { answer, statuses }
      }
      t.equal((await run(() => true)).answer.status, 503, 'nothing was sent')
      t.equal(await submissions(), before)
      const [unknown, ...known] = (await run((at) => at === 1)).statuses
      t.equal(unknown, 422)
      t.same(known.toSorted(), [201, 201, 503], 'they are sent side by side: any of them may be the one that fails')
      t.equal((await submissions()) - before, 2)
      const { answer, statuses } = await run(null)
      t.same(statuses, [422, 201, 201, 201])
      t.equal((await submissions()) - before, 3)
      const again = await post('/v1/messages/batch', { messages: list }, 'batch')
      t.equal(again.headers.get('idempotent-replayed'), 'true')
      t.equal(again.text, answer.text)
    })
  })
})
