import t from 'tap'
import { startHttp } from '../../support/http-server.ts'

const MAIL = 'From: a@example.org\nSubject: Hi\n\nHi\n'

/** Reads events until there are as many as wanted. */
async function events(answer: Response, wanted: number): Promise<{ event: string; data: Record<string, unknown> }[]> {
  let text = ''
  for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.split('\n\n').length > wanted) break
  }
  return text
    .split('\n\n')
    .slice(0, wanted)
    .map((block) => {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2)))
      return { event: fields['event'], data: JSON.parse(fields['data']) }
    })
}

t.test('a delivery is told with the new states, then the connection ends when asked to', async (t) => {
  const { ask, alice } = await startHttp(t)
  const answer = await ask('/jmap/eventsource?types=*&closeafter=state&ping=0')
  t.equal(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8')
  await alice.receive(MAIL)
  const text = await answer.text()
  t.match(text, /^event: state\ndata: /)
  const { state } = await alice.call('Email/get', { ids: [] })
  t.match(JSON.parse(text.split('data: ')[1]!), {
    '@type': 'StateChange',
    changed: { [alice.accountId]: { Email: state, Mailbox: String, Thread: String } },
  })
})

t.test('only the types that were asked for are told', async (t) => {
  const { ask, alice } = await startHttp(t)
  const answer = await ask('/jmap/eventsource?types=Thread,Calendar&closeafter=no&ping=0')
  await alice.receive(MAIL)
  const [told] = await events(answer, 1)
  t.same(Object.keys((told!.data['changed'] as Record<string, object>)[alice.accountId]!), ['Thread'])
})

t.test('nobody hears of accounts that are not theirs', async (t) => {
  const { ask, alice, mailbox } = await startHttp(t)
  const bob = await mailbox('bob')
  const answer = await ask('/jmap/eventsource?types=*&closeafter=state&ping=0')
  await bob.receive(MAIL)
  await alice.receive(MAIL)
  const { changed } = JSON.parse((await answer.text()).split('data: ')[1]!)
  t.same(Object.keys(changed), [alice.accountId])
})

t.test('arguments that are none are refused', async (t) => {
  const { ask } = await startHttp(t)
  t.equal((await ask('/jmap/eventsource?types=*&closeafter=never&ping=0')).status, 400)
  t.equal((await ask('/jmap/eventsource?types=*&closeafter=no&ping=-1')).status, 400)
})

t.test('stopping the server ends event sources', async (t) => {
  const { ask, listener } = await startHttp(t)
  const answer = await ask('/jmap/eventsource?types=*&closeafter=no&ping=0')
  const text = answer.text()
  await listener.stop()
  t.equal(await text, '')
})
