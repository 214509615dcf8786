import type { Schemas } from './operations.ts'

type ErrorBody = Schemas['Error']['error']

/** An answer that is no success, from its error envelope. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly type: ErrorBody['type'] | null
  readonly code: string | null
  readonly requestId: string | null
  readonly details: NonNullable<ErrorBody['details']>
  /** Seconds after which the server asks to repeat the request; null: it does not say. */
  readonly retryAfter: number | null

  /** @param error null: an answer that is not of the API, such as one of a proxy */
  constructor(status: number, error: ErrorBody | null, headers: Headers) {
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

/** Reads the error envelope. A body of another form gives no error details. */
export async function readError(response: Response): Promise<ApiError> {
  return new ApiError(response.status, errorIn(await response.text()), response.headers)
}

function errorIn(text: string): ErrorBody | null {
  try {
    const body: { readonly error?: ErrorBody } | null = JSON.parse(text)
    return typeof body?.error?.message === 'string' ? body.error : null
  } catch {
    return null
  }
}
