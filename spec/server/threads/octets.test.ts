import t from 'tap'
import { PARSE_BEFORE_WRITER_MAX_BYTES } from '../../../server/base/limits.ts'
import { detach } from '../../../server/threads/octets.ts'
import { writingHandlers } from '../../../server/threads/writing-handlers.ts'

const LARGE = PARSE_BEFORE_WRITER_MAX_BYTES + 1

t.test('octets anywhere in plain data are copied into transferred memory, and the rest stays unchanged', async (t) => {
  const small = Buffer.from('small')
  const message = { bytes: small, to: ['a', 'b'], at: 1, none: null, nested: { deep: [{ bytes: Buffer.from('x') }] } }
  const { value, transfer } = detach([message, 'text'] as const)
  t.same(value, [
    { ...message, bytes: new Uint8Array(small), nested: { deep: [{ bytes: Uint8Array.of(120) }] } },
    'text',
  ])
  t.equal(transfer.length, 1, 'small octets share memory')
  t.equal(value[0].bytes.buffer, transfer[0])
  structuredClone(value, { transfer: [...transfer] })
  t.equal(value[0].bytes.length, 0)
  t.equal(small.toString(), 'small', 'the caller keeps its own')
})

t.test('data without octets transfers nothing', async (t) => {
  t.same(detach([{ a: 1 }]), { value: [{ a: 1 }], transfer: [] })
})

t.test('large octets are detached only if the service says so and they are alone in their memory', async (t) => {
  const own = new Uint8Array(LARGE)
  const slice = new Uint8Array(LARGE + 1).subarray(1)
  const small = new Uint8Array(LARGE - 1)
  t.equal(detach([own], LARGE - 1).value[0], own)
  for (const bytes of [slice, small]) t.not(detach([bytes], LARGE - 1).value[0], bytes)
  t.not(detach([own]).value[0], own)
  const { value, transfer } = detach([own, slice, own], LARGE - 1)
  t.equal(value[0]?.buffer, own.buffer)
  t.equal(value[1]?.length, LARGE)
  t.equal(transfer.length, 2, 'each piece of memory once')
})

t.test('a large queued message is given to the thread that claims it, without a copy', async (t) => {
  const bytes = Buffer.alloc(LARGE)
  const core: object = new Proxy(
    {},
    { get: (_, name) => (name === 'claimSubmissions' ? async () => [{ bytes }] : core) },
  )
  const claim = writingHandlers(core as never).get('claimSubmissions')!
  const { value, transfer } = await claim()
  t.equal((value as { bytes: Buffer }[])[0]!.bytes, bytes)
  t.same(transfer, [bytes.buffer])
})
