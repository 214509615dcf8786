// Decision D20: files of newsletters, sent to anybody
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { MediaPages } from '../../../server/pages/media/media-pages.ts'
import { MediaSends } from '../../../server/pages/media/media-sends.ts'

const SIZE = 50_000_000
const PATH = '/media/1.token.mp4'

async function startMedia(t: Test) {
  const pieces: number[] = []
  const media = {
    find: async () => ({ type: 'video/mp4', size: SIZE, name: 'a.mp4' }),
    read: async (_path: string, start: number, end: number) => {
      pieces.push(end - start)
      return Buffer.alloc(end - start)
    },
  }
  // The client's address is what the test says it is.
  const client = { ip: ({ headers }: { headers: NodeJS.Dict<string | string[]> }) => String(headers['x-client']) }
  const pages = new MediaPages({ media }, client, new MediaSends(3, 2))
  const server = createServer((request, response) => {
    void pages.answer(request, response, request.url!).catch(() => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  /** A client that reads the first octets and then no more. */
  const stopped = async (ip: string): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-Client: ${ip}\r\n\r\n`)
    await once(socket, 'readable')
    socket.on('error', () => {})
    return socket
  }
  const whole = (ip: string) => fetch(`http://127.0.0.1:${port}${PATH}`, { headers: { 'X-Client': ip } })
  return { pieces, stopped, whole }
}

/** Resolves when the server has ended the connection. */
async function ended(socket: Socket): Promise<void> {
  socket.resume()
  await once(socket, 'close')
}

t.test('clients that do not read hold little memory, and give way to others', async (t) => {
  const { pieces, stopped, whole } = await startMedia(t)
  const first = await stopped('192.0.2.1')
  const second = await stopped('192.0.2.1')
  t.ok(Math.max(...pieces) <= 131_072)
  const third = await stopped('192.0.2.1')
  await ended(first)
  const fourth = await stopped('192.0.2.2')
  const answer = await whole('192.0.2.3')
  t.equal((await answer.arrayBuffer()).byteLength, SIZE, 'who reads gets the whole file')
  await ended(second)
  t.notOk(third.destroyed || fourth.destroyed, 'control: as many as may be are kept')
  third.destroy()
  fourth.destroy()
})
