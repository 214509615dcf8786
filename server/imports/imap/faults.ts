/**
 * From errors of the client library to faults of a source. The sentences are for the owner of the account: they hold neither the password
 * nor any octet of the server's answers, which may hold both.
 */
import { EgressError } from '../../egress/egress-error.ts'
import { SourceError } from '../import-source.ts'

export const INSIDE = 'The address of the server is not on the public Internet.'

/** What the library adds to errors, as far as it is read here. Strings of the server among them are only compared. */
interface ImapFlowError {
  readonly code?: string
  /** The text after NO or BAD. */
  readonly responseText?: string
  readonly responseStatus?: string
  /** Response code (RFC 3501 7.1, RFC 5530). */
  readonly serverResponseCode?: string
  readonly authenticationFailed?: boolean
  /** Text of the BYE. */
  readonly reason?: string
  readonly response?: unknown
  readonly tlsFailed?: boolean
}

export interface Spoken {
  /** In upper case; empty: none. */
  readonly code: string
  readonly text: string
}

/** What the server said, from any of the places where the library keeps it. */
export function spokenBy(error: unknown): Spoken {
  const { responseText, serverResponseCode, reason, response } = error as ImapFlowError
  const own = typeof response === 'string' ? response : (responseText ?? reason ?? '')
  // The text of an authentication failure begins with its code.
  const [, inText] = /^\[([A-Z][A-Z0-9-]{0,40})/i.exec(own) ?? []
  return { code: (serverResponseCode ?? codeOf(response) ?? inText ?? '').toUpperCase(), text: own.slice(0, TEXT_READ) }
}

const TEXT_READ = 1_000

/** The response code in a parsed response. */
function codeOf(response: unknown): string | null {
  const parsed = response as { attributes?: ({ section?: ({ value?: unknown } | null)[] } | null)[] } | undefined
  const value = typeof response === 'object' ? parsed?.attributes?.[0]?.section?.[0]?.value : undefined
  return typeof value === 'string' ? value : null
}

/** RFC 5530 3 has LIMIT and OVERQUOTA; THROTTLED is Dovecot's and Yahoo's. */
const THROTTLE_CODES = ['THROTTLED', 'OVERQUOTA', 'LIMIT']
/** Gmail: "Account exceeded command or bandwidth limits." Microsoft 365: "Request is throttled." */
const THROTTLE_TEXTS = /bandwidth limit|download limit|request is throttled|rate limit|too many (?:requests|commands)/i
const TOO_MANY_CONNECTIONS = /too many (?:simultaneous |concurrent |open )?connections|maximum number of connections/i
const BACKOFF = /backoff time[:=\s]{1,5}(\d{1,9})/i
/** Milliseconds until a connection is tried again where others of the account are open. */
const CONNECTIONS_WAIT_MS = 600_000

/** null: it is not about a limit. @param now epoch ms */
export function throttleOf(error: unknown, now: number): SourceError | null {
  const { code, text } = spokenBy(error)
  const [, backoff] = BACKOFF.exec(text) ?? []
  const isThrottled =
    THROTTLE_CODES.includes(code) || THROTTLE_TEXTS.test(text) || (error as ImapFlowError).code === 'ETHROTTLE'
  if (isThrottled)
    return new SourceError(
      'throttled',
      "The server's limit for this account is reached.",
      backoff === undefined ? null : now + Number(backoff),
    )
  if (!TOO_MANY_CONNECTIONS.test(text)) return null
  return new SourceError('throttled', 'The account has too many connections open.', now + CONNECTIONS_WAIT_MS)
}

/** RFC 5530 3: the server cannot now, and may later. */
const LATER_CODES = ['UNAVAILABLE', 'INUSE', 'SERVERBUG', 'CONTACTADMIN']

/** Why a connection was not made or a login refused. @param now epoch ms */
export function loginFault(error: unknown, now: number): SourceError {
  if (error instanceof SourceError) return error
  const throttled = throttleOf(error, now)
  if (throttled) return throttled
  if (error instanceof EgressError && error.fault === 'refused') return new SourceError('unreachable', INSIDE)
  const { authenticationFailed, code = '', tlsFailed } = error as ImapFlowError
  if (isCertificateFault(code))
    return new SourceError('untrusted', "The server's certificate is not trusted, so nothing was sent to it.")
  if (authenticationFailed) return refusedLogin(error)
  if (tlsFailed)
    return new SourceError('untrusted', 'The server offers no encrypted connection, so nothing was sent to it.')
  if (isBreach(error)) return new SourceError('unusable', 'The server does not speak IMAP.')
  return new SourceError('unreachable', UNREACHABLE[code] ?? 'The server cannot be reached.')
}

const UNREACHABLE: { readonly [code: string]: string } = {
  ENOTFOUND: 'There is no server of this name.',
  EAI_AGAIN: 'The name of the server cannot be resolved now.',
  ECONNREFUSED: 'The server refuses connections on this port.',
  CONNECT_TIMEOUT: 'The server does not respond.',
  GREETING_TIMEOUT: 'The server does not greet as an IMAP server does.',
}

function isCertificateFault(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|ERR_TLS_CERT_ALTNAME|HOSTNAME_MISMATCH/.test(code)
}

/** In order: the more particular words first. */
const REFUSALS: readonly (readonly [words: RegExp, sentence: string])[] = [
  [
    /application[- ]specific password|app(?:lication)?[- ]?password/i,
    'The account needs an app password: create one at the provider and use it here.',
  ],
  [
    /imap (?:access )?is (?:disabled|not enabled)|not enabled for imap|enable imap|imap disabled/i,
    'IMAP is switched off for this account: switch it on at the provider.',
  ],
  [
    /basicauth|basic auth|web login required|log ?in via your web browser|oauth/i,
    'The account takes no passwords over IMAP, only sign-in by OAuth, which imports do not use.',
  ],
]

const OTHER_REFUSALS: { readonly [code: string]: string } = {
  EXPIRED: 'The password has expired.',
  AUTHORIZATIONFAILED: 'The account may not be read with this login.',
  PRIVACYREQUIRED: 'The server refuses passwords on this connection.',
  WEBALERT: 'The provider wants a sign-in in the web browser first.',
}

function refusedLogin(error: unknown): SourceError {
  const { code, text } = spokenBy(error)
  // RFC 5530 3: the credentials were not judged.
  if (code === 'UNAVAILABLE') return new SourceError('unreachable', 'The server cannot check passwords now.')
  const { message = '' } = error as Error
  if (/no matching authentication method|unsupported authentication|login is disabled/i.test(message))
    return new SourceError('authentication', REFUSALS[2]![1])
  const [, sentence] = REFUSALS.find(([words]) => words.test(text)) ?? []
  return new SourceError(
    'authentication',
    sentence ?? OTHER_REFUSALS[code] ?? 'The server does not accept this user name and password.',
  )
}

/** The server broke the protocol or exceeded what is read. */
export function isBreach(error: unknown): boolean {
  const { code = '' } = error as ImapFlowError
  return BREACHES.has(code)
}

const BREACHES = new Set([
  'LiteralTooLarge',
  'LineTooLarge',
  'ResponseTooLarge',
  'UnexpectedTag',
  'InvalidResponse',
  'ResponseProcessingFailed',
  'ParserError',
  'TooMuch',
])

/** A failure of a connection that was in use. @param now epoch ms */
export function sessionFault(error: unknown, now: number): SourceError {
  if (error instanceof SourceError) return error
  return throttleOf(error, now) ?? new SourceError('cut', 'The connection to the server ended.')
}

/** NO or BAD (RFC 3501 7.1) that is about one folder or message: not about a limit, and not about the server as a whole. */
export function isRefused(error: unknown, now: number): boolean {
  const { responseStatus } = error as ImapFlowError
  if (responseStatus !== 'NO' && responseStatus !== 'BAD') return false
  return throttleOf(error, now) === null && !LATER_CODES.includes(spokenBy(error).code)
}

export function refusal(): Error {
  return Object.assign(new Error('the server refused the command'), { code: REFUSED })
}

export function isRefusal(error: unknown): boolean {
  return (error as ImapFlowError).code === REFUSED
}

const REFUSED = 'Refused'
