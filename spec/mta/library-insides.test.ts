import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import PeerConnection from 'nodemailer/lib/smtp-connection'
import { SMTPServer } from 'smtp-server'
import { SMTPStream } from 'smtp-server/lib/smtp-stream.js'
import t, { type Test } from 'tap'
import { readProjectFile, sourceFiles } from '../architecture/source-files.ts'
import { LIBRARY_MEMBERS, missingMembers, unlistedMembers } from './library-insides.ts'

/** Objects of the libraries' own classes; the two connections are connected to each other. */
async function libraryObjects(t: Test): Promise<ReadonlyMap<string, object>> {
  const server = new SMTPServer({ disableReverseLookup: true, authOptional: true, disabledCommands: ['STARTTLS'] })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const peer = new PeerConnection({ host: '127.0.0.1', port, logger: false })
  await new Promise<void>((resolve, reject) => peer.connect((error) => (error ? reject(error) : resolve())))
  const [connection] = server.connections
  t.teardown(() => {
    peer.close()
    return new Promise<void>((resolve) => void server.close(resolve))
  })
  return new Map<string, object>([
    ['smtp-server SMTPServer', server],
    ['smtp-server SMTPConnection', connection!],
    ['smtp-server SMTPStream', new SMTPStream()],
    ['nodemailer SMTPConnection', peer],
  ])
}

t.test('the libraries have every member that mail transport uses', async (t) => {
  const objects = await libraryObjects(t)
  const instanceOf = (library: string, name: string) => objects.get(`${library} ${name}`)!
  t.same(missingMembers(LIBRARY_MEMBERS, instanceOf), [])
})

t.test('a member that is missing or no longer a method is named with its user', async (t) => {
  const members = LIBRARY_MEMBERS.filter(({ member }) =>
    ['_armTimeout', '_ehloLines', '_pendingSockets'].includes(member),
  )
  const updated = { _armTimeout: 60_000, _pendingSockets: new Map() }
  t.same(
    missingMembers(members, () => updated),
    [
      'smtp-server no longer has SMTPConnection._armTimeout, which mta/smtp/connection.ts overrides',
      'nodemailer no longer has SMTPConnection._ehloLines, which mta/outbound/peer-connection.ts reads',
    ],
  )
})

t.test('the table has every used member, and no other', async (t) => {
  const paths = new Set(LIBRARY_MEMBERS.map(({ by }) => by))
  t.same(unlistedMembers(LIBRARY_MEMBERS, [...paths].map(readProjectFile)), [])
  const [row] = LIBRARY_MEMBERS
  const text = 'class A extends B {\n  override _onSecure() {\n    this._upgrade()\n  }\n}\n'
  t.same(unlistedMembers([row!], [{ path: row!.by, text }]), [
    `${row!.by} uses _onSecure without a row`,
    `${row!.by} uses _upgrade without a row`,
    `${row!.by} does not use _expectsProxyHeader`,
  ])
})

t.test('only the files of the table extend classes of the libraries', async (t) => {
  const extending = sourceFiles()
    .filter(({ path, text }) => path.startsWith('mta/') && /\bextends SMTP\w+/.test(text))
    .map(({ path }) => path)
  t.same(extending, [...new Set(LIBRARY_MEMBERS.map(({ by }) => by))].sort())
})
