import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import t from 'tap'
import { BodyReader } from '../../../server/base/http/request-body.ts'

t.test('the chunks of a body are freed when they are copied, unless they share their memory', async (t) => {
  for (const hasLength of [true, false]) {
    const alone = Buffer.allocUnsafeSlow(65_536).fill('a')
    const memory = Buffer.allocUnsafeSlow(200).fill('b')
    const chunks = [alone, memory.subarray(0, 100), Buffer.from('c')]
    const wanted = Buffer.concat(chunks)
    const headers = hasLength ? { 'content-length': String(wanted.length) } : {}
    const request = Object.assign(new EventEmitter(), { headers }) as unknown as IncomingMessage
    const body = new BodyReader().read(request, wanted.length, () => new Error('too large'))
    for (const chunk of chunks) request.emit('data', chunk)
    request.emit('end')
    t.ok((await body).equals(wanted))
    t.equal(alone.buffer.byteLength, 0)
    t.equal(memory.toString(), 'b'.repeat(200))
  }
})

t.test('a body of one chunk is that chunk', async (t) => {
  const request = Object.assign(new EventEmitter(), { headers: {} })
  const body = new BodyReader().read(request as unknown as IncomingMessage, 100, () => new Error('too large'))
  const chunk = Buffer.from('whole')
  request.emit('data', chunk)
  request.emit('end')
  t.equal(await body, chunk)
})
