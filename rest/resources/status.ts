import { endpoint, type Tag } from '../endpoint.ts'
import { ApiError } from '../errors/api-error.ts'
import * as s from '../schema/schema.ts'

const Status = s.named(
  'Status',
  s.object({
    status: s.constant('operational'),
    version: s.constant('v1'),
    time: s.timestamp(),
    request_id: s.string({ examples: ['req_k3v5r2m7q4x6t2n5w7bc'] }),
  }),
)

export const TAG: Tag = { name: 'Status', description: 'Whether the API is available, and its description.' }

export const getStatus = endpoint({
  method: 'GET',
  path: '/v1/status',
  operationId: 'getStatus',
  tag: TAG,
  summary: 'Check whether the API is available',
  description: 'Needs no authentication. Any status other than 200 means that the API is unavailable.',
  scope: null,
  response: Status,
  async run({ now, requestId, isAvailable }) {
    if (!(await isAvailable())) throw new ApiError('service_unavailable')
    return {
      status: 'operational' as const,
      version: 'v1' as const,
      time: new Date(now).toISOString(),
      request_id: requestId,
    }
  },
})

export const statusEndpoints = [getStatus]
