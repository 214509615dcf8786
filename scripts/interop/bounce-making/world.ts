/**
 * The network in which bounces are made: a DNS zone and mail servers that refuse, each in one way, on loopback addresses of a network
 * namespace of its own. Each way is a domain.
 */
import { createServer } from 'node:net'
import type { BounceClass } from '../../../jmap/mail/reports/reason.ts'
import type { ReportAction } from '../../../jmap/mail/reports/recipient.ts'
import { startDnsServer, type Zone } from '../../../spec/support/dns-server.ts'
import { type PeerMessage, type PeerOptions, startPeer } from '../../../spec/support/smtp-peer.ts'
import { REFUSALS, type Refusal } from './replies.ts'

export interface ExpectedRecipient {
  readonly address: string
  readonly action: ReportAction
  /** null: it was delivered. */
  readonly class: BounceClass | null
}

/** A message that must come back. */
export interface Provocation {
  readonly kind: string
  /** Every one that the bounces name; recipients that are accepted are not among them. */
  readonly expected: readonly ExpectedRecipient[]
  /** Its recipients, if they are others. */
  readonly to?: readonly string[]
  /** Recipients that are accepted. */
  readonly alsoTo?: readonly string[]
  /** Octets of the body; default: a few lines. */
  readonly size?: number
  /** Added header fields. */
  readonly fields?: readonly string[]
  /** Parameters of MAIL and RCPT (RFC 3461). */
  readonly mail?: string
  readonly rcpt?: string
  /** RFC 6531: the subject and an address are in UTF-8. */
  readonly isUtf8?: boolean
}

const NOBODY = { teardown: () => {} }
/** Bounces return to this domain. */
export const ORIGIN = 'origin.test'
const COLLECTOR = '127.0.0.250'

/** 127.1.0.1, 127.1.0.2 and so on. */
const addressOf = (index: number): string => `127.1.${index >> 8}.${(index & 255) + 1}`
const domainOf = (index: number): string => `r${index}.test`

export interface World {
  /** What came back. */
  readonly returned: readonly PeerMessage[]
}

/** Port 53 and 25 must be free on every loopback address. */
export async function startWorld(): Promise<World> {
  const zones: { [name: string]: Zone } = {
    ...DNS_FAILURES,
    [ORIGIN]: { a: [COLLECTOR] },
    'mta.test': { a: ['127.0.0.1'] },
  }
  for (const [i, refusal] of REFUSALS.entries()) {
    zones[domainOf(i)] = { mx: [[10, `mx.${domainOf(i)}`]] }
    zones[`mx.${domainOf(i)}`] = { a: [addressOf(i)] }
    await startPeer(NOBODY, { host: addressOf(i), port: 25, ...behaviour(refusal) })
  }
  for (const [i, [name, options]] of Object.entries(PEERS).entries()) {
    const host = `127.2.0.${i + 1}`
    zones[name] = { a: [host] }
    if (options === 'silent') createServer(() => {}).listen(25, host)
    else if (options === 'drops') createServer((socket) => socket.destroy()).listen(25, host)
    else await startPeer(NOBODY, { host, port: 25, ...options })
  }
  await startDnsServer(NOBODY, zones, 53)
  const collector = await startPeer(NOBODY, {
    host: COLLECTOR,
    port: 25,
    extensions: ['8BITMIME', 'SMTPUTF8', 'SIZE 0'],
  })
  return { returned: collector.messages }
}

function behaviour({ stage, reply }: Refusal): PeerOptions {
  if (stage === 'greeting') return { greeting: reply.replace('%d', 'mx.test') }
  let recipient = ''
  return {
    reply: (line) => {
      const verb = line === '.' ? '.' : line.slice(0, 4).toUpperCase()
      if (verb === 'RCPT') recipient = /<(.*)>/.exec(line)?.[1] ?? ''
      const refused = verb === stage || (stage === 'EHLO' && verb === 'HELO')
      if (!refused) return null
      return reply.replaceAll('%r', recipient).replaceAll('%d', recipient.replace(/^.*@/, ''))
    },
  }
}

const DNS_FAILURES: { [name: string]: Zone } = {
  // RFC 7505
  'null-mx.test': { mx: [[0, '']] },
  'mx-to-nothing.test': { mx: [[10, 'gone.mx-to-nothing.test']] },
  'no-records.test': {},
  'dns-fails.test': { rcode: 'servfail' },
  'mx-to-failing.test': { mx: [[10, 'dns-fails.test']] },
  'refused.test': { a: ['127.3.0.1'] },
  // The namespace has no route to it.
  'unreachable.test': { a: ['203.0.113.1'] },
  'myself.test': { mx: [[10, 'mta.test']] },
}

const SEVERAL: { readonly [localPart: string]: string } = {
  gone: '550 5.1.1 <gone@several.test>: Recipient address rejected: User unknown',
  full: '552 5.2.2 <full@several.test>: Mailbox full',
  closed: '554 5.7.1 <closed@several.test>: Delivery not authorized, message refused',
}

const PEERS: { readonly [domain: string]: PeerOptions | 'silent' | 'drops' } = {
  'silent.test': 'silent',
  'drops.test': 'drops',
  'drops-at-data.test': { reply: (line) => (line === 'DATA' ? 'close' : null) },
  'drops-at-end.test': { reply: (line) => (line === '.' ? 'close' : null) },
  'small.test': { extensions: ['SIZE 1000', '8BITMIME'] },
  'ascii.test': { extensions: ['8BITMIME'] },
  'no-tls.test': {},
  'broken-tls.test': { tls: 'broken' },
  'good.test': { extensions: ['8BITMIME', 'SIZE 0'] },
  'later.test': { reply: (line) => (line.startsWith('RCPT') ? '451 4.3.0 Try again later' : null) },
  'several.test': { reply: (line) => SEVERAL[/^RCPT TO:<([a-z]+)@/i.exec(line)?.[1] ?? ''] ?? null },
}

export const failed = (address: string, kind: BounceClass): ExpectedRecipient => ({
  address,
  action: 'failed',
  class: kind,
})

/** More than every server here accepts. */
export const MANY_HOPS = Array.from(
  { length: 12 },
  (_, i) => `Received: from a${i}.test by b${i}.test; Mon, 1 Jun 2026 10:00:00 +0000`,
)

/** What every server can be made to report. */
export const REMOTE: readonly Provocation[] = [
  ...REFUSALS.map(({ server, stage, class: kind, reply }, i) => ({
    kind: `${server}, ${stage}: ${reply.split('\n')[0]}`,
    expected: [failed(`ann.${i}@${domainOf(i)}`, kind)],
  })),
  { kind: 'no such domain', expected: [failed('ann@nowhere.test', 'hard')] },
  { kind: 'null MX', expected: [failed('ann@null-mx.test', 'hard')] },
  { kind: 'MX to nothing', expected: [failed('ann@mx-to-nothing.test', 'hard')] },
  { kind: 'no records', expected: [failed('ann@no-records.test', 'hard')] },
  { kind: 'SERVFAIL', expected: [failed('ann@dns-fails.test', 'soft')] },
  { kind: 'SERVFAIL of the MX', expected: [failed('ann@mx-to-failing.test', 'soft')] },
  { kind: 'connection refused', expected: [failed('ann@refused.test', 'soft')] },
  { kind: 'no route', expected: [failed('ann@unreachable.test', 'soft')] },
  { kind: 'mail loops back', expected: [failed('ann@myself.test', 'soft')] },
  { kind: 'no greeting', expected: [failed('ann@silent.test', 'soft')] },
  { kind: 'connection closed', expected: [failed('ann@drops.test', 'soft')] },
  { kind: 'connection closed at DATA', expected: [failed('ann@drops-at-data.test', 'soft')] },
  { kind: 'connection closed after the message', expected: [failed('ann@drops-at-end.test', 'soft')] },
  { kind: 'over SIZE', size: 4_000, expected: [failed('ann@small.test', 'soft')] },
  { kind: 'expiry', expected: [failed('ann@later.test', 'soft')] },
  {
    kind: 'three of four recipients',
    expected: [
      failed('gone@several.test', 'hard'),
      failed('full@several.test', 'soft'),
      failed('closed@several.test', 'policy'),
    ],
    alsoTo: ['fine@several.test'],
  },
  {
    kind: 'recipients of several domains',
    expected: [
      failed('ann@nowhere.test', 'hard'),
      failed('bob@refused.test', 'soft'),
      failed('gone@several.test', 'hard'),
    ],
    alsoTo: ['cy@good.test'],
  },
  {
    kind: 'NOTIFY=FAILURE RET=HDRS',
    mail: 'RET=HDRS ENVID=env-17',
    rcpt: 'NOTIFY=FAILURE ORCPT=rfc822;gone@several.test',
    expected: [failed('gone@several.test', 'hard')],
  },
  {
    kind: 'NOTIFY=SUCCESS',
    mail: 'RET=HDRS ENVID=env-18',
    rcpt: 'NOTIFY=SUCCESS',
    expected: [{ address: 'ann@good.test', action: 'relayed', class: null }],
  },
]

/** What a server that retries reports as a delay. */
export const DELAYS: readonly Provocation[] = REMOTE.filter(({ kind }) =>
  [
    'expiry',
    'connection refused',
    'no route',
    'no greeting',
    'connection closed',
    'SERVFAIL',
    'SERVFAIL of the MX',
  ].includes(kind),
).map((one) => ({
  ...one,
  rcpt: 'NOTIFY=DELAY,FAILURE',
  expected: one.expected.map((recipient) => ({ ...recipient, action: 'delayed' as const })),
}))

/** For servers that can be told so: TLS is required, UTF-8 is needed. */
export const REQUIREMENTS: readonly Provocation[] = [
  { kind: 'TLS required', expected: [failed('ann@no-tls.test', 'policy')] },
  { kind: 'TLS fails', expected: [failed('ann@broken-tls.test', 'policy')] },
  { kind: 'SMTPUTF8 not offered', isUtf8: true, expected: [failed('ännchen@ascii.test', 'policy')] },
]
