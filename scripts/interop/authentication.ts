/**
 * Results of our sender checks on the published suites: RFC 7208's cases (SPF), the ARC test suite, signed messages of other projects,
 * and cases of canonicalisation. Prints the figures and every deviation; exits 1 if a figure is not reached.
 *
 *     node scripts/interop/authentication.ts [--corpora FOLDER]
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { afterLineBreak, readWholeHeader } from '../../jmap/message/header-block.ts'
import { BodyHashes } from '../../mta/inbound/checks/authentication/body-hashes.ts'
import { answerLookup, createLookup } from '../../mta/inbound/checks/authentication/lookup.ts'
import { checkSpf } from '../../mta/inbound/checks/authentication/sender.ts'
import { checkSignatures } from '../../mta/inbound/checks/authentication/signatures.ts'
import { SHARED_CORPORA } from '../../spec/support/corpora.ts'
import { type ZoneTable, zoneResolver } from './support/zone-resolver.ts'

const { values } = parseArgs({
  options: { corpora: { type: 'string', default: SHARED_CORPORA } },
})
if (!existsSync(values.corpora)) {
  console.error(`there are no corpora at ${values.corpora}: --corpora names another folder`)
  process.exit(2)
}

// A part of the library without types.
const require = createRequire(import.meta.url)
const { formatRelaxedLine } = require('mailauth/lib/tools.js') as {
  formatRelaxedLine(line: Buffer, end: string): Buffer
}

interface Outcome {
  readonly name: string
  readonly wanted: readonly string[]
  readonly got: string
}

function jsonFiles<T>(folder: string): { name: string; content: T }[] {
  return readdirSync(join(values.corpora, folder))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({ name, content: JSON.parse(readFileSync(join(values.corpora, folder, name), 'utf8')) as T }))
}

function lookupIn(table: ZoneTable) {
  const dns = zoneResolver(table)
  return createLookup((name, type) => answerLookup(dns, name, type))
}

interface SpfCase {
  readonly case: { helo: string; host: string; mailfrom: string; result: string | readonly string[] }
  readonly zonedata: ZoneTable
}

async function spfCases(): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const { name, content } of jsonFiles<SpfCase>('spf-rfc7208/rfc7208')) {
    const { helo, host, mailfrom, result } = content.case
    const client = { address: host, helo }
    const { result: got } = await checkSpf(lookupIn(content.zonedata), client, mailfrom, 'receiver.example')
    outcomes.push({ name, wanted: [result].flat(), got })
  }
  return outcomes
}

interface ArcCase {
  readonly case: { message: string; cv?: string }
  readonly 'txt-records': { readonly [name: string]: string }
}

async function arcCases(): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const { name, content } of jsonFiles<ArcCase>('arc-test-suite')) {
    if (!name.startsWith('validation')) continue
    const table = Object.fromEntries(Object.entries(content['txt-records']).map(([key, TXT]) => [key, [{ TXT }]]))
    const message = Buffer.from(content.case.message.replace(/\r?\n/g, '\r\n'))
    const { arc } = await checkSignatures(message, lookupIn(table), Date.now())
    outcomes.push({ name, wanted: arcVerdicts(content.case.cv), got: arc.result })
  }
  return outcomes
}

/** If the suite leaves the verdict empty, anything except a pass is accepted. */
function arcVerdicts(cv = 'none'): string[] {
  return cv === '' ? ['none', 'fail'] : [cv.toLowerCase()]
}

/** Text files: DNS records, an empty line, and a message with valid signatures or a valid chain. */
async function signedMessages(kind: 'dkim' | 'arc'): Promise<Outcome[]> {
  const folder = join(values.corpora, 'mail-auth', kind)
  const outcomes: Outcome[] = []
  for (const name of readdirSync(folder).sort()) {
    const text = readFileSync(join(folder, name), 'latin1').replace(/\r?\n/g, '\r\n')
    const end = text.indexOf('\r\n\r\n')
    const table: { [name: string]: { TXT: string }[] } = {}
    for (const record of text.slice(0, end).split('\r\n')) {
      const space = record.indexOf(' ')
      table[record.slice(0, space).replace(/\.$/, '')] = [{ TXT: record.slice(space + 1) }]
    }
    // Signatures expire: the message is checked at the time of its signature.
    const signedAt = Number(/[;\s]t=(\d+)/.exec(text.slice(end))?.[1] ?? 0) * 1_000 || Date.now()
    const report = await checkSignatures(Buffer.from(text.slice(end + 4), 'latin1'), lookupIn(table), signedAt)
    const results = kind === 'arc' ? [report.arc] : report.dkim
    const why = report.dkim.map(({ result, reason }) => `${result} ${reason ?? ''}`).join(', ')
    outcomes.push({ name, wanted: ['pass'], got: results.some(({ result }) => result === 'pass') ? 'pass' : why })
  }
  return outcomes
}

interface CanonCase {
  readonly email: string
  readonly 'simple.expected': string
  readonly 'relaxed.expected': string
}

/** RFC 6376 3.4: both forms of header and body, as the verifier computes them. */
function canonicalForms(): Outcome[] {
  const plain = (text: string) => Buffer.from(text.replace(/^base64:/, ''), 'base64')
  return jsonFiles<CanonCase>('flanker/dkim-canon').flatMap(({ name, content }) => {
    const email = Buffer.from(plain(content.email).toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1')
    const { fields: read, bodyStart } = readWholeHeader(email)
    const body = email.subarray(bodyStart)
    return (['simple', 'relaxed'] as const).map((form) => {
      const expected = plain(content[`${form}.expected`])
      const fields = read.map(({ lineStart, end }) =>
        email.subarray(lineStart, afterLineBreak(email, end, email.length)),
      )
      const header = Buffer.concat([
        ...fields.map((field) => (form === 'simple' ? field : formatRelaxedLine(field, '\r\n'))),
        Buffer.from('\r\n'),
      ])
      const hashes = new BodyHashes()
      const hasher = hashes.add(form, 'sha256', Number.POSITIVE_INFINITY)
      hashes.update(body)
      const hash = createHash('sha256').update(expected.subarray(header.length)).digest('base64')
      const isEqual = expected.subarray(0, header.length).equals(header) && hasher.digest('base64') === hash
      return { name: `${name} ${form}`, wanted: ['equal'], got: isEqual ? 'equal' : 'different' }
    })
  })
}

/** @returns whether the figure is reached */
function tell(title: string, outcomes: readonly Outcome[], least: number): boolean {
  const isRight = ({ wanted, got }: Outcome) => wanted.includes(got)
  const wrong = outcomes.filter((outcome) => !isRight(outcome))
  const wrongPasses = wrong.filter(({ got }) => got === 'pass')
  const share = (outcomes.length - wrong.length) / outcomes.length
  console.log(
    `${title}: ${outcomes.length - wrong.length} of ${outcomes.length} (${(share * 100).toFixed(1)} %), ${wrongPasses.length} wrongly as pass`,
  )
  for (const { name, wanted, got } of wrong) console.log(`  ${name}: wanted ${wanted.join(' or ')}, got ${got}`)
  return share >= least && wrongPasses.length === 0
}

const reached = [
  tell('SPF, RFC 7208', await spfCases(), 0.95),
  tell('ARC, validation', await arcCases(), 0.98),
  tell('DKIM, canonical forms', canonicalForms(), 1),
  tell('DKIM, signed messages', await signedMessages('dkim'), 1),
  tell('ARC, sealed messages', await signedMessages('arc'), 1),
]
process.exitCode = reached.every(Boolean) ? 0 : 1
