/**
 * Messages sent over SMTP as attempts, each with its own id in the header. An acknowledged attempt must be stored exactly once, whole;
 * another attempt at most once.
 */
import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'

export const ATTEMPT_FIELD = 'X-Crash-Attempt'

/** One in this many is too large for the database, and is stored in a pack. */
const LARGE_EVERY = 6
const LINES = 40
const LARGE_LINES = 600

export function attemptMessage(id: string): Buffer {
  const digest = createHash('sha256').update(id).digest()
  const line = digest.toString('hex')
  return Buffer.from(
    [
      'From: Ada <ada@example.org>',
      'To: hello@example.test',
      `Subject: Attempt ${id}`,
      `Message-ID: <${id}@example.org>`,
      `${ATTEMPT_FIELD}: ${id}`,
      '',
      ...Array.from({ length: digest[0]! % LARGE_EVERY === 0 ? LARGE_LINES : LINES }, (_, i) => `${i} ${line}`),
      '',
    ].join('\r\n'),
  )
}

/** Acknowledgements that clients got, in memory and in a file on another file system than the data. */
export class AckLog {
  readonly acknowledged = new Set<string>()
  readonly attempted = new Set<string>()
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  attempt(id: string): void {
    this.attempted.add(id)
  }

  /** Called after the reply was read. */
  acknowledge(id: string): void {
    this.acknowledged.add(id)
    appendFileSync(this.#file, `${id}\n`)
  }
}

/** Sends on one connection until `next` returns null or the connection ends. Never rejects. */
export async function sendAttempts(
  port: number,
  recipient: string,
  next: () => string | null,
  log: AckLog,
  failed: (id: string) => void,
): Promise<void> {
  const dialogue = new Dialogue(connect(port, '127.0.0.1'))
  let current: string | null = null
  try {
    await dialogue.reply()
    await dialogue.say('EHLO crash.example.org')
    for (current = next(); current !== null; current = next()) {
      log.attempt(current)
      await dialogue.say('MAIL FROM:<ada@example.org>')
      await dialogue.say(`RCPT TO:<${recipient}>`)
      await dialogue.say('DATA')
      await dialogue.say(`${attemptMessage(current).toString('latin1')}.`)
      log.acknowledge(current)
    }
  } catch {
    if (current !== null) failed(current)
  } finally {
    dialogue.end()
  }
}

class Dialogue {
  readonly #socket: Socket
  #text = ''
  #ended = false
  #wake: () => void = () => {}

  constructor(socket: Socket) {
    this.#socket = socket.setNoDelay(true).setEncoding('latin1')
    socket.on('data', (chunk) => {
      this.#text += chunk
      this.#wake()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#ended = true
      this.#wake()
    })
  }

  async say(line: string): Promise<void> {
    this.#socket.write(`${line}\r\n`, 'latin1')
    await this.reply()
  }

  /** @throws Error if the reply refuses, or there is none */
  async reply(): Promise<void> {
    for (;;) {
      const match = /^(?:\d{3}-[^\n]*\n)*(\d)\d\d [^\n]*\n/.exec(this.#text)
      if (match) {
        this.#text = this.#text.slice(match[0].length)
        if (match[1] !== '2' && match[1] !== '3') throw new Error(match[0].trim())
        return
      }
      if (this.#ended) throw new Error('the connection ended')
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  end(): void {
    this.#socket.destroy()
  }
}
