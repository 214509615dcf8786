/** A real Radicale (Debian: radicale) on a free port of loopback, with a folder of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../bench/support/ports.ts'
import { until } from './cyrus.ts'

export interface Radicale {
  /** @throws if it refuses */
  request(method: string, path: string, body?: string): Promise<string>
  /** The objects of a collection, as text. */
  objects(path: string): Promise<string[]>
  /** Objects with an instance between two times, as XML. */
  between(path: string, start: string, end: string): Promise<string>
  stop(): Promise<void>
}

export async function startRadicale(): Promise<Radicale> {
  const folder = mkdtempSync(join(tmpdir(), 'posthouse-radicale-'))
  const address = `127.0.0.1:${await freePort()}`
  const options = ['--server-hosts', address, '--auth-type', 'none', '--storage-filesystem-folder', folder]
  const server = spawn('radicale', ['--config', '', ...options], { stdio: 'ignore' })
  const failed = once(server, 'error').then(([error]) => {
    throw error
  })
  const Authorization = `Basic ${Buffer.from('ada:any').toString('base64')}`

  async function request(method: string, path: string, body?: string, more: object = {}): Promise<string> {
    const answer = await fetch(`http://${address}${path}`, {
      method,
      headers: { Authorization, 'Content-Type': 'text/calendar', ...more },
      ...(body !== undefined && { body }),
    })
    const text = await answer.text()
    if (answer.status >= 400) throw new Error(`Radicale answers ${method} ${path} with ${answer.status} ${text}`)
    return text
  }
  const xml = (method: string, path: string, body: string, depth = '1') =>
    request(method, path, body, { 'Content-Type': 'application/xml', Depth: depth })

  await Promise.race([failed, until(async () => (await fetch(`http://${address}/`).catch(() => null)) !== null)])
  return {
    request: (method, path, body) => request(method, path, body),
    async objects(path) {
      const text = await xml('PROPFIND', path, '<propfind xmlns="DAV:"><prop><getetag/></prop></propfind>')
      const places = [...text.matchAll(/<(?:\w+:)?href>([^<]+\.ics)<\/(?:\w+:)?href>/g)].map(([, place]) => place!)
      return Promise.all(places.map((place) => request('GET', place)))
    },
    between: (path, start, end) =>
      xml(
        'REPORT',
        path,
        `<c:calendar-query xmlns="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav"><prop><c:calendar-data/></prop><c:filter>
          <c:comp-filter name="VCALENDAR"><c:comp-filter name="VEVENT"><c:time-range start="${start}" end="${end}"/>
          </c:comp-filter></c:comp-filter></c:filter></c:calendar-query>`,
      ),
    async stop() {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
