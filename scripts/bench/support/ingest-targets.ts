/** Mail servers for scripts/bench/ingest.ts. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { cpuMs } from './cpu.ts'
import { harakaProgram, startHaraka } from './haraka.ts'
import { freePort } from './ports.ts'
import { hasPostfix, startPostfixMaildir } from './postfix.ts'
import { type Running, startPosthouse } from './posthouse.ts'
import { startSenderDns } from './sender-dns.ts'

export interface Target {
  readonly name: string
  readonly port: number
  readonly recipient: string
  /** Whether ours is compared with it. */
  readonly isPeer: boolean
  /** Which of the two rates counts: until the last reply, or until the last message is in its final store. */
  final(figure: { readonly rate: number; readonly settled: number }): number
  /** Resolves when all sent messages are in their final place. */
  settled(messages: number): Promise<void>
  cpuMs(): number
  stop(): Promise<void>
}

const RECIPIENT = 'hello@example.test'
const POLL_MS = 20

export async function startBound(): Promise<Target> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'discard-server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    name: 'smtp-server that discards',
    port: Number(line),
    recipient: RECIPIENT,
    isPeer: true,
    final: ({ rate }) => rate,
    settled: async () => {},
    cpuMs: () => cpuMs(child.pid!),
    stop: async () => void child.kill(),
  }
}

export async function startOurs(name: string, checked: boolean): Promise<Target> {
  const dns = checked ? await startSenderDns() : null
  const server = await startPosthouse(dns?.options ?? [])
  return {
    name,
    port: server.smtp.port,
    recipient: server.mailbox.address,
    isPeer: false,
    // An acknowledged message is in its mailbox.
    final: ({ rate }) => rate,
    settled: () => searched(server),
    cpuMs: () => cpuMs(server.pid),
    async stop() {
      await server.stop()
      await dns?.close()
    },
  }
}

/** A search indexes its account first, so that this work counts too. */
async function searched({ http, api_key, mailbox }: Running): Promise<void> {
  const methodCalls = [['Email/query', { accountId: mailbox.id, filter: { text: 'harbour' }, limit: 1 }, '0']]
  const using = ['urn:ietf:params:jmap:core', 'urn:ietf:params:jmap:mail']
  const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ using, methodCalls })
  const text = await (await fetch(`${http}/jmap/api`, { method: 'POST', headers, body })).text()
  if (!text.includes('"ids":["msg_')) throw new Error(`the search found nothing: ${text.slice(0, 300)}`)
}

/** Empty if Postfix is not installed. */
export async function startPostfixTarget(): Promise<Target[]> {
  if (!hasPostfix()) {
    console.log('Postfix is not installed')
    return []
  }
  const instance = startPostfixMaildir(await freePort(), 'example.test')
  await listening(instance.port)
  let expected = 0
  const target: Target = {
    name: 'Postfix to Maildir',
    port: instance.port,
    recipient: RECIPIENT,
    isPeer: true,
    final: ({ settled }) => settled,
    async settled(messages) {
      expected += messages
      while (instance.delivered() < expected) await sleep(POLL_MS)
    },
    cpuMs: instance.cpuMs,
    stop: async () => instance.stop(),
  }
  return [target]
}

/** Empty if Haraka is not installed. */
export async function startHarakaTarget(): Promise<Target[]> {
  const program = harakaProgram()
  if (program === null) {
    console.log('Haraka is not installed: the environment variable HARAKA names no folder of its package')
    return []
  }
  const port = await freePort()
  const instance = startHaraka(program, port)
  await listening(port)
  const target: Target = {
    name: 'Haraka, queue on disk',
    port,
    recipient: RECIPIENT,
    isPeer: true,
    final: ({ rate }) => rate,
    settled: async () => {},
    cpuMs: () => cpuMs(instance.pid),
    stop: () => instance.stop(),
  }
  return [target]
}

async function listening(port: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    const socket = connect(port, '127.0.0.1')
    const came = await Promise.race([
      once(socket, 'data').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (came) return
    if (tries > 100) throw new Error(`nothing listens on ${port}`)
    await sleep(100)
  }
}
