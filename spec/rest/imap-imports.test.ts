/** Imports from IMAP accounts through the REST API, with a running server: login, labels, limits, what is kept secret. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { serve } from '../support/command-line.ts'
import { startImapServer } from '../support/imap-server.ts'
import { mail, PASSWORD } from '../support/imap-source.ts'
import { temporaryFolder } from '../support/posthouse.ts'
import { until } from '../support/until.ts'

interface View {
  readonly id: string
  readonly status: string
  readonly resume_at: string | null
  readonly counters: { readonly [name: string]: number }
  readonly source: { readonly host: string | null }
  readonly error?: { readonly code: string; readonly message: string }
}

t.test(
  'mail of an IMAP account is imported with labels as folders, and a limit of the server pauses an import',
  async (t) => {
    let isLimited = true
    const imap = await startImapServer(t, {
      password: PASSWORD,
      capabilities: ['IMAP4rev1', 'NAMESPACE', 'SPECIAL-USE', 'X-GM-EXT-1', 'AUTH=PLAIN'],
      folders: [
        {
          path: '[Gmail]/All Mail',
          attributes: ['\\All'],
          messages: [
            { uid: 1, raw: mail('first'), labels: ['\\Inbox', 'B&APw-cher/Alt'], flags: ['\\Seen'] },
            { uid: 2, raw: mail('second') },
          ],
        },
        { path: '[Gmail]/Spam', attributes: ['\\Junk'], messages: [{ uid: 1, raw: mail('spam') }] },
      ],
      reply: ({ tag, args }) => (isLimited && args.includes('BODY') ? `${tag} NO [THROTTLED] later\r\n` : null),
    })
    const data = temporaryFolder(t)
    const ca = join(data, 'ca.pem')
    writeFileSync(ca, imap.ca)
    const { ready } = await serve(t, join(data, 'data'), [`--import-tls-ca=${ca}`])
    const { http, api_key, mailbox } = ready
    const call = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' }
      const url = `${http}/api/v1/mailboxes/${mailbox.id}/${path}`
      const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      const text = await answer.text()
      t.notMatch(text, PASSWORD, 'the password is in no answer')
      return { status: answer.status, body: JSON.parse(text) as View }
    }
    const source = { type: 'imap', provider: 'imap', email: 'ada@example.org', host: '127.0.0.1', port: imap.port }
    const start = (password: string) => call('POST', 'imports', { source: { ...source, password } })
    const reached = (id: string, status: string) =>
      until(async () => {
        const { body } = await call('GET', `imports/${id}`)
        if (body.status !== status) throw new Error(`it is ${body.status}`)
        return body
      })

    t.match(await start('wrong'), { status: 422, body: { error: { code: 'source_authentication_failed' } } })
    const limited = await start(PASSWORD)
    t.match(limited, { status: 201, body: { source: { host: '127.0.0.1' } } })
    t.match(await reached(limited.body.id, 'paused_throttle'), { resume_at: String, counters: { imported: 0 } })
    t.equal((await call('POST', `imports/${limited.body.id}/cancel`)).body.status, 'cancelled')

    isLimited = false
    const done = await reached((await start(PASSWORD)).body.id, 'completed')
    t.match(done.counters, { total: 3, imported: 2, skipped: 1, failed: 0 }, 'spam is left out')
    const folders = await call('GET', 'folders')
    t.match(JSON.stringify(folders.body), /"Bücher"/)
    t.match(JSON.stringify(folders.body), /"Alt"/)
    const again = await reached((await start(PASSWORD)).body.id, 'completed')
    t.match(again.counters, { imported: 0, duplicates: 2 })
  },
)
