import { endpoint, type Tag } from '../endpoint.ts'
import { constant, named, object, string, timestamp } from '../schema/schema.ts'

const Status = named(
  'Status',
  object({
    status: constant('operational'),
    version: constant('v1'),
    time: timestamp(),
    request_id: string({ examples: ['req_k3v5r2m7q4x6t2n5w7bc'] }),
  }),
)

export const TAG: Tag = { name: 'Status', description: 'Whether the API is available, and its description.' }

export const getStatus = endpoint({
  method: 'GET',
  path: '/v1/status',
  operationId: 'getStatus',
  tag: TAG,
  summary: 'Tell whether the API is available',
  description: 'Needs no authentication. Anything but a 200 means that the API is unavailable.',
  scope: null,
  tier: null,
  status: 200,
  response: Status,
  errors: [],
  run: async ({ now, requestId }) => ({
    status: 'operational' as const,
    version: 'v1' as const,
    time: new Date(now).toISOString(),
    request_id: requestId,
  }),
})

export const statusEndpoints = [getStatus]
