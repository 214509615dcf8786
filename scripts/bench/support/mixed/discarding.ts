/** A mail server on loopback that accepts every message, discards and counts it. */
import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'

export interface Discarding {
  readonly port: number
  messages(): number
  close(): void
}

export async function startDiscarding(): Promise<Discarding> {
  let count = 0
  const discarding = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onData(stream, _session, callback) {
      stream.on('data', () => {})
      stream.on('end', () => {
        count++
        callback()
      })
    },
  })
  discarding.on('error', () => {})
  const listener = discarding.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const { port } = listener.address() as { port: number }
  return { port, messages: () => count, close: () => discarding.close(() => {}) }
}
