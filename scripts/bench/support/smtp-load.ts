/** An SMTP client that does as little as possible: connections kept open, one message after the other on each. */
import { connect, type Socket } from 'node:net'

/** Servers limit the messages on one connection. */
const MESSAGES_PER_CONNECTION = 5_000

export interface SmtpLoad {
  readonly host: string
  readonly port: number
  readonly connections: number
  readonly messages: number
  readonly recipient: string
  message(index: number): Buffer
}

/** Seconds until the last message was acknowledged. */
export async function sendLoad(load: SmtpLoad): Promise<number> {
  let next = 0
  const clients = await Promise.all(
    Array.from({ length: load.connections }, () => SmtpClient.open(load.host, load.port)),
  )
  const start = performance.now()
  await Promise.all(
    clients.map(async (first) => {
      let client = first
      for (let sent = 1; next < load.messages; sent++) {
        await client.send('sender@example.org', load.recipient, load.message(next++))
        if (sent % MESSAGES_PER_CONNECTION !== 0) continue
        client.close()
        client = await SmtpClient.open(load.host, load.port)
      }
      client.close()
    }),
  )
  return (performance.now() - start) / 1000
}

export class SmtpClient {
  readonly #socket: Socket
  #buffer = ''
  #waiting: ((reply: string) => void) | null = null
  #failed: Error | null = null

  constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.setEncoding('latin1')
    socket.on('error', (error) => {
      this.#failed = error
    })
    socket.on('data', (chunk) => {
      this.#buffer += chunk
      this.#deliver()
    })
  }

  static async open(host: string, port: number): Promise<SmtpClient> {
    const client = new SmtpClient(connect(port, host))
    await client.#reply('220')
    await client.#command('EHLO bench.example.org', '250')
    return client
  }

  async send(from: string, to: string, message: Buffer): Promise<void> {
    await this.#command(`MAIL FROM:<${from}>`, '250')
    await this.#command(`RCPT TO:<${to}>`, '250')
    await this.#command('DATA', '354')
    this.#socket.write(Buffer.concat([message, Buffer.from('.\r\n')]))
    await this.#reply('250')
  }

  close(): void {
    this.#socket.end('QUIT\r\n')
  }

  #command(line: string, expected: string): Promise<void> {
    this.#socket.write(`${line}\r\n`)
    return this.#reply(expected)
  }

  async #reply(expected: string): Promise<void> {
    const reply = await new Promise<string>((resolve) => {
      this.#waiting = resolve
      this.#deliver()
    })
    if (this.#failed) throw this.#failed
    if (!reply.startsWith(expected)) throw new Error(`expected ${expected}, got ${reply}`)
  }

  #deliver(): void {
    // The last line of a reply has a space after its code.
    const match = /^(?:\d{3}-[^\n]*\n)*\d{3} [^\n]*\n/.exec(this.#buffer)
    if (!match || !this.#waiting) return
    this.#buffer = this.#buffer.slice(match[0].length)
    const resolve = this.#waiting
    this.#waiting = null
    resolve(match[0].trim().split('\n').at(-1)!)
  }
}
