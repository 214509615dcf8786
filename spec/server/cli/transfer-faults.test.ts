/** `posthouse import`, `export` and `listen` with servers that are none, that break off, and when they are stopped. */
import { readdirSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { uploadFile } from '../../../server/cli/transfer/upload-file.ts'
import { runCommand, startCommand } from '../../support/command-line.ts'
import { listenOnLoopback } from '../../support/loopback-server.ts'
import { temporaryFolder } from '../../support/posthouse.ts'

async function startServer(t: Test, listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listenOnLoopback(t, createServer(listener))}`
}

const MAILBOX = '--mailbox=ada@example.org'
const KEY = { input: 'sk_x\nsecret\n' }

/** Answers of JMAP about a mailbox with two messages. */
const ANSWERS: { readonly [method: string]: (args: { anchor?: string }) => object } = {
  'Mailbox/get': () => ({ list: [{ id: 'm', name: 'Inbox', parentId: null, role: 'inbox', totalEmails: 2 }] }),
  'Email/query': ({ anchor }) => ({ ids: anchor === undefined ? ['e1', 'e2'] : [] }),
  'Email/get': () => ({
    list: ['e1', 'e2'].map((id) => {
      return { id, blobId: id, mailboxIds: { m: true }, keywords: {}, receivedAt: '2026-01-01T00:00:00Z', size: 1 }
    }),
  }),
}

/** A JMAP server. @param download answers the request for a message */
function startMailServer(t: Test, download: (response: ServerResponse, blobId: string) => void): Promise<string> {
  return startServer(t, async (request, response) => {
    if (request.url?.startsWith('/blob/')) return download(response, request.url.slice('/blob/'.length))
    const session = {
      apiUrl: '/api',
      uploadUrl: '/upload',
      downloadUrl: '/blob/{blobId}',
      accounts: { a: { name: 'ada@example.org' } },
      primaryAccounts: {},
    }
    if (request.url !== '/api') return response.end(JSON.stringify(session))
    const [name, args] = JSON.parse(Buffer.concat(await request.toArray()).toString()).methodCalls[0]
    return response.end(JSON.stringify({ methodResponses: [[name, ANSWERS[name]!(args), '0']] }))
  })
}

t.test('a server that speaks no JMAP is told in one sentence', async (t) => {
  const folder = temporaryFolder(t)
  const page = await startServer(t, (_, response) => response.end('<!doctype html><title>Welcome</title>'))
  const list = await startServer(t, (_, response) => response.end('[]'))
  const lost = await startServer(t, (_, response) => response.writeHead(404).end('<p>\nNot found'))
  const output = ['--format=eml', `--output=${join(folder, 'mail.zip')}`]
  const cases: [args: string[], words: RegExp][] = [
    [['export', MAILBOX, `--server=${page}`, ...output], /gave an answer that is no JSON/],
    [['export', MAILBOX, `--server=${list}`, ...output], /has no JMAP session/],
    [['import', 'jmap', list, MAILBOX, `--server=${list}`, '--password-stdin'], /has no JMAP session/],
    [['listen', `--server=${page}`], /gave an answer that is no JSON/],
    [['listen', `--server=${list}`], /is not a Posthouse server/],
    [['listen', `--server=${lost}`], /refuses the request: it answers 404/],
    [['export', MAILBOX, '--server=http://127.0.0.1:9', ...output], /does not respond: bad port/],
  ]
  for (const [args, words] of cases) {
    const { code, stderr } = await runCommand([...args, '--key-stdin'], KEY)
    t.equal(code, 1, args.join(' '))
    t.match(stderr, words)
    t.equal(stderr.trim().split('\n').length, 1, 'one line')
  }
})

t.test('a message that is deleted meanwhile does not stop an export', async (t) => {
  const server = await startMailServer(t, (response, blobId) => {
    response.writeHead(blobId === 'e1' ? 404 : 200).end('Subject: x\r\n\r\n')
  })
  const output = join(temporaryFolder(t), 'Maildir')
  const args = ['export', MAILBOX, `--server=${server}`, '--format=maildir', `--output=${output}`, '--key-stdin']
  t.match(await runCommand(args, KEY), { code: 0, stdout: '1 messages exported\n' })
})

t.test('an export that is stopped ends with a sentence, and leaves no half of a file', async (t) => {
  const asked = Promise.withResolvers<void>()
  const server = await startMailServer(t, () => asked.resolve())
  const folder = temporaryFolder(t)
  const output = ['--format=eml', `--output=${join(folder, 'mail.zip')}`]
  const { line, stop } = startCommand(t, ['export', MAILBOX, `--server=${server}`, ...output, '--key-stdin'], KEY)
  const ended = t.rejects(line(), { message: /it was stopped: not all of the mail was written/ })
  await asked.promise
  t.equal(await stop(), 1)
  await ended
  t.same(readdirSync(folder), [])
})

t.test('an upload that breaks off goes on where the server is', async (t) => {
  const ranges: unknown[] = []
  const server = await startServer(t, (request, response) => {
    if (request.method === 'HEAD') return response.writeHead(200, { 'Upload-Offset': '40' }).end()
    ranges.push(request.headers['content-range'])
    if (ranges.length === 1) return request.socket.destroy()
    return response.writeHead(200, { 'Upload-Offset': '100' }).end()
  })
  t.equal(await uploadFile(server, new Blob(['x'.repeat(100)])), null)
  t.same(ranges, ['bytes 0-99/100', 'bytes 40-99/100'])
  const refusing = await startServer(t, (_, response) => response.writeHead(404).end())
  t.equal(await uploadFile(refusing, new Blob(['x'])), 'the server answered 404')
})
