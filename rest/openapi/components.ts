/** Components of the OpenAPI document that depend on no endpoint. */
import { API_ERRORS, DETAIL_CODES } from '../errors/api-error.ts'

const SAMPLE_REQUEST_ID = 'req_k3v5r2m7q4x6t2n5w7bc'
const SAMPLE_SIGNATURE = '1dc45298a811417fe40cba44b0742297bf0852363d3bc106f9c81c873c462db2'

const DETAILS: { readonly [code: string]: readonly object[] } = {
  validation_error: [{ field: 'to[1].email', code: 'required', message: 'to[1].email is required.' }],
  quota_exceeded: [{ resource: 'mailboxes', used: 3, limit: 3, plan: 'Solo' }],
  rate_limit_exceeded: [{ tier: 'read', limit: 6000, window_seconds: 60, retry_after_seconds: 1 }],
}

/** By code. */
export const ERROR_EXAMPLES: { readonly [code: string]: unknown } = Object.fromEntries(
  Object.entries(API_ERRORS).map(([code, { type, message }]) => {
    const details = DETAILS[code]
    return [
      code,
      { value: { error: { type, code, message, request_id: SAMPLE_REQUEST_ID, ...(details && { details }) } } },
    ]
  }),
)

export const ERROR_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['type', 'message', 'request_id'],
      properties: {
        type: { type: 'string', enum: [...new Set(Object.values(API_ERRORS).map((row) => row.type))] },
        code: { type: 'string', description: 'More specific than `type`, and equally stable.' },
        message: { type: 'string', description: 'For users.' },
        request_id: { type: 'string' },
        details: {
          type: 'array',
          description: 'One item per fault of the request; for limits the limit, for conflicts their cause.',
          items: {
            type: 'object',
            additionalProperties: true,
            properties: {
              field: { type: ['string', 'null'], examples: ['to[1].email'] },
              code: { type: 'string', enum: DETAIL_CODES, examples: ['required'] },
              message: { type: 'string' },
            },
          },
        },
      },
    },
  },
}

export const PARAMETERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes a repeated request harmless: within 24 hours the same key gives the same response, and the operation runs once.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    example: 'order-17-confirmation',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The `ETag` of the version that you have read: if it has changed since, the response is 412 and nothing is done.',
    schema: { type: 'string' },
    example: '"k3v5r2m7q4"',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The `ETag` of the version that you have: if it is unchanged, the response is 304, without a body.',
    schema: { type: 'string' },
    example: '"k3v5r2m7q4"',
  },
  Range: {
    name: 'Range',
    in: 'header',
    required: false,
    description: 'One range of octets, to get a part of the file.',
    schema: { type: 'string' },
    example: 'bytes=0-1023',
  },
  'X-Service-Timestamp': {
    name: 'X-Service-Timestamp',
    in: 'header',
    required: true,
    description: 'Seconds since 1970. Refuse a delivery if it differs from your clock by more than 300 seconds.',
    schema: { type: 'string' },
    example: '1767268800',
  },
  'X-Service-Signature': {
    name: 'X-Service-Signature',
    in: 'header',
    required: true,
    description:
      'HMAC-SHA256, in hex, with the secret of the webhook, of `v1=`, the timestamp, a line feed and the body as received.',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    example: SAMPLE_SIGNATURE,
  },
  'X-Service-Signature-Previous': {
    name: 'X-Service-Signature-Previous',
    in: 'header',
    required: false,
    description: 'The same with the previous secret, for 24 hours after a rotation. Accept either.',
    schema: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    example: SAMPLE_SIGNATURE,
  },
}

/** Of the deliveries to webhooks. The operator may set another prefix. */
export const SIGNATURE_HEADERS = ['X-Service-Timestamp', 'X-Service-Signature', 'X-Service-Signature-Previous'] as const

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example })
const number = (description: string, example: number) => ({ description, schema: { type: 'integer' }, example })

export const HEADERS = {
  'X-Request-Id': text('Id of the request, as in `request_id` of an error.', SAMPLE_REQUEST_ID),
  'RateLimit-Policy': text(
    'The limits of the tier: `q` requests in a window of `w` seconds. `-burst` is the number of requests at once.',
    '"read";q=6000;w=60, "read-burst";q=1000;w=10',
  ),
  RateLimit: text(
    'The remainder of each: `r` requests, and `t` seconds until it is full again.',
    '"read";r=5999;t=1, "read-burst";r=999;t=1',
  ),
  'RateLimit-Limit': number('Requests per minute.', 6000),
  'RateLimit-Remaining': number('Requests that are allowed at once now; 0: the next one is refused.', 999),
  'RateLimit-Reset': number('Seconds until the burst is full again; with 0 remaining, until the next request.', 1),
  'Retry-After': number('Seconds after which to retry.', 1),
  'WWW-Authenticate': text('The authentication scheme.', 'Bearer'),
  'Idempotent-Replayed': {
    description: '`true` for a repeated response.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'Posthouse-Warning': text(
    'In dev mode: members of the request that look like mistakes, and were ignored.',
    '"attachment" is ignored; did you mean "attachments"?',
  ),
  ETag: text('Identifies this version of the resource, for `If-Match` and `If-None-Match`.', '"k3v5r2m7q4"'),
  'Cache-Control': text('Caches must not keep the response.', 'no-store'),
  'Content-Disposition': text('The file name.', 'attachment; filename="order.pdf"'),
  'Content-Range': text('The returned octets, and the total number.', 'bytes 0-1023/4096'),
}

export const RATE_HEADERS = [
  'RateLimit-Policy',
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
] as const satisfies (keyof typeof HEADERS)[]
