/** Requests of the commands that move mail: repeated after failures on the way and after limits, with bounds of time. */
import { setTimeout as pause } from 'node:timers/promises'
import { errorMessage, Failure } from '../../base/errors.ts'
import { TRANSFER_REQUEST_MS, TRANSFER_TRIES, TRANSFER_WAIT_MS } from '../../base/transfer-limits.ts'

export interface HttpRequest {
  readonly method?: 'GET' | 'POST' | 'PUT'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** @returns the octets of an answer with a status of success. @throws Failure `configuration`, without the request's credentials */
export async function ask(url: string, request: HttpRequest): Promise<Buffer> {
  for (let tries = 1, wait = TRANSFER_WAIT_MS; ; tries++, wait *= 2) {
    const answer = await once(url, request)
    if ('octets' in answer) return answer.octets
    if (!answer.isPassing || tries === TRANSFER_TRIES) throw new Failure('configuration', answer.reason)
    await pause(answer.waitMs ?? wait)
  }
}

type Answer =
  | { readonly octets: Buffer }
  | { readonly reason: string; readonly isPassing: boolean; readonly waitMs: number | null }

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
    return { reason: `${origin} answered ${response.status}: ${reasonIn(octets)}`, isPassing, waitMs }
  } catch (error) {
    const { cause } = error as { readonly cause?: { readonly code?: string } }
    return {
      reason: `${origin} does not respond: ${cause?.code ?? errorMessage(error)}`,
      isPassing: true,
      waitMs: null,
    }
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
