/** Decision D31: dev mode verifies names that RFC 6761 reserves, and only if no resolver is configured. */
import t from 'tap'
import { serve } from '../../support/command-line.ts'
import { temporaryFolder } from '../../support/posthouse.ts'

const unseen = { status: 'pending', mx_verified: false, dkim_verified: false, verified_at: null }

t.test('domains in dev mode', async (t) => {
  for (const [args, reserved] of [
    [[], { status: 'verified', mx_verified: true }],
    [['--dns=127.0.0.1:1'], unseen],
  ] as const)
    await t.test(args.length > 0 ? 'with a resolver' : 'without a resolver', async (t) => {
      const { ready } = await serve(t, temporaryFolder(t), args)
      const headers = { Authorization: `Bearer ${ready.api_key}`, 'Content-Type': 'application/json' }
      const add = async (name: string) => {
        const init = { method: 'POST', headers, body: JSON.stringify({ name }) }
        return (await fetch(`${ready.http}/v1/domains`, init)).json()
      }
      t.match(await add('shop.test'), reserved)
      t.match(await add('shop.org'), unseen)
    })
})
