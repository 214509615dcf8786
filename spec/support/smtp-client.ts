/** A raw SMTP client: writes given octets and reads whole replies. */
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

export class SmtpClient {
  #socket: Socket
  #text = ''
  #closed = false
  #wake: () => void = () => {}
  /** All output of the server. */
  log = ''

  private constructor(socket: Socket) {
    this.#socket = socket
    this.#listen()
  }

  /** Connects and reads the greeting. */
  static async connect(port: number, options: { tls?: boolean } = {}): Promise<SmtpClient> {
    const client = await SmtpClient.open(port, options)
    await client.reply()
    return client
  }

  static async open(port: number, { tls = false }: { tls?: boolean } = {}): Promise<SmtpClient> {
    const socket = tls
      ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
      : connect({ port, host: '127.0.0.1' })
    socket.setNoDelay(true)
    const client = new SmtpClient(socket)
    await new Promise<void>((resolve, reject) => {
      socket.once(tls ? 'secureConnect' : 'connect', () => resolve())
      socket.once('error', reject)
    })
    return client
  }

  write(octets: string | Buffer): void {
    this.#socket.write(octets)
  }

  /** Sends a command line and reads its reply. */
  async command(line: string): Promise<string> {
    this.write(`${line}\r\n`)
    return this.reply()
  }

  /** Sends commands and requires replies that begin with the given codes; returns the last reply. */
  async commands(...pairs: [line: string, code: string][]): Promise<string> {
    let reply = ''
    for (const [line, code] of pairs) {
      reply = await this.command(line)
      if (!reply.startsWith(code)) throw new Error(`${line}: wanted ${code}, got ${reply}`)
    }
    return reply
  }

  /** The next reply, its lines joined by \n; '' if the connection was closed instead. */
  async reply(): Promise<string> {
    for (;;) {
      const match = /^(?:\d{3}-[^\n]*\n)*\d{3}(?: [^\n]*)?\r?\n/.exec(this.#text)
      if (match) {
        this.#text = this.#text.slice(match[0].length)
        return match[0].replace(/\r/g, '').trimEnd()
      }
      if (this.#closed) return ''
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** MAIL, RCPT and DATA with a whole message; the reply to its end. */
  async send(from: string, to: readonly string[], message: string | Buffer): Promise<string> {
    await this.commands([`MAIL FROM:<${from}>`, '250'])
    for (const address of to) await this.commands([`RCPT TO:<${address}>`, '250'])
    await this.commands(['DATA', '354'])
    this.write(message)
    return this.command('\r\n.')
  }

  /** STARTTLS and the handshake. @param inClear octets sent in the same packet as the command. */
  async startTls(inClear = ''): Promise<void> {
    await this.startTlsWith(`STARTTLS\r\n${inClear}`)
  }

  /** The same with given octets, which begin with the command and its line end. */
  async startTlsWith(octets: string): Promise<void> {
    this.write(Buffer.from(octets, 'latin1'))
    const answer = await this.reply()
    if (!answer.startsWith('220')) throw new Error(`STARTTLS: wanted 220, got ${answer}`)
    this.#socket.removeAllListeners('data')
    const plain = this.#socket
    this.#text = ''
    this.#socket = connectTls({ socket: plain, rejectUnauthorized: false })
    this.#listen()
    await new Promise((resolve, reject) => {
      this.#socket.once('secureConnect', resolve as () => void)
      this.#socket.once('error', reject)
    })
  }

  /** Resolves when the server has closed. */
  async closed(): Promise<void> {
    while (!this.#closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  reset(): void {
    this.#socket.resetAndDestroy()
  }

  end(): void {
    this.#socket.destroy()
  }

  #listen(): void {
    this.#socket.on('data', (chunk) => {
      this.#text += chunk.toString('utf8')
      this.log += chunk.toString('utf8')
      this.#wake()
    })
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => {
      this.#closed = true
      this.#wake()
    })
  }
}
