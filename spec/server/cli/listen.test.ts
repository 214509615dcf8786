import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
// @ts-expect-error the sample has no types
import { createReceiver } from '../../../server/pages/docs/examples/webhook-receiver.mjs'
import { runCommand, serve, startCommand } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/posthouse.ts'
import { until } from '../../support/until.ts'

interface Line {
  readonly [name: string]: unknown
}

async function startListening(t: Test, args: readonly string[], input = '') {
  const running = startCommand(t, ['listen', '--json', ...args], { input })
  const line = async (): Promise<Line> => JSON.parse(await running.line())
  return { ...running, line, ready: await line() }
}

t.test('events are printed and forwarded with signatures that the sample receiver accepts', async (t) => {
  const data = temporaryFolder(t)
  const { ready: server } = await serve(t, data)
  const authorization = { Authorization: `Bearer ${server.api_key}` }
  const send = async (text: string) => {
    const body = JSON.stringify({ from: server.mailbox.address, to: server.mailbox.address, subject: text, text })
    const headers = { ...authorization, 'Content-Type': 'application/json' }
    const answer = await fetch(`${server.http}/api/v1/messages`, { method: 'POST', headers, body })
    if (answer.status !== 201) throw new Error(await answer.text())
  }
  await send('Before')
  await until(async () => {
    const answer = await fetch(`${server.http}/api/v1/events?type=message.received`, { headers: authorization })
    const { data } = (await answer.json()) as { data: unknown[] }
    if (data.length === 0) throw new Error('it is not delivered yet')
  })
  const received: { event_type: string; data: { subject: string } }[] = []
  const secret = 'whsec_of-the-test'
  const receiver = createReceiver(secret, (event: (typeof received)[number]) => received.push(event))
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.teardown(() => void receiver.close())
  const forward = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`
  const args = [`--server=${server.http}`, `--data=${data}`, `--forward=${forward}`, '--events=message.received']

  const good = await startListening(t, [...args, '--secret-stdin'], `${secret}\n`)
  t.match(good.ready, { ready: true, forward, secret })
  const other = await startListening(t, args)
  t.match(other.ready['secret'], /^whsec_[\w-]{43}$/)
  await send('While listening')
  const told = await good.line()
  t.match(told, { event_type: 'message.received', status: 204, data: { subject: 'While listening' } })
  t.match(await other.line(), { event_id: told['event_id'], status: 401 }, 'control: another secret')
  t.match(received, [{ event_type: 'message.received', data: { subject: 'While listening' } }])
  t.equal(received.length, 1, 'nothing from before it listened, and no other type')

  receiver.closeAllConnections()
  receiver.close()
  await send('Nobody is there')
  t.match(await good.line(), { data: { subject: 'Nobody is there' }, error: 'ECONNREFUSED' })
  t.equal(await good.stop(), 0)
})

t.test('a wrong command line, no server and a wrong key are each one sentence', async (t) => {
  const data = temporaryFolder(t)
  const nowhere = ['listen', `--data=${data}`, '--server=http://127.0.0.1:9']
  const cases: [args: string[], input: string, code: number, words: RegExp][] = [
    [[...nowhere], '', 1, /no key of dev mode/],
    [[...nowhere, '--key-stdin'], 'sk_x\n', 1, /127\.0\.0\.1:9 does not answer/],
    [[...nowhere, '--key-stdin'], '', 2, /standard input has no API key/],
    [[...nowhere, '--events=mail'], '', 2, /there is no type "mail"/],
    [[...nowhere, '--forward=localhost'], '', 2, /--forward must be an http or https URL/],
  ]
  for (const [args, input, code, words] of cases) {
    const ended = await runCommand(args, { input })
    t.match(ended, { code, stderr: words })
    t.notMatch(ended.stderr, /\n\s+at /, 'no stack')
  }
})
