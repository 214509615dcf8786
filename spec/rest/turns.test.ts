import { request } from 'node:http'
import express from 'express'
import t, { type Test } from 'tap'
import type { ThreadTurns } from '../../rest/pipeline/elsewhere.ts'
import { createRestRouter } from '../../rest/rest.ts'
import type { Guard } from '../../server/base/guard.ts'
import { ScriptedCore, startRest, testDeps } from '../support/rest-server.ts'

/** Turns that begin when the test says so. */
class FullTurns implements ThreadTurns {
  #arrived = Promise.withResolvers<void>()
  #begin = () => {}

  isFull() {
    return true
  }

  wait() {
    this.#arrived.resolve()
    return new Promise<void>((resolve) => {
      this.#begin = resolve
    })
  }

  /** Resolves when a request waits. */
  get arrived() {
    return this.#arrived.promise
  }

  begin() {
    this.#begin()
  }
}

/** A core that tells the guard of a request. */
class GuardedCore extends ScriptedCore {
  readonly #guard = Promise.withResolvers<Guard>()

  get guard() {
    return this.#guard.promise
  }

  override process(...[principal, request, , guard]: [...Parameters<ScriptedCore['process']>, unknown?, Guard?]) {
    if (guard) this.#guard.resolve(guard)
    return super.process(principal, request)
  }
}

async function start(t: Test) {
  const turns = new FullTurns()
  const core = new GuardedCore()
  core.methods.set('Suppression/query', () => ({ ids: [] }))
  core.methods.set('Suppression/get', () => ({ list: [] }))
  core.methods.set('Suppression/set', () => ({ type: 'serverUnavailable' }))
  const closed = Promise.withResolvers<void>()
  const app = express.Router()
  app.use((_request, response, next) => {
    response.once('close', closed.resolve)
    next()
  })
  app.use(createRestRouter({ ...testDeps(core), turns }))
  const server = await startRest(app)
  t.teardown(() => server.close())
  return { server, turns, core, closed: closed.promise }
}

t.test('a request that reads waits for its turn before anything is asked of the core', async (t) => {
  const { server, turns, core } = await start(t)
  const answer = server.ask('GET', '/v1/suppressions')
  await turns.arrived
  t.equal(core.requests.length, 0)
  turns.begin()
  t.equal((await answer).status, 200)
  t.equal(core.requests.length, 1, 'control')
})

t.test('what is public waits for no turn', async (t) => {
  const { server } = await start(t)
  t.equal((await server.ask('GET', '/v1/status')).status, 200)
})

t.test('a request that writes waits for no turn', async (t) => {
  const { server, core } = await start(t)
  await server.ask('POST', '/v1/suppressions', { body: { email_address: 'a@b.example' } })
  t.equal(core.requests[0]?.methodCalls[0]?.[0], 'Suppression/set')
})

t.test('a request whose client left before its turn is abandoned', async (t) => {
  const { server, turns, core, closed } = await start(t)
  const leaving = request(`${server.url}/v1/suppressions`, { headers: { Authorization: 'Bearer sk_owner' } })
  leaving.on('error', () => {})
  leaving.end()
  await turns.arrived
  leaving.destroy()
  await closed
  turns.begin()
  const guard = await core.guard
  t.throws(() => guard.check(), { code: 'abandoned' })
})

t.test('control: one whose client waits is not', async (t) => {
  const { server, turns, core } = await start(t)
  const answer = server.ask('GET', '/v1/suppressions')
  await turns.arrived
  turns.begin()
  const guard = await core.guard
  t.doesNotThrow(() => guard.check())
  await answer
})
