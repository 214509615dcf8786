/** Requests of the commands that move mail: repeated after failures on the way and after limits, with bounds of time. */
import { setTimeout as pause } from 'node:timers/promises'
import { errorMessage, Failure } from '../../base/errors.ts'
import { TRANSFER_REQUEST_MS, TRANSFER_TRIES, TRANSFER_WAIT_MS } from '../../base/transfer-limits.ts'

export interface HttpRequest {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** The server answered with another status than one of success. */
export class HttpRefusal extends Failure {
  readonly status: number

  constructor(status: number, message: string) {
    super('configuration', message)
    this.status = status
  }
}

/** @returns the JSON of an answer. @throws as `ask` does, and for an answer that is no JSON */
export async function askJson<T>(url: string, request: HttpRequest, tries = TRANSFER_TRIES): Promise<T> {
  return jsonIn((await ask(url, request, tries)).toString('utf8'), new URL(url).origin)
}

/**
 * @param most tries
 * @returns the octets of an answer with a status of success
 * @throws HttpRefusal, Failure `configuration`, without the request's credentials
 */
export async function ask(url: string, request: HttpRequest, most = TRANSFER_TRIES): Promise<Buffer> {
  for (let tries = 1, wait = TRANSFER_WAIT_MS; ; tries++, wait *= 2) {
    const answer = await once(url, request)
    if ('octets' in answer) return answer.octets
    if (!answer.isPassing || tries === most) throw failureOf(answer)
    await pause(answer.waitMs ?? wait)
  }
}

type Answer = { readonly octets: Buffer } | Refused

interface Refused {
  /** null: no answer arrived. */
  readonly status: number | null
  readonly reason: string
  readonly isPassing: boolean
  readonly waitMs: number | null
}

function failureOf({ status, reason }: Refused): Failure {
  return status === null ? new Failure('configuration', reason) : new HttpRefusal(status, reason)
}

async function once(url: string, { method = 'GET', headers, body }: HttpRequest): Promise<Answer> {
  const { origin } = new URL(url)
  try {
    const signal = AbortSignal.timeout(TRANSFER_REQUEST_MS)
    const response = await fetch(url, {
      method,
      headers,
      signal,
      ...(body !== undefined && { body: body as string | Uint8Array<ArrayBuffer> }),
    })
    const octets = Buffer.from(await response.arrayBuffer())
    if (response.ok) return { octets }
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
    const isPassing = response.status === 429 || response.status >= 500
    const waitMs = Number.isFinite(seconds) ? Math.min(seconds * 1_000, TRANSFER_REQUEST_MS) : null
    const { status } = response
    return { status, reason: `${origin} answered ${status}: ${reasonIn(octets)}`, isPassing, waitMs }
  } catch (error) {
    return {
      status: null,
      reason: `${origin} does not respond: ${causeOf(error)}`,
      isPassing: true,
      waitMs: null,
    }
  }
}

/** Why `fetch` has failed, in a few words. */
export function causeOf(error: unknown): string {
  const { cause } = error as { readonly cause?: { readonly code?: string; readonly message?: string } }
  return cause?.code ?? cause?.message ?? errorMessage(error)
}

/** @param origin of the server. @throws Failure `configuration` for text that is no JSON */
export function jsonIn<T>(text: string, origin: string): T {
  try {
    return JSON.parse(text) as T
  } catch {
    throw new Failure('configuration', `${origin} gave an answer that is no JSON`)
  }
}

/** Of the error envelope of REST, or of a problem document (RFC 9457). */
function reasonIn(octets: Buffer): string {
  try {
    const body = JSON.parse(octets.toString('utf8')) as { error?: { message?: string }; detail?: string; type?: string }
    return body.error?.message ?? body.detail ?? body.type ?? 'no reason'
  } catch {
    return 'no reason'
  }
}
