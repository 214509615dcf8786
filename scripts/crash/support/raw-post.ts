/** One POST over a separate socket, with the time at which the server has the whole body. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { BadRequest } from './bad-requests.ts'

export interface RawAnswer {
  readonly status: number
  readonly body: string
  /** Milliseconds from the last sent octet to the response. */
  readonly ms: number
}

/** @param url of the API; `authorization` is the value of the header field */
export async function rawPost(url: URL, authorization: string, request: BadRequest): Promise<RawAnswer> {
  const socket = connect(Number(url.port), url.hostname)
  // An early response is expected; writing the rest then fails.
  socket.on('error', () => {})
  await once(socket, 'connect')
  const answered = readAnswer(socket)
  let done = false
  answered.then(
    () => (done = true),
    () => (done = true),
  )
  const sent = await sendBody(socket, url, authorization, request, () => done)
  const { status, body, at } = await answered
  socket.destroy()
  return { status, body, ms: Math.max(0, at - sent) }
}

async function sendBody(
  socket: Socket,
  url: URL,
  authorization: string,
  { body, headers, chunked }: BadRequest,
  isAnswered: () => boolean,
): Promise<number> {
  const length = chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(body.length) }
  const fields = {
    Host: url.host,
    Authorization: authorization,
    'Content-Type': 'application/json',
    ...headers,
    ...length,
  }
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  await write(socket, `POST ${url.pathname} HTTP/1.1\r\n${head.join('')}\r\n`)
  if (chunked) {
    let last = performance.now()
    const pieces = chunked === 'endless' ? 100_000 : Math.ceil(body.length / 65_536)
    for (let i = 0; i < pieces && !isAnswered(); i++) {
      const piece = chunked === 'endless' ? body : body.subarray(i * 65_536, (i + 1) * 65_536)
      last = performance.now()
      await write(socket, Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]))
    }
    if (chunked === 'whole') await write(socket, '0\r\n\r\n')
    return last
  }
  // All octets but the last first: the server's work on the body begins with the last one.
  await write(socket, body.subarray(0, -1))
  await new Promise((resolve) => setTimeout(resolve, 100))
  const at = performance.now()
  await write(socket, body.subarray(-1))
  return at
}

function write(socket: Socket, data: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed || data.length === 0) resolve()
    else if (socket.write(data)) resolve()
    else {
      socket.once('drain', resolve)
      socket.once('close', resolve)
    }
  })
}

async function readAnswer(socket: Socket): Promise<{ status: number; body: string; at: number }> {
  const chunks: Buffer[] = []
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    const text = Buffer.concat(chunks).toString('latin1')
    const end = text.indexOf('\r\n\r\n')
    if (end < 0) continue
    const length = Number(/^content-length: (\d+)/im.exec(text.slice(0, end))?.[1] ?? 0)
    if (text.length >= end + 4 + length)
      return { status: Number(text.slice(9, 12)), body: text.slice(end + 4, end + 4 + length), at: performance.now() }
  }
  throw new Error('the connection ended without an answer')
}
