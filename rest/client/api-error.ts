import type { Schemas } from './operations.ts'

type Told = Schemas['Error']['error']

/** An answer that is no success, as the error envelope tells it. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly type: Told['type'] | null
  readonly code: string | null
  readonly requestId: string | null
  readonly details: NonNullable<Told['details']>
  /** Seconds after which the server asks to be tried again; null when it does not say. */
  readonly retryAfter: number | null

  /** @param error null for an answer that is none of the API's, such as a proxy's */
  constructor(status: number, error: Told | null, headers: Headers) {
    super(error?.message ?? `The server answered ${status}.`)
    this.status = status
    this.type = error?.type ?? null
    this.code = error?.code ?? null
    this.requestId = error?.request_id ?? headers.get('x-request-id')
    this.details = error?.details ?? []
    this.retryAfter = secondsOf(headers.get('retry-after'))
  }
}

function secondsOf(field: string | null): number | null {
  return field !== null && /^\d{1,9}$/.test(field) ? Number(field) : null
}

/** Reads the envelope. What is no JSON, or another JSON, is no error of the API's. */
export async function readError(response: Response): Promise<ApiError> {
  const text = await response.text()
  const told = parsed(text) as { readonly error?: Told } | null
  const isEnvelope = typeof told === 'object' && typeof told?.error?.message === 'string'
  return new ApiError(response.status, isEnvelope ? told!.error! : null, response.headers)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
