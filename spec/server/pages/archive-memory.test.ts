// Decision D19: what visitors of the archive may make the server hold
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t from 'tap'
import { ManualClock } from '../../../server/base/clock.ts'
import { ARCHIVE_KEEP_MS, ARCHIVE_KEPT_MAX_BYTES, ARCHIVE_PAGES_KEPT } from '../../../server/base/newsletter-limits.ts'
import { KeptAnswers } from '../../../server/pages/archive/kept-answers.ts'
import { UnsentPages } from '../../../server/pages/archive/unsent-pages.ts'

t.test('pages are kept up to a number and to octets, each for a minute, and not when there is none', async (t) => {
  const clock = new ManualClock()
  const kept = new KeptAnswers<{ size: number }>(clock, ({ size }) => size)
  let asked = 0
  const get = async (name: string, size: number | null) => {
    const before = asked
    await kept.get(name, async () => {
      asked++
      return size === null ? null : { size }
    })
    return asked > before
  }
  const large = ARCHIVE_KEPT_MAX_BYTES / 4
  t.same([await get('a', large), await get('a', large)], [true, false])
  for (const name of ['b', 'c', 'd']) await get(name, large)
  t.equal(await get('a', large), false, 'control: four fit')
  await get('e', large)
  t.same([await get('e', large), await get('b', large)], [false, false], 'the newest stay')
  t.equal(await get('a', large), true, 'the oldest was forgotten')
  await get('huge', ARCHIVE_KEPT_MAX_BYTES + 1)
  t.same([await get('huge', ARCHIVE_KEPT_MAX_BYTES + 1), await get('x', 1), await get('x', 1)], [true, true, false])
  t.same([await get('none', null), await get('none', null)], [true, true])
  for (let i = 0; i <= ARCHIVE_PAGES_KEPT; i++) await get(`small ${i}`, 1)
  t.same([await get('x', 1), await get(`small ${ARCHIVE_PAGES_KEPT}`, 1)], [true, false])
  clock.advance(ARCHIVE_KEEP_MS)
  t.equal(await get('x', 1), true, 'a minute is over')
  const error = new Error('fails')
  await t.rejects(
    kept.get('y', () => Promise.reject(error)),
    error,
  )
  t.equal(await get('y', 1), true, 'a failure is not kept')
})

t.test('visitors who do not read give way to others', async (t) => {
  const page = Buffer.alloc(20_000_000)
  const unsent = new UnsentPages(2 * page.length)
  const responses: ServerResponse[] = []
  const server = createServer((_request, response) => {
    responses.push(response)
    response.end(page)
    unsent.hold(response, page.length)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const stopped = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'readable')
    return socket
  }
  const [first, second] = [await stopped(), await stopped()]
  t.same(
    responses.map(({ closed }) => closed),
    [false, false],
    'control: as many as may be wait',
  )
  const third = await stopped()
  first.resume()
  await once(first, 'close')
  t.same(
    responses.map(({ destroyed }) => destroyed),
    [true, false, false],
  )
  const whole = await fetch(`http://127.0.0.1:${port}/`)
  t.equal((await whole.arrayBuffer()).byteLength, page.length, 'who reads gets the whole page')
  for (const socket of [second, third]) socket.destroy()
})
