/** Ports of this machine: a free one, and whether a mail server answers on one. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { SmtpClient } from '../../../spec/support/smtp-client.ts'

const POLL_MS = 100
const TRIES = 100

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Resolves when a mail server greets on `port`; rejects after some ten seconds. */
export async function listening(port: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      const client = await SmtpClient.connect(port)
      client.end()
      return
    } catch (error) {
      if (tries > TRIES) throw error
      await sleep(POLL_MS)
    }
  }
}
