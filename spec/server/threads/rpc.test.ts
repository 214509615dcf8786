import { MessageChannel } from 'node:worker_threads'
import t, { type Test } from 'tap'
import { Failure } from '../../../server/base/errors.ts'
import { detach } from '../../../server/threads/octets.ts'
import { emitEvent, RpcClient, type RpcHandler, serveRpc } from '../../../server/threads/rpc.ts'

function connect(t: Test, handlers: Record<string, RpcHandler>) {
  const { port1, port2 } = new MessageChannel()
  t.teardown(() => port1.close())
  const events: unknown[] = []
  const heard = Promise.withResolvers<void>()
  const client = new RpcClient(port1 as never, (event) => {
    events.push(event)
    heard.resolve()
  })
  serveRpc(port2, new Map(Object.entries(handlers)))
  const emit = (event: unknown) => emitEvent(port2, event)
  return { client, emit, events, heard: heard.promise }
}

t.test('calls are answered in the order in which they end', async (t) => {
  const first = Promise.withResolvers<void>()
  const { client } = connect(t, {
    slow: async () => {
      await first.promise
      return { value: 'slow' }
    },
    quick: async (...args) => {
      first.resolve()
      return { value: ['quick', ...args] }
    },
  })
  t.same(await Promise.all([client.call('slow', []), client.call('quick', [1, { a: 'b' }])]), [
    'slow',
    ['quick', 1, { a: 'b' }],
  ])
})

t.test('failures keep their code, other errors their message', async (t) => {
  const { client } = connect(t, {
    full: async () => {
      throw new Failure('storageFull', 'the disk is full')
    },
    broken: async () => {
      throw new TypeError('not a function')
    },
  })
  const failure = await client.call('full', []).catch((error: unknown) => error)
  t.ok(failure instanceof Failure)
  t.match(failure, { code: 'storageFull', message: 'the disk is full' })
  const error = await client.call('broken', []).catch((thrown: unknown) => thrown)
  t.notOk(error instanceof Failure)
  t.match(error, { message: 'not a function', stack: /rpc\.test/ })
  await t.rejects(client.call('nothing', []), /no handler for nothing/)
})

t.test('a value that cannot be cloned fails only its own call', async (t) => {
  const { client } = connect(t, {
    echo: async (...args) => ({ value: args }),
    secret: async () => ({ value: () => {} }),
  })
  await t.rejects(client.call('echo', [() => {}]))
  await t.rejects(client.call('secret', []))
  t.same(await client.call('echo', ['still here']), ['still here'])
})

t.test('octets are transferred unchanged, and the caller keeps its own', async (t) => {
  const { client } = connect(t, {
    reverse: async (...args) => {
      const [bytes] = args as unknown as [Uint8Array]
      const value = Uint8Array.from(bytes).reverse()
      return { value, transfer: [value.buffer] }
    },
  })
  // A slice of a pool: small Buffers share memory.
  const mine = Buffer.from('abc')
  const { value, transfer } = detach([mine])
  const back = await client.call<Uint8Array>('reverse', value, transfer)
  t.equal(Buffer.from(back).toString(), 'cba')
  t.equal(mine.toString(), 'abc')
  t.equal(value[0]!.length, 0, 'the copy was transferred, not copied again')
})

t.test('events reach the client', async (t) => {
  const { emit, events, heard } = connect(t, {})
  emit({ account: 1 })
  await heard
  t.same(events, [{ account: 1 }])
})

t.test('when the other side has ended, waiting and later calls fail', async (t) => {
  const { client } = connect(t, { never: () => new Promise(() => {}) })
  const waiting = client.call('never', [])
  client.end(new Failure('storageUnavailable', 'the writer thread has ended'))
  await t.rejects(waiting, { code: 'storageUnavailable' })
  await t.rejects(client.call('never', []), { code: 'storageUnavailable' })
})
