/**
 * The members of smtp-server and nodemailer that mail transport uses although their documentation does not promise them
 * (spec/decisions/0024-library-insides.md).
 */
import { codeOnly, type SourceFile } from '../architecture/source-files.ts'

export interface LibraryMember {
  readonly library: 'smtp-server' | 'nodemailer'
  readonly class: string
  readonly member: string
  /** `overrides`: a method of ours replaces it, so the library must have it, and call it. */
  readonly use: 'overrides' | 'calls' | 'reads' | 'sets'
  readonly by: string
}

const CONNECTION = { library: 'smtp-server', class: 'SMTPConnection', by: 'mta/smtp/connection.ts' } as const
const SERVER = { library: 'smtp-server', class: 'SMTPServer', by: 'mta/smtp/server.ts' } as const
const STREAM = { library: 'smtp-server', class: 'SMTPStream', by: 'mta/smtp/data-parser.ts' } as const
const CLIENT = { library: 'nodemailer', class: 'SMTPConnection', by: 'mta/outbound/peer-connection.ts' } as const

export const LIBRARY_MEMBERS: readonly LibraryMember[] = [
  { ...SERVER, member: '_expectsProxyHeader', use: 'overrides' },
  { ...SERVER, member: '_handleProxy', use: 'overrides' },
  { ...SERVER, member: 'connect', use: 'overrides' },
  { ...SERVER, member: 'onAuth', use: 'overrides' },
  { ...SERVER, member: '_onError', use: 'calls' },
  { ...SERVER, member: '_pendingSockets', use: 'reads' },
  { ...SERVER, member: 'connections', use: 'reads' },
  { ...CONNECTION, member: 'init', use: 'overrides' },
  { ...CONNECTION, member: 'send', use: 'overrides' },
  { ...CONNECTION, member: 'close', use: 'overrides' },
  { ...CONNECTION, member: '_armTimeout', use: 'overrides' },
  { ...CONNECTION, member: '_createParser', use: 'overrides' },
  { ...CONNECTION, member: '_onCommand', use: 'overrides' },
  { ...CONNECTION, member: '_onClose', use: 'overrides' },
  { ...CONNECTION, member: '_resetSession', use: 'overrides' },
  { ...CONNECTION, member: 'handler_HELP', use: 'overrides' },
  { ...CONNECTION, member: 'handler_MAIL', use: 'overrides' },
  { ...CONNECTION, member: 'handler_RCPT', use: 'overrides' },
  { ...CONNECTION, member: 'handler_DATA', use: 'overrides' },
  { ...CONNECTION, member: 'connectionReady', use: 'calls' },
  { ...CONNECTION, member: '_setListeners', use: 'calls' },
  { ...CONNECTION, member: '_server', use: 'reads' },
  { ...CONNECTION, member: '_socket', use: 'reads' },
  { ...CONNECTION, member: '_socket', use: 'reads', by: 'mta/smtp/server.ts' },
  { ...CONNECTION, member: '_parser', use: 'reads' },
  { ...CONNECTION, member: '_closing', use: 'reads' },
  { ...CONNECTION, member: '_closed', use: 'reads' },
  { ...STREAM, member: '_feedDataStream', use: 'overrides' },
  { ...STREAM, member: '_write', use: 'calls' },
  { ...STREAM, member: '_dataMode', use: 'sets' },
  { ...STREAM, member: '_maxBytes', use: 'sets' },
  { ...STREAM, member: '_remainder', use: 'sets' },
  { ...STREAM, member: 'oncommand', use: 'sets', by: 'mta/smtp/connection.ts' },
  { ...STREAM, member: '_dataMode', use: 'reads', by: 'mta/smtp/connection.ts' },
  { ...CLIENT, member: '_onData', use: 'overrides' },
  { ...CLIENT, member: '_onClose', use: 'overrides' },
  { ...CLIENT, member: '_onError', use: 'calls' },
  { ...CLIENT, member: '_socket', use: 'reads' },
  { ...CLIENT, member: '_supportedExtensions', use: 'reads' },
  { ...CLIENT, member: '_ehloLines', use: 'reads' },
  { ...CLIENT, member: '_maxAllowedSize', use: 'reads' },
]

/** @param instanceOf an object of the library's own class, after the call that sets its fields */
export function missingMembers(
  members: readonly LibraryMember[],
  instanceOf: (library: string, className: string) => object,
): string[] {
  return members
    .filter((one) => !isThere(one, instanceOf(one.library, one.class)))
    .map((one) => `${one.library} no longer has ${one.class}.${one.member}, which ${one.by} ${one.use}`)
}

function isThere({ use, member }: LibraryMember, instance: object): boolean {
  if (use !== 'overrides' && use !== 'calls') return member in instance
  return typeof (instance as Record<string, unknown>)[member] === 'function'
}

/** Uses of such members in the files of the table without a row, and rows without a use. */
export function unlistedMembers(members: readonly LibraryMember[], files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const listed = members.filter(({ by }) => by === path)
    const code = codeOnly(text)
    const used = new Set([...code.matchAll(/(?:\.|\boverride )(_[a-z]\w*)/g)].map(([, name]) => name!))
    for (const [, name] of code.matchAll(/\boverride (\w+)/g)) used.add(name!)
    const unlisted = [...used].filter((name) => !listed.some(({ member }) => member === name))
    const unused = listed.filter(({ member }) => !new RegExp(`\\b${member}\\b`).test(code))
    return [
      ...unlisted.map((name) => `${path} uses ${name} without a row`),
      ...unused.map(({ member }) => `${path} does not use ${member}`),
    ]
  })
}
