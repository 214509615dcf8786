/** Components of the OpenAPI document that do not depend on any endpoint. */
import { PROBLEMS } from './problem.ts'

const SAMPLE_REQUEST_ID = 'req_k3v5r2m7q4x6t2n5w7bc'

/** One for each code. */
export const ERROR_EXAMPLES: { readonly [code: string]: unknown } = Object.fromEntries(
  Object.entries(PROBLEMS).map(([code, { type, message }]) => {
    return [code, { value: { error: { type, code, message, request_id: SAMPLE_REQUEST_ID } } }]
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
        type: { type: 'string', enum: [...new Set(Object.values(PROBLEMS).map((row) => row.type))] },
        code: { type: 'string', description: 'Finer than `type`, and as stable.' },
        message: { type: 'string', description: 'For people.' },
        request_id: { type: 'string' },
        details: {
          type: 'array',
          description: 'One item per fault.',
          items: {
            type: 'object',
            properties: {
              field: { type: ['string', 'null'], examples: ['to[1].email'] },
              code: { type: 'string', examples: ['required'] },
              message: { type: 'string' },
            },
          },
        },
      },
    },
  },
}

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a repeated request harmless: within 24 hours the same key gives the same answer, and nothing is done twice.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

export const HEADERS = {
  'X-Request-Id': { description: 'Id of the request, as in `request_id` of an error.', schema: { type: 'string' } },
  'RateLimit-Limit': { description: 'Requests a minute.', schema: { type: 'integer' } },
  'RateLimit-Remaining': {
    description: 'Requests left; 0: the next one would be refused.',
    schema: { type: 'integer' },
  },
  'RateLimit-Reset': { description: 'Seconds until more are left.', schema: { type: 'integer' } },
  'Idempotent-Replayed': {
    description: '`true` for an answer given before.',
    schema: { type: 'string', enum: ['true'] },
  },
}
