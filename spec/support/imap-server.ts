/**
 * A small IMAP4rev1 server on loopback (RFC 3501), with X-GM-EXT-1 on request. Its mail is a table, and a test may answer any command in its
 * place, to lie, to refuse or to cut the connection.
 */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import type { Test } from 'tap'
import { loopbackCertificate } from './tls-material.ts'

export interface ServedMessage {
  readonly uid: number
  readonly raw: Buffer
  readonly flags?: readonly string[]
  readonly internalDate?: string
  /** In modified UTF-7; octets are sent as literals. */
  readonly labels?: readonly (string | Buffer)[]
  /** RFC822.SIZE, if it is not that of `raw`. */
  readonly size?: number
}

export interface ServedFolder {
  /** In modified UTF-7. */
  readonly path: string
  readonly attributes?: readonly string[]
  readonly uidValidity?: number
  readonly messages?: readonly ServedMessage[]
  /** The count, if it is not that of `messages`. */
  readonly exists?: number
}

export interface ImapCommand {
  readonly tag: string
  /** In upper case, with UID before it. */
  readonly name: string
  readonly args: string
  /** How many commands of this name came before, on all connections. */
  readonly nth: number
}

/** What is sent instead; `cut` ends the connection after it. null: the server answers itself. */
export type Reply = string | Buffer | { readonly cut: string | Buffer } | null

export interface ImapServerOptions {
  readonly folders: readonly ServedFolder[]
  readonly user?: string
  readonly password?: string
  readonly delimiter?: string
  readonly capabilities?: readonly string[]
  readonly security?: 'tls' | 'starttls'
  readonly namespace?: string
  readonly greeting?: string
  readonly reply?: (command: ImapCommand) => Reply
}

export interface ImapServer {
  readonly port: number
  /** PEM of the certificate, which is its own authority. */
  readonly ca: string
  /** Names of the commands that came, in order. */
  readonly commands: string[]
  connections: number
}

export async function startImapServer(t: Pick<Test, 'teardown'>, options: ImapServerOptions): Promise<ImapServer> {
  const { key, cert } = await loopbackCertificate()
  const sockets = new Set<Socket>()
  const commands: string[] = []
  const served = { port: 0, ca: cert, commands, connections: 0 }
  const accept = (socket: Socket) => {
    served.connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    new ImapDialogue(socket, options, commands, { key, cert }).begin()
  }
  const server = options.security === 'starttls' ? createServer(accept) : createTlsServer({ key, cert }, accept)
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  served.port = (server.address() as AddressInfo).port
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return served
}

class ImapDialogue {
  #socket: Socket
  readonly #options: ImapServerOptions
  readonly #commands: string[]
  readonly #tls: { key: string; cert: string }
  #received = ''
  /** Tag of an AUTHENTICATE that waits for its octets. */
  #waiting: string | null = null
  #selected: ServedFolder | null = null

  constructor(socket: Socket, options: ImapServerOptions, commands: string[], tls: { key: string; cert: string }) {
    this.#socket = socket
    this.#options = options
    this.#commands = commands
    this.#tls = tls
  }

  begin(): void {
    const { greeting = '* OK ready' } = this.#options
    if (greeting !== '') this.#socket.write(`${greeting}\r\n`)
    this.#listen()
  }

  #listen(): void {
    this.#socket.on('data', (chunk) => {
      this.#received += chunk.toString('latin1')
      for (let end = this.#received.indexOf('\r\n'); end >= 0; end = this.#received.indexOf('\r\n')) {
        const line = this.#received.slice(0, end)
        this.#received = this.#received.slice(end + 2)
        this.#line(line)
      }
    })
  }

  #line(line: string): void {
    if (this.#waiting !== null) {
      const [, user, password] = Buffer.from(line, 'base64').toString().split('\0')
      this.#send(this.#loginAnswer(this.#waiting, user === this.#user() && password === this.#options.password))
      this.#waiting = null
      return
    }
    const [, tag = '', name = '', args = ''] = /^(\S+) ((?:UID )?\S+) ?(.*)$/i.exec(line) ?? []
    const command = name.toUpperCase()
    const nth = this.#commands.filter((one) => one === command).length
    this.#commands.push(command)
    const reply = this.#options.reply?.({ tag, name: command, args, nth }) ?? null
    if (reply === null) this.#send(...this.#answer(tag, command, args))
    else if (typeof reply === 'string' || Buffer.isBuffer(reply)) this.#socket.write(reply)
    else this.#socket.end(reply.cut)
  }

  #answer(tag: string, name: string, args: string): string[] {
    switch (name) {
      case 'CAPABILITY':
        return [`* CAPABILITY ${this.#capabilities().join(' ')}`, `${tag} OK done`]
      case 'NAMESPACE': {
        const { namespace = `(("" "${this.#delimiter()}")) NIL NIL` } = this.#options
        return [`* NAMESPACE ${namespace}`, `${tag} OK done`]
      }
      case 'STARTTLS':
        this.#send(`${tag} OK begin`)
        this.#upgrade()
        return []
      case 'AUTHENTICATE':
        this.#waiting = tag
        return ['+ ']
      case 'LOGIN':
        return [this.#loginAnswer(tag, args === `"${this.#user()}" "${this.#options.password}"`)]
      case 'LIST':
      case 'LSUB':
        return this.#list(tag, name, args)
      case 'STATUS':
        return this.#status(tag, args)
      case 'EXAMINE':
        return this.#examine(tag, args)
      case 'FETCH':
      case 'UID FETCH':
        this.#fetch(args, name === 'UID FETCH')
        return [`${tag} OK done`]
      case 'LOGOUT':
        this.#socket.end(`* BYE bye\r\n${tag} OK done\r\n`)
        return []
      default:
        return [`${tag} ${name === 'NOOP' ? 'OK' : 'BAD'} done`]
    }
  }

  #send(...lines: string[]): void {
    if (lines.length > 0) this.#socket.write(`${lines.join('\r\n')}\r\n`)
  }

  #user(): string {
    return this.#options.user ?? 'ada@example.org'
  }

  #delimiter(): string {
    return this.#options.delimiter ?? '/'
  }

  #capabilities(): readonly string[] {
    const isPlain = this.#options.security === 'starttls' && !(this.#socket instanceof TLSSocket)
    return (
      this.#options.capabilities ?? [
        'IMAP4rev1',
        'NAMESPACE',
        ...(isPlain ? ['STARTTLS', 'LOGINDISABLED'] : ['AUTH=PLAIN']),
      ]
    )
  }

  #upgrade(): void {
    this.#socket.removeAllListeners('data')
    this.#socket = new TLSSocket(this.#socket, { isServer: true, ...this.#tls })
    this.#socket.on('error', () => {})
    this.#listen()
  }

  #loginAnswer(tag: string, isRight: boolean): string {
    return isRight ? `${tag} OK done` : `${tag} NO [AUTHENTICATIONFAILED] Invalid credentials`
  }

  #list(tag: string, name: string, args: string): string[] {
    const pattern = unquote(args.slice(args.indexOf(' ') + 1).replace(/ RETURN .*$/, ''))
    const lines = this.#options.folders
      .filter(({ path }) => pattern === '*' || pattern === path)
      .map(({ path, attributes = [] }) => `* ${name} (${attributes.join(' ')}) "${this.#delimiter()}" "${path}"`)
    return [...lines, `${tag} OK done`]
  }

  #folder(path: string): ServedFolder | undefined {
    return this.#options.folders.find((folder) => folder.path === path)
  }

  #status(tag: string, args: string): string[] {
    const path = unquote(args.slice(0, args.lastIndexOf(' (')))
    const folder = this.#folder(path)
    if (!folder) return [`${tag} NO no such folder`]
    const { messages = [], uidValidity = 1 } = folder
    return [`* STATUS "${path}" (MESSAGES ${messages.length} UIDVALIDITY ${uidValidity})`, `${tag} OK done`]
  }

  #examine(tag: string, args: string): string[] {
    const folder = this.#folder(unquote(args))
    this.#selected = folder ?? null
    if (!folder) return [`${tag} NO no such folder`]
    const { messages = [], uidValidity = 1, exists = messages.length } = folder
    return [`* ${exists} EXISTS`, `* OK [UIDVALIDITY ${uidValidity}] valid`, `${tag} OK [READ-ONLY] done`]
  }

  #fetch(args: string, byUid: boolean): void {
    const [set = '', items = ''] = [args.slice(0, args.indexOf(' ')), args.slice(args.indexOf(' ') + 1)]
    const messages = this.#selected?.messages ?? []
    const answers = messages.flatMap((message, at) =>
      isIn(set, byUid ? message.uid : at + 1) ? fetchAnswer(at + 1, message, items) : [],
    )
    this.#socket.write(Buffer.concat(answers))
  }
}

/** An untagged FETCH with the items that were asked for. */
export function fetchAnswer(sequence: number, message: ServedMessage, items: string): Buffer {
  const { uid, raw, flags = [], internalDate = '02-Jan-2024 03:04:05 +0000', labels = [], size = raw.length } = message
  const parts = [`UID ${uid}`]
  if (items.includes('FLAGS')) parts.push(`FLAGS (${flags.join(' ')})`)
  if (items.includes('INTERNALDATE')) parts.push(`INTERNALDATE "${internalDate}"`)
  if (items.includes('RFC822.SIZE')) parts.push(`RFC822.SIZE ${size}`)
  if (items.includes('X-GM-MSGID')) parts.push(`X-GM-MSGID ${1_000_000 + uid}`)
  if (items.includes('X-GM-LABELS')) parts.push(`X-GM-LABELS (${labels.map(labelText).join(' ')})`)
  const head = `* ${sequence} FETCH (${parts.join(' ')}`
  if (!items.includes('BODY.PEEK[]')) return Buffer.from(`${head})\r\n`, 'latin1')
  return Buffer.concat([Buffer.from(`${head} BODY[] {${raw.length}}\r\n`), raw, Buffer.from(')\r\n')])
}

/** RFC 3501 4.3 */
function labelText(label: string | Buffer): string {
  return typeof label === 'string' ? quote(label) : `{${label.length}}\r\n${label.toString('latin1')}`
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\')}"`
}

function unquote(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1') : text
}

function isIn(set: string, number: number): boolean {
  return set.split(',').some((part) => {
    const [from, to = from] = part.split(':')
    return number >= Number(from) && (to === '*' || number <= Number(to))
  })
}
