import t, { type Test } from 'tap'
import { METHOD_ERROR_TYPES, SET_ERROR_TYPES } from '../../jmap/protocol/errors.ts'
import { created, set } from '../../rest/calls/jmap-calls.ts'
import { endpoint } from '../../rest/endpoint.ts'
import { API_ERRORS, type ApiErrorCode } from '../../rest/errors/api-error.ts'
import { createRouter } from '../../rest/pipeline/router.ts'
import { anything } from '../../rest/schema/schema.ts'
import type { JsonObject } from '../../server/base/json.ts'
import { ScriptedCore, startRest, TAG, testDeps } from '../support/rest-server.ts'

const make = endpoint({
  method: 'POST',
  path: '/v1/make',
  operationId: 'make',
  tag: TAG,
  summary: 'Create something that is refused',
  scope: 'domains:write',
  tier: 'write',
  status: 201,
  response: anything(),
  errors: Object.keys(API_ERRORS) as ApiErrorCode[],
  calls: ({ organization }) => ({
    made: set('Domain', { accountId: organization, create: { d: { name: 'example.test' } } }),
  }),
  reply: ({ made }) => created(made, 'd', { fields: { localPart: 'address' }, what: 'domain' }),
})

/** The answer of the endpoint for an answer of the JMAP call. */
async function answerTo(t: Test, jmap: JsonObject) {
  const core = new ScriptedCore()
  core.methods.set('Domain/set', () => jmap)
  const server = await startRest(createRouter([make], testDeps(core)))
  t.teardown(() => server.close())
  return server.ask('POST', '/v1/make')
}

const refused = (error: JsonObject) => ({ notCreated: { d: error } })

t.test('every method error becomes a declared status, and words about JMAP arguments are not shown', async (t) => {
  const told = ['forbidden', 'invalidState', 'rateLimit']
  for (const type of METHOD_ERROR_TYPES) {
    const answer = await answerTo(t, { type, description: 'Words of the method.' })
    t.ok([403, 404, 409, 413, 422, 429, 500, 503].includes(answer.status), `${type} ${answer.status}`)
    t.equal(answer.body.error.message === 'Words of the method.', told.includes(type), type)
  }
})

t.test('method errors that a client can cause have their own status', async (t) => {
  t.match(await answerTo(t, { type: 'accountNotFound' }), { status: 404, body: { error: { type: 'not_found' } } })
  t.match(await answerTo(t, { type: 'serverUnavailable' }), { status: 503 })
  t.match(await answerTo(t, { type: 'forbidden' }), { status: 403, body: { error: { type: 'authorization_error' } } })
  t.match(await answerTo(t, { type: 'stateMismatch' }), { status: 409 })
})

t.test('a method error of an unknown type is an internal error', async (t) => {
  t.match(await answerTo(t, { type: 'toString' }), { status: 500, body: { error: { type: 'internal_error' } } })
})

t.test('the error about a folder in use lists the inbox rules (decision D9)', async (t) => {
  const error = { type: 'mailboxUsedByRule', description: 'Used.', rules: [{ id: 'r1', name: 'News' }] }
  const details = [{ rule_id: 'r1', rule_name: 'News' }]
  t.match(await answerTo(t, refused(error)), { status: 409, body: { error: { code: 'folder_in_use', details } } })
})

t.test('every SetError becomes a declared status', async (t) => {
  for (const type of SET_ERROR_TYPES) {
    const { status } = await answerTo(t, refused({ type }))
    t.ok([402, 403, 404, 409, 413, 422, 429, 500, 503].includes(status), `${type} ${status}`)
  }
})

t.test('SetErrors have the status, type and code of the table', async (t) => {
  const cases: [JsonObject, number, string, string][] = [
    [{ type: 'overQuota', description: 'Mailbox limit reached: 3 of 3' }, 403, 'quota_exceeded', 'quota_exceeded'],
    [{ type: 'forbidden' }, 403, 'authorization_error', 'forbidden'],
    [{ type: 'forbiddenToSend' }, 403, 'authorization_error', 'sending_suspended'],
    [{ type: 'notFound' }, 404, 'not_found', 'not_found'],
    [{ type: 'alreadyExists', existingId: 'x' }, 409, 'conflict', 'already_exists'],
    [{ type: 'cannotUnsend' }, 409, 'conflict', 'invalid_state'],
    [{ type: 'tooLarge', maxSize: 1 }, 413, 'payload_too_large', 'payload_too_large'],
    [{ type: 'domainNotVerified', domain: 'a.example' }, 422, 'validation_error', 'domain_not_verified'],
    [{ type: 'rateLimit' }, 429, 'rate_limit_exceeded', 'rate_limit_exceeded'],
  ]
  for (const [error, status, type, code] of cases) {
    t.match(await answerTo(t, refused(error)), { status, body: { error: { type, code } } }, String(error['type']))
  }
})

t.test('the description of a SetError is for the client', async (t) => {
  const answer = await answerTo(t, refused({ type: 'overQuota', description: 'Mailbox limit reached: 3 of 3' }))
  t.equal(answer.body.error.message, 'Mailbox limit reached: 3 of 3')
})

t.test('invalid properties are reported under the names of the request', async (t) => {
  const error = { type: 'invalidProperties', properties: ['localPart', 'displayName'], description: 'No.' }
  t.match(await answerTo(t, refused(error)), {
    status: 422,
    body: { error: { details: [{ field: 'address', message: 'No.' }, { field: 'display_name' }] } },
  })
})

t.test('a 404 names what is not found', async (t) => {
  t.equal((await answerTo(t, refused({ type: 'notFound' }))).body.error.message, 'There is no such domain.')
})

t.test('refused recipients, senders and blobs are reported by field', async (t) => {
  t.match(await answerTo(t, refused({ type: 'invalidRecipients', invalidRecipients: ['a@b', 'c@d'] })), {
    status: 422,
    body: {
      error: {
        details: [
          { field: 'to', message: /a@b/ },
          { field: 'to', message: /c@d/ },
        ],
      },
    },
  })
  t.match(await answerTo(t, refused({ type: 'tooManyRecipients', maxRecipients: 7 })), {
    body: { error: { details: [{ field: 'to', code: 'too_long' }] } },
  })
  t.match(await answerTo(t, refused({ type: 'noRecipients' })), {
    body: { error: { details: [{ field: 'to', code: 'required' }] } },
  })
  t.match(await answerTo(t, refused({ type: 'forbiddenFrom' })), {
    status: 422,
    body: { error: { details: [{ field: 'from', code: 'not_allowed' }] } },
  })
  t.match(await answerTo(t, refused({ type: 'blobNotFound', notFound: ['blb_1'] })), {
    status: 422,
    body: { error: { details: [{ field: 'blob_id', code: 'unknown_reference' }] } },
  })
})

t.test('an answer of the core without the record is an internal error', async (t) => {
  t.equal((await answerTo(t, { created: {} })).status, 500)
})
