import t from 'tap'
import * as errors from '../../../jmap/protocol/errors.ts'

t.test('a method error becomes the arguments of an error response (RFC 8620 3.6.2)', async (t) => {
  t.strictSame(new errors.MethodError('unknownMethod').toArguments(), { type: 'unknownMethod' })
  t.strictSame(new errors.MethodError('serverFail', 'why', { ticket: 'x' }).toArguments(), {
    type: 'serverFail',
    description: 'why',
    ticket: 'x',
  })
})

t.test('invalidArguments names the arguments at fault', async (t) => {
  const error = errors.invalidArguments('`ids` must be an array.', ['ids'])
  t.ok(error instanceof Error)
  t.strictSame(error.toArguments(), {
    type: 'invalidArguments',
    description: '`ids` must be an array.',
    arguments: ['ids'],
  })
})

t.test('set errors have the properties that their clauses require', async (t) => {
  t.strictSame(errors.setError('willDestroy'), { type: 'willDestroy' })
  t.match(errors.invalidProperties(['name'], 'too long'), { properties: ['name'], description: 'too long' }) // 8620 5.3
  t.match(errors.alreadyExists('A1'), { type: 'alreadyExists', existingId: 'A1' }) // RFC 8620 5.4
  t.match(errors.blobNotFound(['B1']), { type: 'blobNotFound', notFound: ['B1'] }) // RFC 8621 4.6
  t.match(errors.tooLarge(5), { type: 'tooLarge', maxSize: 5 }) // RFC 8621 7.5
  t.match(errors.tooManyRecipients(100), { type: 'tooManyRecipients', maxRecipients: 100 })
  t.match(errors.invalidRecipients(['x']), { type: 'invalidRecipients', invalidRecipients: ['x'] })
  t.match(errors.invalidEmail(['from']), { type: 'invalidEmail', properties: ['from'] })
  t.match(errors.domainNotVerified('example.com'), { type: 'domainNotVerified', domain: 'example.com' })
})

t.test('an unknown capability is named, but cut to a fixed length (RFC 8620 3.6.1)', async (t) => {
  const problem = errors.unknownCapability('https://example.com/apis/foobar')
  t.match(problem, { type: 'urn:ietf:params:jmap:error:unknownCapability', status: 400 })
  t.match(problem.detail, /'https:\/\/example\.com\/apis\/foobar'/)
  t.ok(errors.unknownCapability('x'.repeat(1_000_000)).detail.length < 500)
})

t.test('no error type is listed twice', async (t) => {
  t.equal(new Set(errors.METHOD_ERROR_TYPES).size, errors.METHOD_ERROR_TYPES.length)
  t.equal(new Set(errors.SET_ERROR_TYPES).size, errors.SET_ERROR_TYPES.length)
})
