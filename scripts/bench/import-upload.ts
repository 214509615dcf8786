/**
 * The upload of a large file for an import: cut some times on the way and resumed where the server says. Time, and memory above idle. The octets
 * are made while they are sent. Exits 1 if octets are missing, or if memory grows beyond 200 MiB.
 *
 *     server/node scripts/bench/import-upload.ts [--octets 4294967296] [--cuts 3]
 */
import { readFileSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { wholeNumber } from '../whole-number.ts'
import { startPosthouse } from './support/posthouse.ts'

const { values } = parseArgs({
  options: { octets: { type: 'string', default: '4294967296' }, cuts: { type: 'string', default: '3' } },
})
const size = wholeNumber(values, 'octets')
const cuts = wholeNumber(values, 'cuts', 0)
const MIB = 1_048_576
const MAX_MIB = 200
/** The end of a connection may not be noticed at once. */
const NOTICED_MS = 200
const TRIES = 50
const CHUNK = Buffer.alloc(MIB, `From x Fri Jan 02 08:00:00 2015\nSubject: filling\n\n${'text '.repeat(200)}\n\n`)

const server = await startPosthouse(['--rate-write=0'])
const memory = (name: 'VmRSS' | 'RssAnon') =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))![1]) / 1_024

async function staged(): Promise<URL> {
  const answer = await fetch(`${server.http}/api/v1/mailboxes/${server.mailbox.id}/imports/files`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${server.api_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ file_name: 'large.mbox', size_bytes: size }),
  })
  if (!answer.ok) throw new Error(await answer.text())
  return new URL(((await answer.json()) as { upload_url: string }).upload_url)
}

const url = await staged()
const target = new URL(url.pathname, server.http)

/** Octets that are there. */
async function offset(): Promise<number> {
  const answer = await fetch(target, { method: 'HEAD' })
  return Number(answer.headers.get('upload-offset'))
}

/** Sends octets of the file; the connection ends after `until` of them. @returns the status; null: it was cut */
function send(from: number, until: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Range': `bytes ${from}-${size - 1}/${size}`, 'Content-Length': size - from }
    const sent: ClientRequest = request(target, { method: 'PUT', headers }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode!))
    })
    sent.on('error', (error) => (until < size ? resolve(null) : reject(error)))
    let at = from
    const more = () => {
      while (at < until) {
        const chunk = CHUNK.subarray(0, Math.min(CHUNK.length, until - at))
        at += chunk.length
        if (!sent.write(chunk)) {
          sent.once('drain', more)
          return
        }
      }
      if (until === size) sent.end()
      else sent.destroy()
    }
    more()
  })
}

const [idle, idleAnonymous] = [memory('VmRSS'), memory('RssAnon')]
let [most, mostAnonymous] = [idle, idleAnonymous]
const timer = setInterval(() => {
  most = Math.max(most, memory('VmRSS'))
  mostAnonymous = Math.max(mostAnonymous, memory('RssAnon'))
}, 50)
const begun = performance.now()
const kept: number[] = []
for (let cut = 1; cut <= cuts; cut++) {
  const until = Math.floor((size * cut) / (cuts + 1))
  const from = kept.at(-1) ?? 0
  let at = from
  for (let tries = 0; at === from && tries < TRIES; tries++) {
    await send(await offset(), until)
    await pause(NOTICED_MS)
    at = await offset()
  }
  kept.push(at)
}
let status: number | null = 409
for (let tries = 0; status === 409 && tries < TRIES; tries++) {
  status = await send(await offset(), size)
  if (status === 409) await pause(NOTICED_MS)
}
const seconds = (performance.now() - begun) / 1_000
clearInterval(timer)
const last = await offset()
console.log(
  `import-upload: ${size} octets, cut at ${kept.map((at) => `${((at / size) * 100).toFixed(0)} %`).join(', ')}; ${seconds.toFixed(1)} s, ${(size / MIB / seconds).toFixed(0)} MiB/s`,
)
console.log(
  `import-upload: RSS ${idle.toFixed(0)} MiB idle, ${(most - idle).toFixed(0)} more at most (${MAX_MIB} allowed), of it ${(mostAnonymous - idleAnonymous).toFixed(0)} anonymous`,
)
await server.stop()
const isGood = status === 200 && last === size && most - idle <= MAX_MIB
console.log(isGood ? 'import-upload: ok' : `import-upload: FAILED, ${status}, ${last} octets`)
process.exit(isGood ? 0 : 1)
