/** Promises J1, J2 over HTTP: uploads, downloads and the event source of others. */
import t from 'tap'
import type { Result } from '../support/core.ts'
import { PASSWORD } from '../support/core.ts'
import { eventStream } from '../support/event-stream.ts'
import { basic, startHttp } from '../support/http-server.ts'
import { mail } from './mails.ts'

t.test('accounts of others over HTTP', async (t) => {
  const http = await startHttp(t)
  const { alice, ask, core } = http
  const neighbour = await http.mailbox('neighbour')
  const stranger = await (await http.organizationWith('foreign.test')).mailbox('alice')
  const { ids } = core
  const nowhere = ids.accountId('mailbox', 77_777)

  /** All parts of a response that a client can distinguish, with the ids themselves removed. */
  const answerTo = async (path: string, aside: readonly string[], init: RequestInit = {}) => {
    const response = await ask(path, init as never)
    const { date: _date, 'x-request-id': _request, ...headers } = Object.fromEntries(response.headers)
    let text = JSON.stringify({ status: response.status, headers, body: await response.text() })
    for (const id of aside) text = text.replaceAll(id, 'ID')
    return text
  }

  t.test("a download from another's account looks like one from an account that does not exist", async (t) => {
    const own = (await alice.call('Email/get', { ids: [await alice.receive(mail())] })).list[0].blobId as string
    const expected = await answerTo(`/jmap/download/${nowhere}/${own}/a?type=text/plain`, [nowhere, own])
    t.match(expected, '"status":404')
    for (const box of [neighbour, stranger]) {
      const email = await box.receive(mail({ subject: 'Secret' }))
      const { blobId } = (await box.call('Email/get', { ids: [email] })).list[0]
      for (const [account, blob] of [
        [box.accountId, blobId],
        [alice.accountId, blobId],
        [box.accountId, own],
      ])
        t.equal(await answerTo(`/jmap/download/${account}/${blob}/a?type=text/plain`, [account, blob]), expected)
      const login = { Authorization: basic(box.address, PASSWORD) }
      const theirs = await ask(`/jmap/download/${box.accountId}/${blobId}/a?type=text/plain`, { headers: login })
      t.equal(theirs.status, 200, 'the owner gets it')
      t.match(await theirs.text(), 'Secret')
    }
    t.equal((await ask(`/jmap/download/${alice.accountId}/${own}/a?type=text/plain`)).status, 200)
  })

  t.test('a token of the session opens only what its credential does', async (t) => {
    const own = (await alice.call('Email/get', { ids: [await alice.receive(mail())] })).list[0].blobId as string
    const tokenOf = async (login: string) => {
      const session = (await (
        await ask('/jmap/session', { headers: { Authorization: login } } as never)
      ).json()) as Result
      return new URL(session.downloadUrl.replaceAll(/[{}]/g, '')).searchParams.get('token')!
    }
    /** Without Authorization. */
    const open = async (account: string, blob: string, token: string) => {
      const answer = await fetch(`${http.url}/jmap/download/${account}/${blob}/a?type=text/plain&token=${token}`)
      return `${answer.status} ${(await answer.text()).replaceAll(account, 'ID').replaceAll(blob, 'ID')}`
    }
    for (const box of [neighbour, stranger]) {
      const token = await tokenOf(basic(box.address, PASSWORD))
      const email = await box.receive(mail({ subject: 'Secret' }))
      const { blobId } = (await box.call('Email/get', { ids: [email] })).list[0]
      const expected = await open(nowhere, own, token)
      t.match(expected, /^404 /)
      for (const [account, blob] of [
        [alice.accountId, own],
        [alice.accountId, blobId],
        [box.accountId, own],
      ] as const)
        t.equal(await open(account, blob, token), expected)
      t.match(await open(box.accountId, blobId, token), /^200 .*Secret/s, 'the owner gets it')
      const hers = await tokenOf(basic(alice.address, PASSWORD))
      // Each with the signature of the other.
      const mixed = [...token.split('.').slice(0, -1), hers.split('.').at(-1)].join('.')
      t.match(await open(box.accountId, blobId, mixed), /^401 /)
    }
    t.match(await open(alice.accountId, own, await tokenOf(http.login)), /^200 /)
  })

  t.test(
    "an upload into another's account looks like one into an account that does not exist, and stores nothing",
    async (t) => {
      const init = { method: 'POST', body: 'octets' }
      const expected = await answerTo(`/jmap/upload/${nowhere}`, [nowhere], init)
      t.match(expected, '"status":404')
      for (const { accountId } of [neighbour, stranger])
        t.equal(await answerTo(`/jmap/upload/${accountId}`, [accountId], init), expected)
      t.equal((await ask(`/jmap/upload/${alice.accountId}`, init)).status, 201)
    },
  )

  t.test('the event source reports nothing about accounts of others', async (t) => {
    const response = await ask('/jmap/eventsource?types=*&closeafter=no&ping=0')
    const stream = eventStream(t, response)
    await neighbour.receive(mail())
    await stranger.receive(mail())
    await alice.receive(mail())
    const told = (await stream.nextEvent()) as Result
    t.same(Object.keys(told.data.changed), [alice.accountId], 'the first event is of the own account')
  })
})
