/**
 * Replaces the package async-hook-domain in tap. An error that nobody catches fails the test that runs. The package finds the test that
 * began the failed work: for that it follows every promise, which costs CPU in tests that wait much. Here tests run one after another.
 */
import { executionAsyncResource } from 'node:async_hooks'
import process from 'node:process'

type Origin = 'uncaughtException' | 'unhandledRejection'
type OnError = (error: unknown, origin: Origin) => void

/** A test of tap, as far as it is used here. */
interface Running {
  readonly hookDomain: { readonly onerror: OnError }
  on(event: 'subtestStart' | 'subtestEnd', listener: (subtest: Running) => void): unknown
}

let running: Running | undefined

/** Made by each test for itself. */
export class Domain {
  readonly onerror: OnError

  constructor(onerror: OnError) {
    this.onerror = onerror
    const { test } = executionAsyncResource() as { readonly test?: Running }
    if (!test) return
    running ??= test
    test.on('subtestStart', (subtest) => {
      running = subtest
    })
    test.on('subtestEnd', () => {
      running = test
    })
  }

  destroy(): void {}
}

for (const origin of ['uncaughtException', 'unhandledRejection'] as const)
  process.on(origin, (error: unknown) => {
    // A test that expects the error has a listener of its own.
    if (process.listenerCount(origin) > 1) return
    if (!running) throw error
    running.hookDomain.onerror(error, origin)
  })
