/** Mail to a host that answers, sent one by one while the queue is full, and the time that each message took. */
import { setTimeout as pause } from 'node:timers/promises'
import { SmtpClient } from '../../../spec/support/smtp-client.ts'

const EVERY_MS = 100
const PATIENCE_MS = 120_000

export interface HealthyMail {
  readonly count: number
  readonly recipient: string
  message(id: string): string
}

export interface Sender {
  readonly submission: { readonly tls_port: number }
  readonly mailbox: { readonly address: string; readonly password: string }
}

/** Sends over SMTP submission: Message-IDs to times of acknowledgement. */
export async function sendOneByOne(
  { submission, mailbox: { address, password } }: Sender,
  { count, recipient, message }: HealthyMail,
): Promise<Map<string, number>> {
  const client = await SmtpClient.connect(submission.tls_port, { tls: true })
  const login = Buffer.from(`\0${address}\0${password}`).toString('base64')
  await client.commands(['EHLO client.test', '250'], [`AUTH PLAIN ${login}`, '235'])
  const sent = new Map<string, number>()
  for (let i = 0; i < count; i++) {
    const id = `fair${i}@example.test`
    const reply = await client.send(address, [recipient], message(id))
    if (!reply.startsWith('250')) throw new Error(reply)
    sent.set(id, performance.now())
    await pause(EVERY_MS)
  }
  client.end()
  return sent
}

/** Waits for the messages. @param arrived Message-IDs to times of arrival; it is filled meanwhile */
export async function waitsOf(
  sent: ReadonlyMap<string, number>,
  arrived: ReadonlyMap<string, number>,
): Promise<{ p95: number; words: string }> {
  for (const until = Date.now() + PATIENCE_MS; arrived.size < sent.size && Date.now() < until; ) await pause(100)
  const waits = [...sent].map(([id, at]) => (arrived.get(id) ?? Number.POSITIVE_INFINITY) - at).sort((a, b) => a - b)
  const at = (part: number) => waits[Math.ceil(waits.length * part) - 1]!
  const [p50, p95, last] = [at(0.5), at(0.95), at(1)].map((ms) => ms.toFixed(0))
  return {
    p95: at(0.95),
    words: `${arrived.size} of ${sent.size} arrived, p50 ${p50} ms, p95 ${p95} ms, the last ${last} ms`,
  }
}
