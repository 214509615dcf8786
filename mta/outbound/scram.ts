/** The client side of SCRAM-SHA-256 (RFC 5802, RFC 7677), which does not send the password. */
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { SMTPConnectionCustomAuthContext } from 'nodemailer/lib/smtp-connection'
import { SCRAM_ITERATIONS_MAX, SCRAM_ITERATIONS_MIN } from '../../server/base/outbound-limits.ts'

const derive = promisify(pbkdf2)
/** RFC 5802 7: no channel binding. */
const HEADER = 'n,,'

/** AUTH with SCRAM-SHA-256 over SMTP (RFC 4954 4). Rejects when the server refuses, or cannot prove that it knows the password. */
export async function logInByScram({ auth, sendCommand }: SMTPConnectionCustomAuthContext): Promise<void> {
  const { user, pass } = auth.credentials
  const nonce = randomBytes(18).toString('base64')
  const challenge = async (line: string): Promise<string> => {
    const { status, text } = await sendCommand(line)
    if (status !== 334) throw new Error('Login was refused')
    return Buffer.from(text.trim(), 'base64').toString()
  }
  const serverFirst = await challenge(`AUTH SCRAM-SHA-256 ${encode(scramFirst(user, nonce))}`)
  const answer = await scramAnswer(user, pass, nonce, serverFirst)
  const serverFinal = await challenge(encode(answer.message))
  if (!answer.verifies(serverFinal)) throw new Error('The server could not prove that it knows the password')
  const { status } = await sendCommand('')
  if (status !== 235) throw new Error('Login was refused')
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64')
}

export interface ScramAnswer {
  /** client-final-message */
  readonly message: string
  /** Whether the server-final-message shows that the server knows the password too. */
  verifies(serverFinal: string): boolean
}

export function scramFirst(user: string, nonce: string): string {
  return `${HEADER}${bareFirst(user, nonce)}`
}

/** Answers the server-first-message. @throws Error if it is invalid, or asks for too little or too much work */
export async function scramAnswer(
  user: string,
  pass: string,
  nonce: string,
  serverFirst: string,
): Promise<ScramAnswer> {
  const [, joint = '', salt = '', count = ''] = /^r=([^,]+),s=([^,]+),i=(\d{1,9})(?:,|$)/.exec(serverFirst) ?? []
  // RFC 5802 5.1: the server's nonce begins with ours.
  if (!joint.startsWith(nonce) || joint.length === nonce.length) throw new Error('The server did not answer the nonce')
  const iterations = Number(count)
  if (iterations < SCRAM_ITERATIONS_MIN || iterations > SCRAM_ITERATIONS_MAX)
    throw new Error(`The server asks for ${iterations} iterations`)
  const salted = await derive(pass.normalize('NFKC'), Buffer.from(salt, 'base64'), iterations, 32, 'sha256')
  const clientKey = hmac(salted, 'Client Key')
  const withoutProof = `c=${Buffer.from(HEADER).toString('base64')},r=${joint}`
  const spoken = `${bareFirst(user, nonce)},${serverFirst},${withoutProof}`
  const signature = hmac(createHash('sha256').update(clientKey).digest(), spoken)
  const proof = Buffer.from(clientKey.map((octet, i) => octet ^ signature[i]!)).toString('base64')
  const expected = hmac(hmac(salted, 'Server Key'), spoken)
  return {
    message: `${withoutProof},p=${proof}`,
    verifies(serverFinal) {
      const said = Buffer.from(/^v=([^,]+)/.exec(serverFinal)?.[1] ?? '', 'base64')
      return said.length === expected.length && timingSafeEqual(said, expected)
    },
  }
}

/** RFC 5802 5.1: `=` and `,` in a name are written =3D and =2C. */
function bareFirst(user: string, nonce: string): string {
  const name = user.normalize('NFKC').replaceAll('=', '=3D').replaceAll(',', '=2C')
  return `n=${name},r=${nonce}`
}

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
