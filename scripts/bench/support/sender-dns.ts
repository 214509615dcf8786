/** A DNS server on loopback with records of the benchmarks' senders, so that all sender checks run to their end. */
import { startDnsServer } from '../../../spec/support/dns-server.ts'

export interface SenderDns {
  /** Options of `serve`: all checks on, with queries to this server. */
  readonly options: readonly string[]
  close(): Promise<void>
}

/** Answers like a real resolver: with TTLs, also for absences. */
export async function startSenderDns(): Promise<SenderDns> {
  const closing: (() => unknown)[] = []
  const teardown = (close: () => unknown) => void closing.push(close)
  const { server } = await startDnsServer({ teardown } as Parameters<typeof startDnsServer>[0], {
    'example.org': { txt: [['v=spf1 ip4:127.0.0.0/8 -all']], ttl: 300 },
    '_dmarc.example.org': { txt: [['v=DMARC1; p=reject']], ttl: 300 },
    '_dmarc.org': { negativeTtl: 300 },
    '1.0.0.127.in-addr.arpa': { ptr: ['bench.example.org'], ttl: 300 },
    'bench.example.org': { a: ['127.0.0.1'], ttl: 300 },
    '1.0.0.127.list.example.org': { negativeTtl: 300 },
  })
  return {
    options: ['--sender-checks', 'on', '--dns', server, '--dns-lists', 'list.example.org'],
    async close() {
      for (const close of closing) await close()
    },
  }
}
